"""A CUDA driver of our own: devices are host memory, streams are queues that run when someone waits for them."""

import ctypes
import types
from collections import defaultdict

import numpy as np

ERRORS = {200: ("CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"),
          201: ("CUDA_ERROR_INVALID_CONTEXT", "invalid device context"),
          218: ("CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"),
          700: ("CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered")}  # fmt: skip


def number(value):
    return (value.value if hasattr(value, "value") else value) or 0


class FakeCuda:
    """The functions of libcuda that tilepipe calls, on devices with these compute capabilities.

    ``kernels``: name -> (types of its parameters, function of their values). What is enqueued runs at
    synchronisation, stream by stream, so that what is given back too early is seen.
    """

    def __init__(self, capabilities=((8, 0), (8, 0)), kernels=None, shared=163 << 10):
        self.capabilities, self.kernels, self.shared = capabilities, kernels or {}, shared
        self.calls, self.launches, self.loaded = [], [], []
        self.stack, self.queues, self.memory = [], defaultdict(list), {}
        self.attributes, self.fail, self.log = [], {}, b""
        self.handles = {}

    def __getattr__(self, name):
        if not name.startswith("cu"):
            raise AttributeError(name)
        run = getattr(type(self), "do_" + name[2:].removesuffix("_v2"))

        def call(*args):
            self.calls.append(name)
            return self.fail.get(name) or run(self, *args) or 0

        return call

    def do_Init(self, flags): pass

    def do_DeviceGetCount(self, out): out._obj.value = len(self.capabilities)

    def do_DeviceGet(self, out, index): out._obj.value = number(index)

    def do_CtxGetDevice(self, out):
        if not self.stack:
            return 201
        out._obj.value = self.stack[-1]

    def do_DeviceGetAttribute(self, out, which, device):
        major, minor = self.capabilities[number(device)]
        out._obj.value = {75: major, 76: minor, 97: self.shared}[number(which)]

    def do_PointerGetAttribute(self, out, which, pointer):
        assert number(which) == 9
        owner = next(d for start, (d, block) in self.memory.items() if start <= number(pointer) < start + len(block))
        out._obj.value = owner

    def do_DevicePrimaryCtxRetain(self, out, device): out._obj.value = 1000 + number(device)

    def do_CtxPushCurrent(self, context): self.stack.append(number(context) - 1000)

    def do_CtxPopCurrent(self, out): self.stack.pop()

    def do_ModuleLoadDataEx(self, out, code, count, options, values):
        self.loaded.append((self.stack[-1], code.value))
        if self.log:
            ctypes.memmove(values[0], self.log, len(self.log))
            return 218
        out._obj.value = self.handle(("module", self.stack[-1]))

    def do_ModuleGetFunction(self, out, module, name):
        out._obj.value = self.handle((name.value.decode(), self.stack[-1]))

    def do_FuncSetAttribute(self, function, which, value):
        self.attributes.append((self.handles[number(function)][0], number(which), number(value)))

    def handle(self, thing):
        self.handles[len(self.handles) + 1] = thing
        return len(self.handles)

    def do_LaunchKernel(self, function, *rest):
        *sizes, stream, parameters, extra = rest
        assert extra.value is None
        (name, device), numbers = self.handles[number(function)], tuple(map(number, sizes))
        assert device == self.stack[-1], "launched while another device is current"
        kinds, run = self.kernels[name]
        values = [ctypes.cast(parameters[i], ctypes.POINTER(kind))[0] for i, kind in enumerate(kinds)]
        self.launches.append((name, device, number(stream), numbers, values))
        self.queues[number(stream)].append(lambda: run(self, numbers, *values))

    def new(self, device, size):
        block = ctypes.create_string_buffer(size + 256)
        start = ctypes.addressof(block) + -ctypes.addressof(block) % 256
        self.memory[start] = (device, block)
        return start

    def do_MemAllocAsync(self, out, size, stream): out._obj.value = self.new(self.stack[-1], number(size))

    def do_MemFreeAsync(self, address, stream):
        self.queues[number(stream)].append(lambda: self.memory.pop(number(address)))

    def do_MemcpyHtoDAsync(self, target, source, size, stream):
        self.queues[number(stream)].append(lambda: ctypes.memmove(number(target), number(source), number(size)))

    def do_MemcpyDtoHAsync(self, target, source, size, stream):
        self.queues[number(stream)].append(lambda: ctypes.memmove(number(target), number(source), number(size)))

    def do_StreamSynchronize(self, stream):
        while self.queues[number(stream)]:
            self.queues[number(stream)].pop(0)()

    def do_EventCreate(self, out, flags): out._obj.value = self.handle(["event", None])

    def do_EventRecord(self, event, stream): self.handles[number(event)][1] = number(stream)

    def do_StreamWaitEvent(self, stream, event, flags):
        other = self.handles[number(event)][1]
        self.queues[number(stream)].append(lambda: self.do_StreamSynchronize(other))

    def do_EventDestroy(self, event): pass

    def do_GetErrorName(self, code, out): return self.text(code, out, 0)

    def do_GetErrorString(self, code, out): return self.text(code, out, 1)

    def text(self, code, out, which):
        if number(code) not in ERRORS:
            return 1
        out._obj.value = ERRORS[number(code)][which].encode()

    def array(self, address, shape, dtype=np.float32):
        """The memory of a device as numpy sees it; fails where there is none, or where it was given back."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        assert any(s <= address and address + size <= s + len(b) for s, (_, b) in self.memory.items()), "no such memory"
        return np.frombuffer((ctypes.c_char * max(size, 1)).from_address(address), dtype, count=int(np.prod(shape))).reshape(shape)


class FakeTensor:
    """A tensor of a framework as torch's, on a device of the fake driver."""

    def __init__(self, driver, array, index):
        self.driver, self.shape, self.dtype = driver, array.shape, f"torch.{array.dtype}"
        self.device = types.SimpleNamespace(type="cuda", index=index)
        self.address = driver.new(index, array.nbytes)
        self.array[...] = array

    @property
    def array(self):
        return self.driver.array(self.address, self.shape, self.dtype.removeprefix("torch."))

    def data_ptr(self):
        return self.address

    def stride(self):
        return [s // self.array.itemsize for s in self.array.strides]


def fake_torch(driver, streams):
    """The part of torch that tilepipe asks; ``streams`` are the current ones, by device."""

    def empty(shape, dtype, device):
        return FakeTensor(driver, np.empty(shape, dtype), device.index)

    stream = lambda index: types.SimpleNamespace(cuda_stream=streams[index])  # noqa: E731
    return types.SimpleNamespace(empty=empty, float32="float32", cuda=types.SimpleNamespace(current_stream=stream))


class _DLTensor(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64))  # fmt: skip


class FakeDLPack:
    """A tensor on a device that is only known through DLPack."""

    def __init__(self, tensor, code=2, bits=32, offset=0):
        self.tensor, self.streams = tensor, []
        sizes = (ctypes.c_int64 * len(tensor.shape))(*tensor.shape)
        self.struct = _DLTensor(tensor.address - offset, 2, tensor.device.index, len(sizes), code, bits, 1,
                                ctypes.addressof(sizes), None, offset)  # fmt: skip
        self.kept = sizes

    def __dlpack_device__(self):
        return 2, self.struct.id

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.argtypes, new.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p), ctypes.py_object
        return new(ctypes.addressof(self.struct), b"dltensor", None)
