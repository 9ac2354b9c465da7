"""Kernels on CUDA devices, against a driver of our own: devices, streams, arguments, errors (EMB-02, -03, -05, -09)."""

import ctypes
import subprocess
import sys
import threading

import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from fake_cuda import FakeCuda, FakeDLPack, FakeTensor, fake_torch
from runtime_kernels import scale_func
from tilepipe.runtime import arguments, cuda
from tilepipe.runtime.call import prepare
from tilepipe.runtime.cuda_program import CudaProgram, DeviceArray, Launch, pack, to_device
from tilepipe.runtime.devices import CPU, Device

n = T.dynamic("n")


@T.prim_func
def scale(X: T.Tensor((n,), "float32"), s: T.float32, Y: T.Tensor((n,), "float32")):
    with T.Kernel(n) as i:
        Y[i] = X[i] * s


def run_scale(driver, sizes, x, nx, s, y, ny, *workspace):
    assert nx == ny and sizes[:3] == ((nx + 127) // 128, 1, 1)
    if workspace:
        driver.array(*workspace, (1 << 18,))[:] = 1  # still there
    driver.array(y, (ny,))[:] = driver.array(x, (nx,)) * np.float32(s)


KINDS = (ctypes.c_uint64, ctypes.c_uint64, ctypes.c_float, ctypes.c_uint64, ctypes.c_uint64)


class OnCuda:
    """What a compiled kernel is, as far as its calls go."""

    def __init__(self, chip="sm_80", shared=0, workspace=0, out_idx=(2,)):
        self.func, self.name, self.params = scale, scale.name, scale.params
        self.out_idx, self.written, self.target = out_idx, frozenset({2}), f"cuda:{chip}"
        grid = lambda packed: ((packed[1].value + 127) // 128, 1, 1)  # noqa: E731
        launch = Launch("scale_kernel", 128, shared, grid, workspace)
        self.program = CudaProgram(self.name, chip, ".version 7.0", self.params, [launch])

    def __call__(self, *args):
        ordered, results = prepare(self, args, {}, self.target)
        self.program(ordered)
        return results[0] if results else None


@pytest.fixture
def driver(monkeypatch):
    fake = FakeCuda(kernels={"scale_kernel": (KINDS, run_scale)})
    monkeypatch.setattr(cuda, "_driver", cuda.Driver(fake))
    return fake


@pytest.fixture
def streams(monkeypatch, driver):
    """The current streams of a framework, by device."""
    current = {0: 70, 1: 71}
    monkeypatch.setitem(sys.modules, "torch", fake_torch(driver, current))
    return current


def tensor(driver, values, index=0):
    return FakeTensor(driver, np.asarray(values, np.float32), index)


def test_the_driver_is_not_touched_before_a_kernel_needs_it():
    code = """if True:
        import sys, numpy as np, tilepipe
        from runtime_kernels import scale_func
        tilepipe.compile(scale_func(), out_idx=[-1], target="cpu")(np.ones(40, np.float32), 2.0)
        assert "tilepipe.runtime.cuda" not in sys.modules and "torch" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True, env=_environment())


def _environment():
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_machines_without_a_driver(monkeypatch):
    monkeypatch.setattr(cuda, "_driver", None)
    monkeypatch.setattr(cuda, "_LIBRARY", "libcuda-that-is-not-there.so.1")
    assert not cuda.is_available()
    with pytest.raises(tilepipe.KernelError, match=r"with NVIDIA's driver: libcuda-that-is-not-there.so.1: cannot open"):
        cuda.driver()


# Devices ------------------------------------------------------------------------------------------------------


def test_chip_is_that_of_the_current_device(monkeypatch):
    """EMB-02: two devices with different chips."""
    fake = FakeCuda(capabilities=((8, 0), (9, 0)))
    monkeypatch.setattr(cuda, "_driver", cuda.Driver(fake))
    assert cuda.is_available() and cuda.driver().device_count() == 2
    assert cuda.chip() == "sm_80" and cuda.chip(1) == "sm_90"
    with cuda.driver().on(1):
        assert cuda.chip() == "sm_90" and cuda.driver().current_device() == 1
    assert fake.stack == []


@pytest.mark.parametrize("wanted, index, message", [
    ("sm_90", 0, "kernel 'scale' is compiled for sm_90, device 'cuda:0' is sm_80"),
    ("sm_90a", 2, "kernel 'scale' is compiled for sm_90a, device 'cuda:2' is sm_100"),
])
def test_kernels_of_another_chip(monkeypatch, streams, wanted, index, message):
    fake = FakeCuda(capabilities=((8, 0), (9, 0), (10, 0)), kernels={"scale_kernel": (KINDS, run_scale)})
    monkeypatch.setattr(cuda, "_driver", cuda.Driver(fake))
    streams[2] = 0
    with pytest.raises(tilepipe.KernelError, match=message):
        OnCuda(wanted, out_idx=())(tensor(fake, [1.0], index), 1.0, tensor(fake, [0.0], index))
    OnCuda(wanted, out_idx=())(tensor(fake, [1.0], 1), 1.0, tensor(fake, [0.0], 1))
    assert not fake.stack


def test_input_on_a_device_that_is_not_current(driver, streams):
    """EMB-03: the result, the launch and its stream are of the input's device."""
    kernel, x = OnCuda(), tensor(driver, np.arange(300), index=1)
    y = kernel(x, 3.0)
    assert y.device.index == 1
    ((name, device, stream, sizes, _),) = driver.launches
    assert (name, device, stream, sizes) == ("scale_kernel", 1, 71, (3, 1, 1, 128, 1, 1, 0))
    cuda.driver().synchronize(71)
    assert (y.array == 3 * np.arange(300)).all() and driver.stack == []


def test_tensors_on_two_devices(driver, streams):
    kernel = OnCuda(out_idx=())
    with pytest.raises(tilepipe.KernelError, match="arguments 'X' and 'Y' are on different devices, cuda:0 and cuda:1"):
        kernel(tensor(driver, [1.0]), 1.0, tensor(driver, [1.0], index=1))
    assert not driver.launches


def test_host_tensors_and_device_kernels(driver):
    with pytest.raises(tilepipe.KernelError, match=r"'X' is on device 'cpu', the kernel runs on a cuda device \(cuda:sm_80\); 'emulate'"):
        OnCuda()(np.ones(4, np.float32), 1.0)


@pytest.mark.parametrize("wrap", [lambda t: t, FakeDLPack, lambda t: _CudaArray(t)])
def test_device_tensors_and_host_kernels(driver, streams, wrap):
    kernel = tilepipe.compile(scale_func((4,)), out_idx=[-1], target="cpu")
    with pytest.raises(tilepipe.KernelError, match="argument 'X' is on device 'cuda:1', the kernel runs on the cpu"):
        kernel(wrap(tensor(driver, [1.0] * 4, index=1)), 1.0)


def test_ascend_and_other_devices():
    class Npu:
        def __dlpack_device__(self):
            return 12, 3

        def __dlpack__(self, **_):
            raise AssertionError("not asked for")

    place = arguments.devices.from_dlpack_numbers(*Npu().__dlpack_device__())
    assert str(place) == "ext_dev:3" and arguments.devices.from_dlpack_numbers(3, 5) == CPU


# Streams ------------------------------------------------------------------------------------------------------


def test_kernel_and_framework_use_one_stream(driver, streams):
    """EMB-05: what the framework has enqueued before is done when the kernel reads it."""
    x = tensor(driver, np.zeros(4))
    driver.queues[90].append(lambda: x.array.fill(5))
    streams[0] = 90
    y = OnCuda()(x, 2.0)
    assert driver.launches[0][2] == 90
    cuda.driver().synchronize(90)
    assert (y.array == 10).all()


class _CudaArray:
    """An array that names the stream it is made on."""

    def __init__(self, tensor, stream=None):
        self.tensor = tensor
        self.__cuda_array_interface__ = {
            "shape": tensor.shape, "typestr": "<f4", "data": (tensor.address, False), "version": 3, "strides": None,
            "stream": stream,
        }  # fmt: skip


def test_arrays_name_their_stream(driver):
    y = OnCuda()(_CudaArray(tensor(driver, [1.0, 2.0], index=1), stream=44), 2.0)
    assert driver.launches[0][1:3] == (1, 44) and isinstance(y, DeviceArray) and y.device == Device("cuda", 1)
    assert y.to_host().tolist() == [2, 4]


def test_arrays_of_another_stream_are_waited_for(driver, streams):
    """The framework's stream is the one; it waits for the stream that made the other array."""
    x, y = tensor(driver, np.zeros(4)), tensor(driver, np.zeros(4))
    driver.queues[44].append(lambda: x.array.fill(7))
    OnCuda(out_idx=())(_CudaArray(x, stream=44), 2.0, y)
    assert driver.launches[0][2] == 70
    cuda.driver().synchronize(70)
    assert (y.array == 14).all()


def test_dlpack_is_told_the_stream(driver, streams):
    x, y = FakeDLPack(tensor(driver, [1.0, 2.0, 3.0], index=1), offset=16), tensor(driver, np.zeros(3), index=1)
    OnCuda(out_idx=())(x, 2.0, y)
    assert x.streams == [71]
    streams[1] = 0
    OnCuda(out_idx=())(x, 2.0, y)
    assert x.streams == [71, 1]  # the default stream, as DLPack numbers it
    for stream in (71, 0):
        cuda.driver().synchronize(stream)
    assert (y.array == [2, 4, 6]).all()


def test_workspace_lives_until_the_launch_is_done(driver, streams):
    """EMB-09: taken before the launch is enqueued, given back after it in the order of the stream."""
    driver.kernels["scale_kernel"] = ((*KINDS, ctypes.c_uint64), run_scale)
    kernel, x = OnCuda(workspace=1 << 20, out_idx=()), tensor(driver, [1.0] * 8)
    y, before = tensor(driver, [0.0] * 8), len(driver.memory)
    for _ in range(50):
        for _ in range(20):
            kernel(x, 2.0, y)
        cuda.driver().synchronize(70)
    made = [name for name in driver.calls if name in ("cuMemAllocAsync", "cuLaunchKernel", "cuMemFreeAsync")]
    assert made == ["cuMemAllocAsync", "cuLaunchKernel", "cuMemFreeAsync"] * 1000
    assert (y.array == 2).all() and len(driver.memory) == before


def test_workspace_is_given_back_where_the_launch_fails(driver, streams):
    kernel, x = OnCuda(workspace=64, out_idx=()), tensor(driver, [1.0])
    y, before = tensor(driver, [1.0]), len(driver.memory)
    driver.fail["cuLaunchKernel"] = 700
    with pytest.raises(cuda.CudaError):
        kernel(x, 1.0, y)
    cuda.driver().synchronize(70)
    assert len(driver.memory) == before and driver.stack == []


# Launches -----------------------------------------------------------------------------------------------------


def test_arguments_are_packed_as_kernels_take_them():
    m = T.dynamic("m")

    @T.prim_func
    def f(A: T.Tensor((m, 8, n), "float16"), i: T.int8, x: T.bfloat16, B: T.Tensor((4,), "float32"), j: T.int64):
        with T.Kernel(1):
            T.clear(A)

    view = lambda address, shape: arguments.View(address, shape, (), "", None)  # noqa: E731
    scalars = [arguments.scalar(v, p.type, p.name) for v, p in ((-3, f.params[1]), (1.5, f.params[2]), (7, f.params[4]))]
    packed = pack(f.params, [view(4096, (5, 8, 6)), scalars[0], scalars[1], view(8192, (4,)), scalars[2]])
    assert [(ctypes.sizeof(p), p.value) for p in packed] == [
        (8, 4096), (8, 5), (8, 6), (1, -3), (2, 0x3FC0), (8, 8192), (8, 7)]  # fmt: skip
    with pytest.raises(tilepipe.KernelError, match="argument 'B' is at 0x2008, which is no multiple of 16"):
        pack(f.params, [view(4096, (5, 8, 6)), *scalars[:2], view(8200, (4,)), scalars[2]])


def test_modules_are_loaded_once_on_each_device(driver, streams):
    kernel = OnCuda(shared=100 << 10, out_idx=())

    def call(index):
        for _ in range(5):
            kernel(tensor(driver, [1.0], index), 1.0, tensor(driver, [1.0], index))

    threads = [threading.Thread(target=call, args=(i % 2,)) for i in range(2)]
    call(0)
    for thread in threads:
        thread.start()
        thread.join()
    assert sorted(driver.loaded) == [(0, b".version 7.0"), (1, b".version 7.0")]
    assert driver.attributes == [("scale_kernel", 8, 100 << 10)] * 2
    assert {sizes[6] for *_, sizes, _ in driver.launches} == {100 << 10}


def test_grids(driver, streams):
    kernel = OnCuda(out_idx=())
    kernel(tensor(driver, np.zeros(0)), 1.0, tensor(driver, np.zeros(0)))
    assert not driver.launches  # nothing to do
    kernel.program.launches = (Launch("scale_kernel", 128, 0, lambda _: (1, 70000, 1)),)
    with pytest.raises(tilepipe.KernelError, match="kernel 'scale' has 70000 blocks along y, a launch has at most 65535"):
        kernel(tensor(driver, [1.0]), 1.0, tensor(driver, [1.0]))


def test_shared_memory_of_the_device(driver, streams):
    with pytest.raises(tilepipe.KernelError, match="needs 204800 bytes of shared memory, a block on device 'cuda:0' has 166912"):
        OnCuda(shared=200 << 10)(tensor(driver, [1.0]), 1.0)


def test_errors_of_the_driver_have_name_and_description(driver, streams):
    kernel, x = OnCuda(), tensor(driver, [1.0])
    driver.log = b"ptxas application ptx input, line 3; error: unknown symbol"
    with pytest.raises(cuda.CudaError) as caught:
        kernel(x, 1.0)
    assert caught.value.code == 218 and "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (218): a PTX JIT" in str(caught.value)
    assert "line 3; error: unknown symbol" in str(caught.value) and driver.stack == []
    driver.log = b""
    driver.fail["cuLaunchKernel"] = 700
    with pytest.raises(tilepipe.KernelError, match=r"cuLaunchKernel failed: CUDA_ERROR_ILLEGAL_ADDRESS \(700\): an illegal"):
        kernel(x, 1.0)
    driver.fail = {"cuLaunchKernel": 4711}
    with pytest.raises(tilepipe.KernelError, match=r"cuLaunchKernel failed: unknown \(4711\)"):
        kernel(x, 1.0)


def test_arrays_without_a_framework(driver):
    values = np.arange(5, dtype=np.float32)
    x = to_device(values)
    assert x.device == Device("cuda", 0) and (x.to_host() == values).all()
    y = OnCuda()(x, 4.0)
    assert isinstance(y, DeviceArray) and (y.to_host() == 4 * values).all()
    with cuda.driver().on(1):
        assert to_device(values).device.index == 1
    del x, y
    cuda.driver().synchronize(0)
    assert len(driver.memory) == 0
