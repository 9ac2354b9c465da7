"""Kernels on NVIDIA devices: arguments packed as PTX kernels take them, launched on the caller's stream."""

from __future__ import annotations

import contextlib
import ctypes
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Parameter, TensorType
from tilepipe.runtime import cuda
from tilepipe.runtime.arguments import View, numpy_dtype
from tilepipe.runtime.devices import Device, current_stream, dlpack_stream

Grid = tuple[int, int, int]
_GRID_LIMITS = (2**31 - 1, 65535, 65535)
_ALIGNMENT = 16


@dataclass(frozen=True)
class Launch:
    """One kernel of a module: its name, the threads and dynamic shared memory of a block, and its grid.

    ``grid`` computes the grid from the packed arguments of the call. ``workspace`` is bytes of device memory that the
    kernel takes as its last argument.
    """

    name: str
    threads: int
    shared_bytes: int
    grid: Callable[[Sequence[Any]], Grid]
    workspace: int = 0


def pack(params: Sequence[Parameter], values: Sequence[Any]) -> list[Any]:
    """The parameters of a PTX kernel, as ctypes objects.

    For each tensor its address, then each of its dynamic sizes (64 bits each); scalars in their own width.
    """
    packed: list[Any] = []
    for parameter, value in zip(params, values, strict=True):
        if not isinstance(value, View):
            packed.append(value)
            continue
        if value.address % _ALIGNMENT:
            raise KernelError(f"argument '{parameter.name}' is at {value.address:#x}, which is no multiple of {_ALIGNMENT}")
        packed.append(ctypes.c_uint64(value.address))
        assert isinstance(parameter.type, TensorType)
        for size, given in zip(parameter.type.shape, value.shape, strict=True):
            if not isinstance(size, int):
                packed.append(ctypes.c_uint64(given))
    return packed


class CudaProgram:
    """The kernels of one module.

    Called with `View`s and ctypes scalars in the order of the parameters, it launches on the device of the tensors and
    on the stream that is current there, and does not wait. All tensors are on one device (`devices.common`).
    """

    def __init__(self, name: str, chip: str, code: str | bytes, params: Sequence[Parameter], launches: Sequence[Launch]) -> None:
        self.name = name
        self.chip = chip
        self.code = code.encode() if isinstance(code, str) else code
        self.params = tuple(params)
        self.launches = tuple(launches)
        self._functions: dict[int, list[Any]] = {}
        self._lock = threading.Lock()

    def __call__(self, arguments: list[Any]) -> None:
        driver = cuda.driver()
        views = [a for a in arguments if isinstance(a, View)]
        device = views[0].device if views else Device("cuda", driver.current_device())
        stream = current_stream(device, [view.owner for view in views])
        packed = pack(self.params, arguments)
        with driver.on(device.index):
            for launch, function in zip(self.launches, self._on(driver, device.index), strict=True):
                grid = launch.grid(packed)
                self._check_grid(launch, grid)
                if 0 not in grid:
                    self._enqueue(driver, launch, function, grid, stream, packed)

    def _enqueue(self, driver: cuda.Driver, launch: Launch, function: Any, grid: Grid, stream: int, packed: list[Any]) -> None:
        if not launch.workspace:
            driver.launch(function, grid, launch.threads, launch.shared_bytes, stream, packed)
            return
        # Taken before the launch is enqueued, given back in the order of the stream, so after it.
        address = driver.allocate(launch.workspace, stream)
        try:
            arguments = [*packed, ctypes.c_uint64(address)]
            driver.launch(function, grid, launch.threads, launch.shared_bytes, stream, arguments)
        finally:
            driver.free(address, stream)

    def _on(self, driver: cuda.Driver, index: int) -> list[Any]:
        """The kernels on a device, which is current; loaded once."""
        with self._lock:
            if index not in self._functions:
                cuda.require_chip(self.name, self.chip, index)
                self._check_shared(driver, index)
                module = driver.load(self.code)
                self._functions[index] = [driver.function(module, k.name, k.shared_bytes) for k in self.launches]
            return self._functions[index]

    def _check_shared(self, driver: cuda.Driver, index: int) -> None:
        most = driver.shared_bytes(index)
        for launch in self.launches:
            if launch.shared_bytes > most:
                raise KernelError(f"kernel '{self.name}' needs {launch.shared_bytes} bytes of shared memory, "
                                  f"a block on device 'cuda:{index}' has {most}")  # fmt: skip

    def _check_grid(self, launch: Launch, grid: Grid) -> None:
        for axis, extent, most in zip("xyz", grid, _GRID_LIMITS, strict=True):
            if not 0 <= extent <= most:
                raise KernelError(f"kernel '{self.name}' has {extent} blocks along {axis}, a launch has at most {most}")


class DeviceArray:
    """Dense device memory, for callers without a framework: made by `to_device`, or the result of a kernel.

    Frameworks read it through `__cuda_array_interface__`; `to_host` copies it to numpy.
    """

    def __init__(self, shape: Sequence[int], dtype: str, device: Device, stream: int = 0) -> None:
        self.shape, self.dtype, self.device, self.stream = tuple(shape), numpy_dtype(dtype), device, stream
        self.nbytes = math.prod(self.shape) * self.dtype.itemsize
        self._driver = cuda.driver()
        with self._driver.on(device.index):
            self.address = self._driver.allocate(self.nbytes, stream)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3,
                "strides": None, "stream": dlpack_stream(self.stream)}  # fmt: skip

    def to_host(self) -> np.ndarray:
        """A copy in host memory; waits for the stream that the array was made on."""
        result = np.empty(self.shape, self.dtype)
        with self._driver.on(self.device.index):
            self._driver.copy_out(result.ctypes.data, self.address, self.nbytes, self.stream)
            self._driver.synchronize(self.stream)
        return result

    def __del__(self) -> None:
        # At the end of the process the driver may be gone; then so is the memory.
        if hasattr(self, "address"):
            with contextlib.suppress(cuda.CudaError), self._driver.on(self.device.index):
                self._driver.free(self.address, self.stream)


def to_device(array: np.ndarray, index: int | None = None, stream: int = 0) -> DeviceArray:
    """A copy of an array on a device, the current one without ``index``."""
    driver = cuda.driver()
    array = np.ascontiguousarray(array)
    result = DeviceArray(array.shape, array.dtype.name, Device("cuda", driver.current_device() if index is None else index), stream)
    with driver.on(result.device.index):
        driver.copy_in(result.address, array.ctypes.data, result.nbytes, stream)
        driver.synchronize(stream)
    return result
