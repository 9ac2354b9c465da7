"""Where tensors are, and on which stream of their device a kernel is launched.

Frameworks are asked, never imported: what made a tensor is loaded already.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tilepipe.frontend.errors import KernelError


@dataclass(frozen=True)
class Device:
    """A device by kind (``cpu``, ``cuda``) and number."""

    kind: str
    index: int = 0

    def __str__(self) -> str:
        return self.kind if self.kind in ("cpu", "meta") else f"{self.kind}:{self.index}"


CPU = Device("cpu")
# The default stream where protocols write it as a number, as 0 is ambiguous there.
_DEFAULT_STREAM = 1
# Numbers of DLDeviceType (dlpack.h). Pinned host memory is read by the processor as any other.
_DLPACK_KINDS = {1: "cpu", 2: "cuda", 3: "cpu", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 12: "ext_dev",
                 13: "cuda", 14: "oneapi"}  # fmt: skip


def from_dlpack_numbers(kind: int, index: int) -> Device:
    """The device that ``__dlpack_device__`` names."""
    name = _DLPACK_KINDS.get(int(kind), f"dlpack-{int(kind)}")
    return CPU if name == "cpu" else Device(name, int(index))


def is_torch(value: Any) -> bool:
    """True for tensors of torch."""
    return hasattr(value, "data_ptr") and hasattr(value, "stride") and hasattr(value, "device")


def of_torch(value: Any) -> Device:
    """The device of a tensor of torch."""
    device = value.device
    return CPU if device.type == "cpu" else Device(device.type, device.index or 0)


def current_stream(device: Device, values: Iterable[Any]) -> int:
    """The handle of the stream on which a framework would launch now.

    That of torch on the tensors' device where one of them is torch's, the stream that an array names
    (``__cuda_array_interface__``), else the default stream.
    """
    named = 0
    for value in values:
        if is_torch(value):
            return int(sys.modules["torch"].cuda.current_stream(device.index).cuda_stream)
        interface = getattr(value, "__cuda_array_interface__", None)
        if interface is not None and interface.get("stream"):
            named = named or int(interface["stream"])
    return 0 if named == _DEFAULT_STREAM else named


def dlpack_stream(stream: int) -> int:
    """A handle as ``__dlpack__(stream=...)`` and ``__cuda_array_interface__`` write it."""
    return stream or _DEFAULT_STREAM


# Kinds of devices on which the code of a kind of target runs.
_RUNS_ON = {"cpu": "cpu", "cuda": "cuda", "ascend": "npu"}


def common(places: Iterable[tuple[str, Device]], target: str) -> Device:
    """The device of all tensors of a call, (name, device) each; raises unless it is one, where the target's code runs.

    Without tensors it is the current device of that kind.
    """
    runs_on = _RUNS_ON[target.split(":")[0]]
    first: tuple[str, Device] | None = None
    for name, device in places:
        if device.kind != runs_on:
            what = "the cpu" if runs_on == "cpu" else f"a {runs_on} device ({target}); 'emulate' runs it on the cpu"
            raise KernelError(f"argument '{name}' is on device '{device}', the kernel runs on {what}")
        if first is not None and device != first[1]:
            raise KernelError(f"arguments '{first[0]}' and '{name}' are on different devices, {first[1]} and {device}")
        first = first or (name, device)
    if first is not None:
        return first[1]
    if runs_on != "cuda":
        return Device(runs_on)
    from tilepipe.runtime import cuda

    return Device("cuda", cuda.driver().current_device())
