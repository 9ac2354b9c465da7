"""Tensors of the caller: checked against the kernel's types, and as the machine sees them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilepipe.frontend.dtypes import DType
from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import Dynamic, Halved, Parameter, TensorType
from tilepipe.runtime import devices, dlpack
from tilepipe.runtime.devices import CPU, Device

_SCALARS: dict[str, Any] = {
    "float32": ctypes.c_float, "float64": ctypes.c_double, "int8": ctypes.c_int8, "int16": ctypes.c_int16,
    "int32": ctypes.c_int32, "int64": ctypes.c_int64, "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16,
    "uint32": ctypes.c_uint32, "uint64": ctypes.c_uint64, "bool": ctypes.c_bool,
    "index": ctypes.c_int64,
}  # fmt: skip


@dataclass(frozen=True)
class View:
    """A strided tensor: address, shape and strides in elements, the object that owns it, and the device it is on."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    owner: Any
    writable: bool = True
    device: Device = CPU


Streams = Callable[[Device], int]


def view_of(value: Any, name: str, stream: Streams = lambda _: 0) -> View:
    """A tensor of numpy, torch, or anything with `__cuda_array_interface__` or DLPack.

    ``stream`` gives the stream of a device on which the tensor will be used.
    """
    if isinstance(value, np.ndarray):
        return _from_numpy(value, name)
    if devices.is_torch(value):  # without importing it
        strides, shape = tuple(value.stride()), tuple(value.shape)
        dtype = str(value.dtype).rsplit(".", 1)[-1]
        return View(value.data_ptr(), shape, strides, dtype, value, device=devices.of_torch(value))
    if hasattr(value, "__cuda_array_interface__"):
        return _from_cuda_array(value, name, stream)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, stream)
    raise KernelError(f"argument '{name}' is a tensor (numpy, torch or DLPack), got {type(value).__name__}")


def _from_numpy(array: np.ndarray, name: str) -> View:
    _check_order(array.dtype, name)
    size = max(1, array.itemsize)
    strides = tuple(s // size for s in array.strides)
    if any(s % size for s in array.strides):
        raise KernelError(f"strides {array.strides} in bytes are not multiples of the element size {size}")
    return View(array.ctypes.data, array.shape, strides, array.dtype.name, array, array.flags.writeable)


def _check_order(dtype: np.dtype, name: str) -> None:
    """Types of the other byte order have the same name."""
    if not dtype.isnative:
        raise KernelError(f"argument '{name}' has its bytes in the order of another machine; use .astype('{dtype.name}')")


def _from_dlpack(value: Any, stream: Streams) -> View:
    where = value.__dlpack_device__() if hasattr(value, "__dlpack_device__") else (1, 0)
    device = devices.from_dlpack_numbers(*where)
    # On a device its producer makes our stream wait for what is under way on another one.
    how = {"stream": devices.dlpack_stream(stream(device))} if device.kind == "cuda" else {}
    try:
        capsule = value.__dlpack__(max_version=(1, 0), **how)
    except TypeError:  # from before versions
        capsule = value.__dlpack__(**how)
    tensor = dlpack.read(capsule)
    return View(tensor.address, tensor.shape, tensor.strides, tensor.dtype, _Held(value, capsule), tensor.writable, device)


@dataclass(frozen=True)
class _Held:
    """A tensor and the capsule that keeps its memory."""

    value: Any
    capsule: Any


def _from_cuda_array(value: Any, name: str, stream: Streams) -> View:
    from tilepipe.runtime import cuda

    interface = value.__cuda_array_interface__
    address, read_only = interface["data"]
    shape = tuple(interface["shape"])
    # The interface has no name for types as bfloat16; the array may.
    own = getattr(value, "dtype", None)
    dtype = own if isinstance(own, np.dtype) else np.dtype(interface["typestr"])
    driver = cuda.driver()
    device = Device("cuda", driver.device_of(address) if address else driver.current_device())
    in_bytes = interface.get("strides")
    _check_order(dtype, name)
    strides = dense_strides(shape) if in_bytes is None else [s // dtype.itemsize for s in in_bytes]
    made_on, used_on = interface.get("stream"), stream(device)
    if made_on and devices.dlpack_stream(used_on) != made_on:
        driver.wait(device.index, used_on, made_on)
    return View(address, shape, tuple(strides), dtype.name, value, not read_only, device)


def check_tensor(view: View, parameter: Parameter, sizes: dict[Dynamic, tuple[int, str]]) -> None:
    """Raises unless the tensor has the element type, rank and sizes of the parameter.

    ``sizes`` collects what dynamic sizes are: two tensors that name one size must agree on it.
    """
    type_ = parameter.type
    assert isinstance(type_, TensorType)
    name = parameter.name
    packed = type_.packed
    if packed is not None and view.dtype not in ("int8", "uint8"):
        raise KernelError(f"argument '{name}' has dtype {view.dtype}, the kernel expects {packed}: int8 or uint8 with two "
                          f"elements in each byte of a row, the first in the low half")  # fmt: skip
    if packed is None and view.dtype != type_.dtype.name:
        raise KernelError(f"argument '{name}' has dtype {view.dtype}, the kernel expects {type_.dtype}")
    if len(view.shape) != len(type_.shape):
        raise KernelError(f"argument '{name}' has {len(view.shape)} dimensions, the kernel expects {len(type_.shape)}")
    for dim, (got, want) in enumerate(zip(view.shape, type_.shape, strict=True)):
        if isinstance(want, int):
            if got != want:
                hint = f" (bytes, for {2 * want} elements of {packed})" if packed and dim == len(view.shape) - 1 else ""
                raise KernelError(f"argument '{name}' has size {got} in dimension {dim}, the kernel expects {want}{hint}")
            continue
        if isinstance(want, Halved):
            got, want = 2 * got, want.of
        known, where = sizes.setdefault(want, (got, f"'{name}' dimension {dim}"))
        if known != got:
            raise KernelError(f"size '{want.name}' is {known} in {where} and {got} in '{name}' dimension {dim}")
    _check_dense(view, name)


def _check_dense(view: View, name: str) -> None:
    expected = 1
    for got, size in zip(reversed(view.strides), reversed(view.shape), strict=True):
        if size != 1 and got != expected and 0 not in view.shape:
            raise KernelError(f"argument '{name}' has strides {view.strides}, the kernel expects a dense row-major tensor")
        expected *= size


def check_written(values: Sequence[Any], params: Sequence[Parameter], written: Collection[int]) -> None:
    """Raises where a tensor that the kernel writes is read-only or shares memory with another argument."""
    ranges = []
    for number, (value, parameter) in enumerate(zip(values, params, strict=True)):
        if not isinstance(value, View):
            continue
        if number in written and not value.writable:
            raise KernelError(f"argument '{parameter.name}' is read-only, the kernel writes to it")
        assert isinstance(parameter.type, TensorType)
        size = math.prod(value.shape) * max(1, parameter.type.dtype.bits // 8)
        if size:
            ranges.append((value.address, value.address + size, number))
    ranges.sort()
    widest = ranges[0] if ranges else (0, 0, 0)
    for start, end, b in ranges[1:]:
        a = widest[2]
        if start < widest[1] and (a in written or b in written):
            raise KernelError(f"arguments '{params[a].name}' and '{params[b].name}' share memory, "
                              f"the kernel writes to '{params[a if a in written else b].name}'")  # fmt: skip
        widest = max(widest, (start, end, b), key=lambda r: r[1])


def dense_strides(shape: tuple[int, ...]) -> list[int]:
    """Row-major strides in elements."""
    strides = [1] * len(shape)
    for dim in range(len(shape) - 1, 0, -1):
        strides[dim - 1] = strides[dim] * shape[dim]
    return strides


def scalar(value: Any, dtype: DType, name: str) -> Any:
    """A ctypes object that holds a scalar argument."""
    if not isinstance(value, (int, float, np.number, np.bool_)):
        raise KernelError(f"argument '{name}' is a {dtype}, got {type(value).__name__}")
    if dtype.is_float and dtype.bits < 32:
        return _as_bits(float(value), dtype)
    if dtype.is_float:
        return _SCALARS[dtype.name](float(value))
    if isinstance(value, (float, np.floating)):
        raise KernelError(f"argument '{name}' is a {dtype}, got {type(value).__name__}")
    result = _SCALARS[dtype.name](value if dtype.kind == "bool" else int(value))
    if result.value != value:
        raise KernelError(f"argument '{name}' is a {dtype}, which {value} does not fit")
    return result


def numpy_dtype(name: str) -> Any:
    """The numpy dtype of a dtype's name; those that numpy lacks come from ml_dtypes."""
    try:
        return np.dtype("int64" if name == "index" else name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))


def _as_bits(value: float, dtype: DType) -> Any:
    number = np.array(value, numpy_dtype(dtype.name))
    if dtype.bits == 8:
        return ctypes.c_uint8(int(number.view(np.uint8)))
    return ctypes.c_uint16(int(number.view(np.uint16)))
