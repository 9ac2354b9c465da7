"""Each scalar operation with each type becomes PTX, which the assembler takes where there is one."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from tilepipe import ir
from tilepipe._load import native

if not hasattr(native, "nvidia"):
    pytest.skip("built without the NVIDIA target", allow_module_level=True)

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
MATH = "exp exp2 log log2 log10 sqrt rsqrt tanh sin cos tan floor ceil trunc round roundeven log1p expm1 absf".split()
NOT_DOUBLE = "erf erfc atan asin acos cbrt".split()
BINARY_FLOAT = "addf subf mulf divf remf maximumf minimumf maxnumf minnumf".split()
BINARY_INTEGER = (
    "addi subi muli divsi divui remsi remui ceildivsi floordivsi ceildivui maxsi minsi maxui minui shli shrsi shrui"
    " andi ori xori"
).split()
ATOMIC = {
    "addf": FLOATS,
    "maximumf": FLOATS,
    "minnumf": FLOATS,
    "addi": INTEGERS,
    "maxs": ("i32", "i64"),
    "ori": ("i32",),
}


def unary(op: str, source: str, result: str) -> tuple[str, str, str]:
    return (
        f"%r = {op} %x : {source}" + (f" to {result}" if source != result else ""),
        source,
        result,
    )


def cases() -> Iterator[tuple[str, str, str]]:
    """The operation that defines %r from %x and %y, their type, and that of %r."""
    for kind in FLOATS:
        names = MATH + (NOT_DOUBLE if kind != "f64" else [])
        yield from (unary(f"math.{name}", kind, kind) for name in names)
        yield from ((f"%r = arith.{name} %x, %y : {kind}", kind, kind) for name in BINARY_FLOAT)
        yield from (
            (f"%r = math.{name} %x, %y : {kind}", kind, kind) for name in ("powf", "copysign")
        )
        yield f"%r = math.fma %x, %y, %x : {kind}", kind, kind
        for other in FLOATS:
            if BITS[kind] != BITS[other]:
                yield unary(
                    "arith.extf" if BITS[kind] < BITS[other] else "arith.truncf", kind, other
                )
        for other in INTEGERS:
            yield from (unary(f"arith.{name}", kind, other) for name in ("fptosi", "fptoui"))
            yield from (unary(f"arith.{name}", other, kind) for name in ("sitofp", "uitofp"))
        yield f"%c = math.isinf %x : {kind}\n%r = arith.select %c, %x, %y : {kind}", kind, kind
    for kind in (*INTEGERS, "i1", "index"):
        yield from ((f"%r = arith.{name} %x, %y : {kind}", kind, kind) for name in BINARY_INTEGER)
    for name, kinds in ATOMIC.items():
        for kind in kinds:
            yield (
                f"%r = memref.atomic_rmw {name} %x, %p[%c0] : ({kind}, memref<8x{kind}>) -> {kind}",
                kind,
                kind,
            )


def kernel(number: int, body: str, source: str, result: str) -> str:
    return f"""
    gpu.func @k{number}(%p: memref<8x{result}>, %x: {source}, %y: {source}) kernel {{
      %c0 = arith.constant 0 : index
      {body}
      memref.store %r, %p[%c0] : memref<8x{result}>
      gpu.return
    }}"""


def test_every_operation_becomes_ptx(tmp_path) -> None:
    kernels = [kernel(number, *case) for number, case in enumerate(cases())]
    module = ir.Module.parse(f"gpu.module @m {{{''.join(kernels)}\n}}", ir.Context())
    ptx = native.nvidia.translate(module, "sm_80", line_info=False)
    assert len(ptx.kernels) == len(kernels) > 350
    assembler = shutil.which("ptxas")
    if not assembler:
        return
    source = tmp_path / "all.ptx"
    source.write_text(ptx.text)
    run = subprocess.run(
        [assembler, "-arch=sm_80", str(source), "-o", str(tmp_path / "all.cubin")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == 0 and not run.stderr, run.stderr[:2000]
