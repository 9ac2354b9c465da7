"""Reads the tensors that `__dlpack__` hands out, on any device and of any dtype.

The capsule is not consumed: who holds it keeps the tensor alive. Structures are those of dlpack.h.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from tilepipe.frontend.errors import KernelError
from tilepipe.runtime.devices import Device, from_dlpack_numbers


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _DLTensor),
    )  # fmt: skip


_READ_ONLY = 1
# DLDataTypeCode and bits.
_DTYPES = {(4, 16): "bfloat16", (6, 8): "bool", (10, 8): "float8_e4m3fn", (12, 8): "float8_e5m2"}
_DTYPES |= {(code, bits): f"{kind}{bits}" for code, kind in ((0, "int"), (1, "uint")) for bits in (4, 8, 16, 32, 64)}
_DTYPES |= {(2, bits): f"float{bits}" for bits in (16, 32, 64)}

_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p


@dataclass(frozen=True)
class DLPackTensor:
    """What a capsule says of its tensor; strides are in elements."""

    address: int
    device: Device
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    writable: bool


def read(capsule: Any) -> DLPackTensor:
    """The tensor of a capsule that no one has consumed."""
    writable = True
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        tensor, writable = versioned.tensor, not versioned.flags & _READ_ONLY
    elif _is_valid(capsule, b"dltensor"):
        tensor = _DLTensor.from_address(_pointer(capsule, b"dltensor"))
    else:
        raise KernelError("__dlpack__ returned no capsule with a tensor, or one that is consumed")
    dtype = _DTYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if dtype is None:
        raise KernelError(f"DLPack type of code {tensor.code}, {tensor.bits} bits and {tensor.lanes} lanes is no dtype")
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else _dense(shape)
    device = from_dlpack_numbers(tensor.device_type, tensor.device_id)
    return DLPackTensor((tensor.data or 0) + tensor.byte_offset, device, shape, strides, dtype, writable)


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1] * len(shape)
    for dim in range(len(shape) - 1, 0, -1):
        strides[dim - 1] = strides[dim] * shape[dim]
    return tuple(strides)
