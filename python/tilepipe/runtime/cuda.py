"""NVIDIA devices through the driver (libcuda), which is loaded when a kernel first runs on one.

`Driver` speaks the driver's C interface: with the library, or with any object that has the same functions, as tests
have. What is not named here is as in the CUDA driver API's reference.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tilepipe.frontend.errors import KernelError

# Numbers of cuda.h.
_MAX_DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_CAPABILITY_MAJOR, _CAPABILITY_MINOR, _SHARED_BYTES_OPTIN = 75, 76, 97  # CU_DEVICE_ATTRIBUTE_...
_POINTER_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES = 5, 6  # CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
_EVENT_DISABLE_TIMING = 2
_INVALID_CONTEXT = 201  # CUDA_ERROR_INVALID_CONTEXT
_LIBRARY = "libcuda.so.1"


class CudaError(KernelError):
    """A function of the driver failed; ``code`` is its CUresult."""

    def __init__(self, message: str, code: int = 0, *rest: Any) -> None:
        self.code = code
        super().__init__(message, *rest)


def _u64(value: int = 0) -> Any:
    return ctypes.c_uint64(value)


class Driver:
    """The driver's functions with results as values and failures as exceptions."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self._contexts: dict[int, Any] = {}
        self._lock = threading.Lock()
        self.call("cuInit", ctypes.c_uint(0))

    def call(self, function: str, *arguments: Any, log: str = "") -> None:
        """Calls a function; raises `CudaError` with the name and the description of what went wrong."""
        code = int(getattr(self.library, function)(*arguments))
        if code:
            raise CudaError(self._describe(function, code, log), code)

    def _describe(self, function: str, code: int, log: str) -> str:
        texts = []
        for getter in ("cuGetErrorName", "cuGetErrorString"):
            text = ctypes.c_char_p()
            known = getattr(self.library, getter)(ctypes.c_int(code), ctypes.byref(text)) == 0
            texts.append(text.value.decode() if known and text.value else "unknown")
        return f"{function} failed: {texts[0]} ({code}): {texts[1]}" + (f"\n{log}" if log else "")

    # Devices ----------------------------------------------------------------------------------------------

    def device_count(self) -> int:
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        return count.value

    def current_device(self) -> int:
        """The device that the calling thread has made current, 0 where none is."""
        device = ctypes.c_int()
        code = int(self.library.cuCtxGetDevice(ctypes.byref(device)))
        if code == _INVALID_CONTEXT:
            return 0
        if code:
            raise CudaError(self._describe("cuCtxGetDevice", code, ""), code)
        return device.value

    def _attribute(self, which: int, index: int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(which), self._device(index))
        return value.value

    def _device(self, index: int) -> Any:
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(index))
        return device

    def capability(self, index: int) -> tuple[int, int]:
        """The compute capability of a device, as (8, 0)."""
        return self._attribute(_CAPABILITY_MAJOR, index), self._attribute(_CAPABILITY_MINOR, index)

    def shared_bytes(self, index: int) -> int:
        """The most shared memory that one block may ask for."""
        return self._attribute(_SHARED_BYTES_OPTIN, index)

    def device_of(self, address: int) -> int:
        """The device that an address of device memory is on."""
        device = ctypes.c_int()
        self.call("cuPointerGetAttribute", ctypes.byref(device), ctypes.c_int(_POINTER_DEVICE_ORDINAL), _u64(address))
        return device.value

    @contextmanager
    def on(self, index: int) -> Iterator[None]:
        """The device is current inside, through its primary context, which frameworks share."""
        with self._lock:
            if index not in self._contexts:
                context = ctypes.c_void_p()
                self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self._device(index))
                self._contexts[index] = context
        self.call("cuCtxPushCurrent_v2", self._contexts[index])
        try:
            yield
        finally:
            self.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    # Code -------------------------------------------------------------------------------------------------

    def load(self, code: bytes) -> Any:
        """A module of PTX text or a cubin, on the current device; the log of the driver's compiler is in errors."""
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(code), ctypes.c_uint(2), options, values)
        except CudaError as error:
            text = log.value.decode(errors="replace").strip()
            raise (CudaError(f"{error.message}\n{text}", error.code) if text else error) from None
        return module

    def function(self, module: Any, name: str, shared_bytes: int) -> Any:
        """A kernel of a module, allowed to use as many bytes of dynamic shared memory."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, ctypes.c_char_p(name.encode()))
        if shared_bytes > 48 << 10:  # what every kernel may have
            self.call("cuFuncSetAttribute", function, ctypes.c_int(_MAX_DYNAMIC_SHARED_BYTES), ctypes.c_int(shared_bytes))
        return function

    def launch(self, function: Any, grid: tuple[int, int, int], threads: int, shared_bytes: int, stream: int,
               arguments: list[Any]) -> None:
        """Enqueues a kernel; ``arguments`` are ctypes objects, copied by the driver."""
        addresses = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        sizes = [ctypes.c_uint(n) for n in (*grid, threads, 1, 1, shared_bytes)]
        self.call("cuLaunchKernel", function, *sizes, ctypes.c_void_p(stream), addresses, ctypes.c_void_p())

    # Memory and order -------------------------------------------------------------------------------------

    def allocate(self, size: int, stream: int) -> int:
        """Device memory that is there for what is enqueued on the stream from now on."""
        address = _u64()
        self.call("cuMemAllocAsync", ctypes.byref(address), ctypes.c_size_t(max(size, 1)), ctypes.c_void_p(stream))
        return int(address.value)

    def free(self, address: int, stream: int) -> None:
        """Gives memory back when what is enqueued on the stream so far is done."""
        self.call("cuMemFreeAsync", _u64(address), ctypes.c_void_p(stream))

    def copy_in(self, address: int, source: int, size: int, stream: int) -> None:
        self.call("cuMemcpyHtoDAsync_v2", _u64(address), ctypes.c_void_p(source), ctypes.c_size_t(size), ctypes.c_void_p(stream))

    def copy_out(self, target: int, address: int, size: int, stream: int) -> None:
        self.call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(target), _u64(address), ctypes.c_size_t(size), ctypes.c_void_p(stream))

    def synchronize(self, stream: int) -> None:
        self.call("cuStreamSynchronize", ctypes.c_void_p(stream))

    def wait(self, index: int, stream: int, other: int) -> None:
        """What is enqueued on ``stream`` from now on runs after what is enqueued on ``other`` so far."""
        with self.on(index):
            event = ctypes.c_void_p()
            self.call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(_EVENT_DISABLE_TIMING))
            try:
                self.call("cuEventRecord", event, ctypes.c_void_p(other))
                self.call("cuStreamWaitEvent", ctypes.c_void_p(stream), event, ctypes.c_uint(0))
            finally:
                self.call("cuEventDestroy_v2", event)  # when it is passed


_driver: Driver | None = None
_loading = threading.Lock()


def driver() -> Driver:
    """The driver of this machine; raises `KernelError` where there is none."""
    global _driver
    with _loading:
        if _driver is None:
            try:
                library = ctypes.CDLL(_LIBRARY)
            except OSError as error:
                raise KernelError(f"kernels for cuda run on a machine with NVIDIA's driver: {error}") from None
            _driver = Driver(library)
        return _driver


def is_available() -> bool:
    """True where there is a driver and a device."""
    try:
        return driver().device_count() > 0
    except KernelError:
        return False


def chip(index: int | None = None) -> str:
    """The chip of a device, as ``sm_80``; of the current one without ``index``."""
    of = driver()
    major, minor = of.capability(of.current_device() if index is None else index)
    return f"sm_{major}{minor}"


def require_chip(name: str, wanted: str, index: int) -> None:
    """Raises unless code for ``wanted`` runs on a device: the same or a later chip, the same one for ``sm_90a``."""
    major, minor = driver().capability(index)
    digits = wanted.removeprefix("sm_")
    number = int(digits.rstrip("af"))
    here = 10 * major + minor
    fits = here == number if digits.endswith("a") else here >= number
    if not fits:
        raise KernelError(f"kernel '{name}' is compiled for {wanted}, device 'cuda:{index}' is sm_{major}{minor}")
