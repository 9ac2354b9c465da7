"""Compiles the kernels of `first_light.py` with TileLang and nvcc: reads a name a line, answers with seconds and PTX."""

import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import tilelang
import tilelang.language as T
from tilelang.engine.lower import lower

SIZE = 1024
ROOT = pathlib.Path(tilelang.__file__).parent


def gemm(threads: int = 128):
    @T.prim_func
    def kernel(A: T.Tensor((SIZE, SIZE), "float16"), B: T.Tensor((SIZE, SIZE), "float16"), C: T.Tensor((SIZE, SIZE), "float32")):
        with T.Kernel(SIZE // 128, SIZE // 128, threads=threads) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for ko in T.Pipelined(SIZE // 32, num_stages=3):
                T.copy(A[by * 128, ko * 32], a)
                T.copy(B[ko * 32, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])

    return kernel


def bias_relu():
    @T.prim_func
    def kernel(A: T.Tensor((SIZE, SIZE), "float16"), B: T.Tensor((SIZE, SIZE), "float16"), bias: T.Tensor((SIZE,), "float32"),
               C: T.Tensor((SIZE, SIZE), "float16")):  # fmt: skip
        with T.Kernel(SIZE // 128, SIZE // 128, threads=128) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            row = T.alloc_shared((128,), "float32")
            c = T.alloc_fragment((128, 128), "float32")
            T.copy(bias[bx * 128], row)
            T.clear(c)
            for ko in T.Pipelined(SIZE // 32, num_stages=3):
                T.copy(A[by * 128, ko * 32], a)
                T.copy(B[ko * 32, bx * 128], b)
                T.gemm(a, b, c)
            for i, j in T.Parallel(128, 128):
                c[i, j] = T.max(c[i, j] + row[j], 0.0)
            T.copy(c, C[by * 128, bx * 128])

    return kernel


def vector_add():
    @T.prim_func
    def kernel(x: T.Tensor((1 << 20,), "float32"), y: T.Tensor((1 << 20,), "float32"), out: T.Tensor((1 << 20,), "float32")):
        with T.Kernel((1 << 20) // 4096, threads=128) as bx:
            a = T.alloc_shared((1024,), "float32")
            b = T.alloc_shared((1024,), "float32")
            c = T.alloc_fragment((1024,), "float32")
            for t in T.Pipelined(4, num_stages=2):
                T.copy(x[(bx * 4 + t) * 1024], a)
                T.copy(y[(bx * 4 + t) * 1024], b)
                for i in T.Parallel(1024):
                    c[i] = a[i] + b[i]
                T.copy(c, out[(bx * 4 + t) * 1024])

    return kernel


def softmax():
    @T.prim_func
    def kernel(X: T.Tensor((SIZE, SIZE), "float32"), Y: T.Tensor((SIZE, SIZE), "float32")):
        with T.Kernel(SIZE // 4, threads=128) as bx:
            x = T.alloc_shared((1, SIZE), "float32")
            y = T.alloc_fragment((1, SIZE), "float32")
            top = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for t in T.Pipelined(4, num_stages=2):
                T.copy(X[bx * 4 + t, 0], x)
                T.copy(x, y)
                T.reduce_max(y, top, dim=1)
                for i, j in T.Parallel(1, SIZE):
                    y[i, j] = T.exp(y[i, j] - top[i])
                T.reduce_sum(y, total, dim=1)
                for i, j in T.Parallel(1, SIZE):
                    y[i, j] = y[i, j] / total[i]
                T.copy(y, Y[bx * 4 + t, 0])

    return kernel


def vector_add_flat():
    @T.prim_func
    def kernel(x: T.Tensor((1 << 20,), "float32"), y: T.Tensor((1 << 20,), "float32"), out: T.Tensor((1 << 20,), "float32")):
        with T.Kernel((1 << 20) // 1024, threads=128) as bx:
            for i in T.Parallel(1024):
                out[bx * 1024 + i] = x[bx * 1024 + i] + y[bx * 1024 + i]

    return kernel


def softmax_flat():
    @T.prim_func
    def kernel(X: T.Tensor((SIZE, SIZE), "float32"), Y: T.Tensor((SIZE, SIZE), "float32")):
        with T.Kernel(SIZE, threads=128) as bx:
            y = T.alloc_fragment((1, SIZE), "float32")
            top = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0], y)
            T.reduce_max(y, top, dim=1)
            for i, j in T.Parallel(1, SIZE):
                y[i, j] = T.exp(y[i, j] - top[i])
            T.reduce_sum(y, total, dim=1)
            for i, j in T.Parallel(1, SIZE):
                y[i, j] = y[i, j] / total[i]
            T.copy(y, Y[bx, 0])

    return kernel


KERNELS = {
    "gemm": gemm, "gemm256": lambda: gemm(256), "bias_relu": bias_relu, "vector_add": vector_add, "softmax": softmax,
    "vector_add_flat": vector_add_flat, "softmax_flat": softmax_flat,
}  # fmt: skip


def nvcc(source: str) -> str:
    tool = shutil.which("nvcc") or str(next(pathlib.Path(ROOT).parent.glob("nvidia/*/bin/nvcc")))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.cu")
        path.write_text(source)
        include = [f"-I{ROOT / 'src'}", f"-I{ROOT / '3rdparty/cutlass/include'}"]
        command = [tool, "-ptx", "-arch=sm_80", "-O3", "-std=c++17", *include, str(path), "-o", str(path) + ".ptx"]
        subprocess.run(command, check=True, capture_output=True)
        return pathlib.Path(str(path) + ".ptx").read_text()


def compile_to_ptx(name: str) -> tuple[list[float], str]:
    """Seconds of this process to CUDA C++, of nvcc and what it starts to PTX, and the PTX."""
    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    start = time.process_time()
    with target:
        source = lower(KERNELS[name](), target=target, enable_device_compile=False).kernel_source
    own = time.process_time() - start
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ptx = nvcc(source)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return [own, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime], ptx


# What TileLang prints is no answer.
answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    try:
        seconds, ptx = compile_to_ptx(line.strip())
        answer = {"seconds": seconds, "ptx": ptx}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
