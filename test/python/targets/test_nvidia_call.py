"""A call on a device, end to end: the driver is the one of the tests, and its device is the emulator."""

import ctypes
import pathlib
import sys

import gemm
import numpy as np
import pytest
import tilepipe
import tilepipe.language as T
from tilepipe.targets import is_built

sys.path.append(str(pathlib.Path(__file__).parents[1] / "runtime"))
pytestmark = pytest.mark.skipif(not is_built("cuda"), reason="this build has no NVIDIA target")


def test_arguments_grid_and_shared_memory_are_those_of_the_code(monkeypatch):
    from fake_cuda import FakeCuda
    from tilepipe.emulator import ptx
    from tilepipe.runtime import cuda
    from tilepipe.runtime.cuda_program import DeviceArray, to_device

    func = gemm.gemm(T.dynamic("m"), 40, 48, 32, 32, 16, 3, 64)
    kernel = tilepipe.compile(func, out_idx=[-1], target="cuda:sm_80")
    module = ptx.Module(kernel.get_kernel_source())
    (name,) = module.kernels

    def run(driver, sizes, a, m, b, c, rows):
        assert rows == m
        arrays = driver.array(a, (m, 48), np.float16), driver.array(b, (40, 48), np.float16), driver.array(c, (m, 40))
        result = arrays[2].copy()
        module.launch(name, sizes[:3], sizes[3:6], sizes[6], [arrays[0], m, arrays[1], result, m]).raise_on_issues()
        arrays[2][:] = result

    u64 = ctypes.c_uint64
    fake = FakeCuda(kernels={name: ([u64] * 5, run)})
    monkeypatch.setattr(cuda, "_driver", cuda.Driver(fake))
    rng = np.random.default_rng(0)
    A, B = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((45, 48), (40, 48)))
    C = kernel(to_device(A), to_device(B))
    assert isinstance(C, DeviceArray)
    assert (C.to_host() == gemm.reference(A, B)).all()
    (launch,) = fake.launches
    assert launch[3][:3] == (2, 2, 1) and launch[3][3] == 64
    assert launch[3][6] == kernel.resources.memory["shared"].bytes > 0
