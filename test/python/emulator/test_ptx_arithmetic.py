"""Every lane-by-lane instruction of the PTX emulator against Python or numpy."""

import math

import numpy as np
import pytest
from ptx_text import clean, kernel

N = 64
rng = np.random.default_rng(7)
INT = {
    "u16": np.uint16, "s16": np.int16, "u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64,
    "b16": np.uint16, "b32": np.uint32, "b64": np.uint64,
}  # fmt: skip
FLOAT = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
DTYPE = {**INT, **FLOAT, "pred": np.uint32}
REGISTER = {1: "%h", 2: "%h", 4: "%r", 8: "%d"}


def integers(name: str) -> np.ndarray:
    info = np.iinfo(INT[name])
    values = rng.integers(info.min, info.max, N, dtype=INT[name], endpoint=True)
    special = [0, 1, info.min, info.max, 2, 7]
    values[: len(special)] = special
    return values


def floats(name: str) -> np.ndarray:
    values = rng.standard_normal(N).astype(FLOAT[name]) * 4
    values[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.5]
    return values


def register(name: str, index: int) -> str:
    prefix = {"f32": "%f", "f64": "%e"}.get(name, REGISTER[np.dtype(DTYPE[name]).itemsize])
    return f"{prefix}{index}"


def apply(
    mnemonic: str, result: str, sources: list[tuple[str, np.ndarray]], tail: str = ""
) -> np.ndarray:
    """Runs one instruction on 64 lanes."""
    body, size = [], np.dtype(DTYPE[result]).itemsize
    for i, (name, values) in enumerate(sources):
        width = values.dtype.itemsize
        body.append(
            f"mad.wide.u32 %d10, %r0, {width}, %d{i}; ld.global.b{8 * width} {register(name, 20 + i)}, [%d10];"
        )
    operands = [register(name, 20 + i) for i, (name, _) in enumerate(sources)]
    to = register(result, 30)
    body.append(f"{mnemonic} {', '.join([to, *operands])}{tail};")
    body.append(
        f"mad.wide.u32 %d10, %r0, {size}, %d{len(sources)}; st.global.b{8 * size} [%d10], {to};"
    )
    out = np.zeros(N, DTYPE[result])
    clean(
        kernel("\n".join(body), len(sources) + 1),
        *(np.ascontiguousarray(v) for _, v in sources),
        out,
        block=N,
    )
    return out


def wrap(value: int, name: str) -> int:
    bits = 8 * np.dtype(INT[name]).itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if name[0] == "s" and value >> (bits - 1) else value


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul.lo": lambda a, b: a * b,
    "div": lambda a, b: quotient(a, b) if b else -1,
    "rem": lambda a, b: a - quotient(a, b) * b if b else a,
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("name", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_integer_arithmetic(name):
    a, b = integers(name), integers(name)[::-1].copy()
    bits = 8 * a.dtype.itemsize
    for op, formula in BINARY.items():
        expected = [wrap(formula(int(x), int(y)), name) for x, y in zip(a, b, strict=False)]
        assert apply(f"{op}.{name}", name, [(name, a), (name, b)]).tolist() == expected, op
    expected = [wrap(int(x) * int(y) >> bits, name) for x, y in zip(a, b, strict=False)]
    assert apply(f"mul.hi.{name}", name, [(name, a), (name, b)]).tolist() == expected
    c = integers(name)
    three = list(zip(map(int, a), map(int, b), map(int, c), strict=False))
    assert apply(f"mad.lo.{name}", name, [(name, a), (name, b), (name, c)]).tolist() == [
        wrap(x * y + z, name) for x, y, z in three
    ]
    assert apply(f"mad.hi.{name}", name, [(name, a), (name, b), (name, c)]).tolist() == [
        wrap((x * y >> bits) + z, name) for x, y, z in three
    ]
    assert apply(f"sad.{name}", name, [(name, a), (name, b), (name, c)]).tolist() == [
        wrap(z + abs(x - y), name) for x, y, z in three
    ]
    if name[0] == "s":
        assert apply(f"neg.{name}", name, [(name, a)]).tolist() == [wrap(-int(x), name) for x in a]
        assert apply(f"abs.{name}", name, [(name, a)]).tolist() == [
            wrap(abs(int(x)), name) for x in a
        ]


@pytest.mark.parametrize(
    ("name", "wide"), [("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")]
)
def test_wide_products(name, wide):
    a, b, c = integers(name), integers(name)[::-1].copy(), integers(wide)
    assert apply(f"mul.wide.{name}", wide, [(name, a), (name, b)]).tolist() == [
        int(x) * int(y) for x, y in zip(a, b, strict=False)
    ]
    expected = [wrap(int(x) * int(y) + int(z), wide) for x, y, z in zip(a, b, c, strict=False)]
    assert apply(f"mad.wide.{name}", wide, [(name, a), (name, b), (wide, c)]).tolist() == expected


def test_products_of_24_bits_and_dot_products():
    a, b, c = integers("s32"), integers("s32")[::-1].copy(), integers("s32")
    low = [(wrap(int(x) << 8, "s32") >> 8, wrap(int(y) << 8, "s32") >> 8) for x, y in zip(a, b, strict=False)]
    assert apply("mul24.lo.s32", "s32", [("s32", a), ("s32", b)]).tolist() == [
        wrap(x * y, "s32") for x, y in low
    ]
    assert apply("mul24.hi.s32", "s32", [("s32", a), ("s32", b)]).tolist() == [
        wrap(x * y >> 16, "s32") for x, y in low
    ]
    expected = c.astype(np.int64) + (
        a.view(np.int8).reshape(N, 4).astype(np.int64) * b.view(np.int8).reshape(N, 4)
    ).sum(1)
    assert apply("dp4a.s32.s32", "s32", [("s32", a), ("s32", b), ("s32", c)]).tolist() == [
        wrap(int(x), "s32") for x in expected
    ]


def test_saturating_addition():
    a, b = integers("s32"), integers("s32")[::-1].copy()
    exact = a.astype(np.int64) + b
    assert (
        apply("add.sat.s32", "s32", [("s32", a), ("s32", b)]) == exact.clip(-(2**31), 2**31 - 1)
    ).all()


@pytest.mark.parametrize("name", ["b16", "b32", "b64"])
def test_logic_and_shifts(name):
    a, b = integers(name), integers(name)[::-1].copy()
    n = rng.integers(0, 70, N, dtype=np.uint32)
    bits = 8 * a.dtype.itemsize
    assert (apply(f"and.{name}", name, [(name, a), (name, b)]) == a & b).all()
    assert (apply(f"or.{name}", name, [(name, a), (name, b)]) == a | b).all()
    assert (apply(f"xor.{name}", name, [(name, a), (name, b)]) == a ^ b).all()
    assert (apply(f"not.{name}", name, [(name, a)]) == ~a).all()
    assert apply(f"cnot.{name}", name, [(name, a)]).tolist() == [int(x == 0) for x in a]
    assert apply(f"shl.{name}", name, [(name, a), ("u32", n)]).tolist() == [
        wrap(int(x) << int(k), name) for x, k in zip(a, n, strict=False)
    ]
    unsigned, signed = "u" + name[1:], "s" + name[1:]
    assert apply(f"shr.{unsigned}", unsigned, [(unsigned, a), ("u32", n)]).tolist() == [
        int(x) >> int(k) for x, k in zip(a, n, strict=False)
    ]
    s = a.view(INT[signed])
    assert apply(f"shr.{signed}", signed, [(signed, s), ("u32", n)]).tolist() == [
        int(x) >> min(int(k), bits) for x, k in zip(s, n, strict=False)
    ]


@pytest.mark.parametrize("name", ["u32", "s32", "u64", "s64"])
def test_bit_fields(name):
    a, bits = integers(name), 8 * np.dtype(INT[name]).itemsize
    at, count = (
        rng.integers(0, bits + 4, N, dtype=np.uint32),
        rng.integers(0, bits + 4, N, dtype=np.uint32),
    )
    count[:4] = [0, bits, 1, 255]

    def extract(x: int, pos: int, length: int) -> int:
        # The definition in the PTX ISA, "bfe", bit by bit.
        msb = bits - 1
        sign = 0 if name[0] == "u" or length == 0 else x >> min(pos + length - 1, msb) & 1
        value = sum(
            (x >> (pos + i) & 1 if i < length and pos + i <= msb else sign) << i
            for i in range(bits)
        )
        return wrap(value, name)

    expected = [extract(int(x), int(p), int(c)) for x, p, c in zip(a, at, count, strict=False)]
    assert apply(f"bfe.{name}", name, [(name, a), ("u32", at), ("u32", count)]).tolist() == expected

    b = integers(name)
    if name[0] == "u":

        def insert(x: int, y: int, pos: int, length: int) -> int:
            for i in range(length):
                if pos + i < bits:
                    y = y & ~(1 << (pos + i)) | (x >> i & 1) << (pos + i)
            return y

        untyped = "b" + name[1:]
        expected = [insert(int(x), int(y), int(p), int(c)) for x, y, p, c in zip(a, b, at, count, strict=False)]
        assert (
            apply(
                f"bfi.{untyped}", name, [(name, a), (name, b), ("u32", at), ("u32", count)]
            ).tolist()
            == expected
        )
        assert apply(f"clz.{untyped}", "u32", [(name, a)]).tolist() == [
            bits - int(x).bit_length() for x in a
        ]
        assert apply(f"popc.{untyped}", "u32", [(name, a)]).tolist() == [
            bin(int(x)).count("1") for x in a
        ]
        assert apply(f"brev.{untyped}", name, [(name, a)]).tolist() == [
            int(f"{int(x):0{bits}b}"[::-1], 2) for x in a
        ]
    magnitude = [int(x) if x >= 0 else ~int(x) for x in a]
    assert apply(f"bfind.{name}", "u32", [(name, a)]).tolist() == [
        x.bit_length() - 1 if x else 2**32 - 1 for x in magnitude
    ]


def test_permutations_of_bits_and_bytes():
    a, b, c = integers("u32"), integers("u32"), integers("u32")
    sources = [("b32", a), ("b32", b), ("b32", c)]
    assert (apply("lop3.b32", "b32", sources, ", 0xE8") == (a & b | b & c | a & c)).all()
    assert (apply("lop3.b32", "b32", sources, ", 0x96") == a ^ b ^ c).all()

    def permute(x: int, y: int, select: int) -> int:
        data, result = (y << 32 | x).to_bytes(8, "little"), 0
        for i in range(4):
            nibble = select >> 4 * i & 15
            byte = data[nibble & 7]
            result |= (byte if nibble < 8 else 255 * (byte >> 7)) << 8 * i
        return result

    assert apply("prmt.b32", "b32", sources).tolist() == [
        permute(int(x), int(y), int(s)) for x, y, s in zip(a, b, c, strict=False)
    ]
    n = rng.integers(0, 40, N, dtype=np.uint32)
    both = [int(y) << 32 | int(x) for x, y in zip(a, b, strict=False)]
    sources[2] = ("u32", n)
    assert apply("shf.l.wrap.b32", "b32", sources).tolist() == [
        (x << (int(k) & 31) >> 32) & 0xFFFFFFFF for x, k in zip(both, n, strict=False)
    ]
    assert apply("shf.r.clamp.b32", "b32", sources).tolist() == [
        x >> min(int(k), 32) & 0xFFFFFFFF for x, k in zip(both, n, strict=False)
    ]


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)).all())


@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_floating_point(name):
    a, b, c = floats(name), floats(name)[::-1].copy(), floats(name)
    two = [(name, a), (name, b)]
    suffix = f"rn.{name}" if name != "f16" else name
    with np.errstate(all="ignore"):
        assert same(apply(f"add.{suffix}", name, two), a + b)
        assert same(apply(f"sub.{suffix}", name, two), a - b)
        assert same(apply(f"mul.{suffix}", name, two), a * b)
        assert same(apply(f"min.{name}", name, two), np.fmin(a, b))
        assert same(apply(f"max.{name}", name, two), np.fmax(a, b))
        wide = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
        if name != "f64":
            assert same(apply(f"fma.rn.{name}", name, [*two, (name, c)]), wide.astype(FLOAT[name]))
            assert same(apply(f"max.NaN.{name}", name, two), np.maximum(a, b))
        if name != "f16":
            assert same(apply(f"div.rn.{name}", name, two), a / b)
            assert same(apply(f"sqrt.rn.{name}", name, [(name, a)]), np.sqrt(a))
            assert same(apply(f"copysign.{name}", name, two), np.copysign(b, a))
    assert same(apply(f"neg.{name}", name, [(name, a)]), -a)
    assert same(apply(f"abs.{name}", name, [(name, a)]), abs(a))


def bf16(values: np.ndarray) -> np.ndarray:
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def test_pairs_and_bf16():
    a, b, c = (rng.standard_normal(2 * N).astype(np.float16) for _ in range(3))
    packed = [("b32", x.view(np.uint32)) for x in (a, b, c)]
    assert (apply("add.f16x2", "b32", packed[:2]).view(np.float16) == a + b).all()
    assert (apply("mul.f16x2", "b32", packed[:2]).view(np.float16) == a * b).all()
    assert (apply("max.f16x2", "b32", packed[:2]).view(np.float16) == np.maximum(a, b)).all()
    fma = (a.astype(np.float64) * b + c).astype(np.float16)
    assert (apply("fma.rn.f16x2", "b32", packed).view(np.float16) == fma).all()
    assert (apply("fma.rn.relu.f16x2", "b32", packed).view(np.float16) == np.maximum(fma, 0)).all()
    assert (apply("neg.f16x2", "b32", packed[:1]).view(np.float16) == -a).all()
    x, y, z = (bf16(rng.standard_normal(N)) for _ in range(3))
    exact = from_bf16(x).astype(np.float64) * from_bf16(y) + from_bf16(z)
    assert (
        apply("fma.rn.bf16", "b16", [("b16", x), ("b16", y), ("b16", z)])
        == bf16(exact.astype(np.float32))
    ).all()
    assert (
        apply("max.bf16", "b16", [("b16", x), ("b16", y)])
        == bf16(np.maximum(from_bf16(x), from_bf16(y)))
    ).all()


def test_subnormal_numbers_are_flushed_on_request():
    a, one = np.full(N, 1e-39, np.float32), np.ones(N, np.float32)
    for op, other in (("mul", one), ("add", one * 0), ("max", one * -1)):
        assert (apply(f"{op}.f32", "f32", [("f32", a), ("f32", other)]) == a).all()
        assert (apply(f"{op}.ftz.f32", "f32", [("f32", a), ("f32", other)]) == 0).all()
    assert (apply("fma.rn.ftz.f32", "f32", [("f32", a), ("f32", one), ("f32", one * 0)]) == 0).all()
    assert (apply("add.sat.f32", "f32", [("f32", one), ("f32", one)]) == 1).all()


FUNCTIONS = {
    "rcp.approx": lambda x: 1 / x, "rcp.rn": lambda x: 1 / x, "sqrt.approx": np.sqrt, "rsqrt.approx": lambda x: 1 / np.sqrt(x),
    "sin.approx": np.sin, "cos.approx": np.cos, "lg2.approx": np.log2, "ex2.approx": np.exp2, "tanh.approx": np.tanh,
}  # fmt: skip


@pytest.mark.parametrize("op", FUNCTIONS)
def test_functions(op):
    a = np.abs(rng.standard_normal(N)).astype(np.float32) + 0.1
    np.testing.assert_allclose(
        apply(f"{op}.f32", "f32", [("f32", a)]), FUNCTIONS[op](a.astype(np.float64)), rtol=3e-7
    )
    if "tanh" not in op and op != "rcp.rn":
        np.testing.assert_allclose(
            apply(f"{op}.ftz.f32", "f32", [("f32", a)]),
            FUNCTIONS[op](a.astype(np.float64)),
            rtol=3e-7,
        )


COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: (a < b) | (a > b), "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "equ": lambda a, b: ~((a < b) | (a > b)), "neu": lambda a, b: a != b,
    "ltu": lambda a, b: ~(a >= b), "leu": lambda a, b: ~(a > b), "gtu": lambda a, b: ~(a <= b), "geu": lambda a, b: ~(a < b),
    "num": lambda a, b: ~(np.isnan(a) | np.isnan(b)), "nan": lambda a, b: np.isnan(a) | np.isnan(b),
}  # fmt: skip


def compared(
    text: str, names: list[tuple[str, np.ndarray]], select: str = "%p1", second: str = ""
) -> np.ndarray:
    body = ["setp.eq.u32 %p4, %r0, 5; setp.ge.u32 %p5, %r0, 20;"]
    for i, (name, values) in enumerate(names):
        width = values.dtype.itemsize
        body.append(
            f"mad.wide.u32 %d10, %r0, {width}, %d{i}; ld.global.b{8 * width} {register(name, 20 + i)}, [%d10];"
        )
    a, b = (register(name, 20 + i) for i, (name, _) in enumerate(names))
    body.append(
        f"setp.{text} %p1{second}, {a}, {b}{', %p5' if text.split('.')[1] in ('and', 'or', 'xor') else ''};"
    )
    body.append(
        f"selp.b32 %r9, 1, 0, {select}; mad.wide.u32 %d10, %r0, 4, %d2; st.global.b32 [%d10], %r9;"
    )
    out = np.zeros(N, np.uint32)
    clean(kernel("\n".join(body), 3), *(v for _, v in names), out, block=N)
    return out.astype(bool)


@pytest.mark.parametrize("name", ["u16", "s16", "u32", "s32", "u64", "s64", "f16", "f32", "f64"])
def test_comparisons(name):
    a = integers(name) if name in INT else floats(name)
    b = rng.permutation(a)
    b[:8] = a[:8]
    for op, formula in list(COMPARE.items())[: 6 if name in INT else None]:
        assert (compared(f"{op}.{name}", [(name, a), (name, b)]) == formula(a, b)).all(), op


def test_comparisons_are_combined():
    a, b, late = integers("s32"), integers("s32"), np.arange(N) >= 20
    names = [("s32", a), ("s32", b)]
    assert (compared("lt.and.s32", names) == (a < b) & late).all()
    assert (compared("lt.or.s32", names) == (a < b) | late).all()
    assert (compared("lt.xor.s32", names) == (a < b) ^ late).all()
    assert (compared("lt.and.s32", names, "%p2", "|%p2") == ~(a < b) & late).all()
    assert (
        compared("lo.u32", [("u32", a.view(np.uint32)), ("u32", b.view(np.uint32))])
        == (a.view(np.uint32) < b.view(np.uint32))
    ).all()


def test_selection():
    a, b, c = integers("u32"), integers("u32"), integers("s32")
    assert (
        apply("slct.b32.s32", "b32", [("b32", a), ("b32", b), ("s32", c)]) == np.where(c >= 0, a, b)
    ).all()
    f = floats("f32")
    assert (
        apply("slct.b32.f32", "b32", [("b32", a), ("b32", b), ("f32", f)]) == np.where(f >= 0, a, b)
    ).all()
    wide = [("b64", integers("u64")), ("b64", integers("u64"))]
    assert (apply("selp.b64", "b64", wide, ", 1") == wide[0][1]).all()


def test_logic_of_predicates():
    body = """and.b32 %r1, %r0, 1; setp.ne.u32 %p1, %r1, 0; and.b32 %r1, %r0, 2; setp.ne.u32 %p2, %r1, 0;
    and.pred %p3, %p1, %p2; or.pred %p4, %p1, %p2; xor.pred %p5, %p1, %p2; not.pred %p6, %p1; mov.pred %p7, %p2; and.pred %p8, %p1, !%p2;
    selp.b32 %r2, 1, 0, %p3; selp.b32 %r3, 2, 0, %p4; selp.b32 %r4, 4, 0, %p5; selp.b32 %r5, 8, 0, %p6; selp.b32 %r6, 16, 0, %p7; selp.b32 %r7, 32, 0, %p8;
    or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4; or.b32 %r2, %r2, %r5; or.b32 %r2, %r2, %r6; or.b32 %r2, %r2, %r7;
    mad.wide.u32 %d1, %r0, 4, %d0; st.global.b32 [%d1], %r2;"""
    out = np.zeros(N, np.uint32)
    clean(kernel(body), out, block=N)
    for i, value in enumerate(out):
        a, b = i & 1, i >> 1 & 1
        assert (
            value
            == (a & b) | (a | b) << 1 | (a ^ b) << 2 | (1 - a) << 3 | b << 4 | (a & (1 - b)) << 5
        )


@pytest.mark.parametrize("source", ["u16", "s16", "u32", "s32", "u64", "s64"])
@pytest.mark.parametrize("target", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_conversions_of_integers(source, target):
    a = integers(source)
    assert apply(f"cvt.{target}.{source}", target, [(source, a)]).tolist() == [
        wrap(int(x), target) for x in a
    ]
    info = np.iinfo(INT[target])
    assert apply(f"cvt.sat.{target}.{source}", target, [(source, a)]).tolist() == [
        min(max(int(x), info.min), info.max) for x in a
    ]


@pytest.mark.parametrize("name", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_conversions_between_integers_and_floats(name):
    a, info = integers(name), np.iinfo(INT[name])
    assert (apply(f"cvt.rn.f32.{name}", "f32", [(name, a)]) == a.astype(np.float32)).all()
    assert (apply(f"cvt.rn.f64.{name}", "f64", [(name, a)]) == a.astype(np.float64)).all()
    f = (rng.standard_normal(N) * 300).astype(np.float32)
    f[:4] = [np.nan, 1e30, -1e30, 2.5]
    rounds = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
    for word, rounding in rounds.items():
        expected = [
            0 if math.isnan(x) else min(max(int(rounding(x)), info.min), info.max)
            for x in f.astype(np.float64)
        ]
        assert apply(f"cvt.{word}.{name}.f32", name, [("f32", f)]).tolist() == expected, word


def test_conversions_between_floats():
    a = (rng.standard_normal(N) * 10.0 ** rng.integers(-8, 5, N)).astype(np.float32)
    a[:5] = [0, -0.0, np.inf, np.nan, 70000]
    with np.errstate(all="ignore"):
        half = a.astype(np.float16)
    assert same(apply("cvt.rn.f16.f32", "f16", [("f32", a)]), half)
    assert same(apply("cvt.f32.f16", "f32", [("f16", half)]), half.astype(np.float32))
    assert same(apply("cvt.f64.f32", "f64", [("f32", a)]), a.astype(np.float64))
    wide = rng.standard_normal(N)
    assert (apply("cvt.rn.f32.f64", "f32", [("f64", wide)]) == wide.astype(np.float32)).all()
    down = apply("cvt.rm.f32.f64", "f32", [("f64", wide)]).astype(np.float64)
    up = apply("cvt.rp.f32.f64", "f32", [("f64", wide)]).astype(np.float64)
    toward = apply("cvt.rz.f32.f64", "f32", [("f64", wide)]).astype(np.float64)
    assert ((down < wide) & (wide < up)).all() and (toward == np.where(wide > 0, down, up)).all()
    assert (up == np.nextafter(down.astype(np.float32), np.float32(np.inf))).all()
    finite = np.where(np.isfinite(a), a, 1).astype(np.float32)
    assert (apply("cvt.rn.bf16.f32", "b16", [("f32", finite)]) == bf16(finite)).all()
    assert (apply("cvt.f32.bf16", "f32", [("b16", bf16(finite))]) == from_bf16(bf16(finite))).all()
    other = finite[::-1].copy()
    pair = (
        apply("cvt.rn.f16x2.f32", "b32", [("f32", finite), ("f32", other)])
        .view(np.float16)
        .reshape(N, 2)
    )
    with np.errstate(all="ignore"):
        assert same(pair[:, 1], finite.astype(np.float16)) and same(
            pair[:, 0], other.astype(np.float16)
        )
    pair = (
        apply("cvt.rn.bf16x2.f32", "b32", [("f32", finite), ("f32", other)])
        .view(np.uint16)
        .reshape(N, 2)
    )
    assert (pair[:, 1] == bf16(finite)).all() and (pair[:, 0] == bf16(other)).all()
    tf32 = apply("cvt.rna.tf32.f32", "b32", [("f32", finite)])
    assert (tf32 & 0x1FFF == 0).all() and (
        abs(tf32.view(np.float32) - finite) <= abs(finite) * 2.0**-11
    ).all()
    assert (apply("cvt.rni.f32.f32", "f32", [("f32", finite)]) == np.rint(finite)).all()


def test_narrow_values_are_extended():
    body = """mad.wide.u32 %d10, %r0, 1, %d0; ld.global.s8 %r1, [%d10]; ld.global.u8 %r2, [%d10]; ld.global.s8 %d11, [%d10];
    cvt.s32.s8 %r3, %r2; cvt.u16.u32 %h1, %r1; cvt.s64.s16 %d12, %h1;
    mad.wide.u32 %d10, %r0, 32, %d1; st.global.v2.b32 [%d10], {%r1, %r2}; st.global.b32 [%d10+8], %r3; st.global.v2.b64 [%d10+16], {%d11, %d12};"""
    a, out = np.arange(-32, 32, dtype=np.int8), np.zeros((N, 8), np.int32)
    clean(kernel(body, 2), a, out, block=N)
    assert (
        (out[:, 0] == a).all() and (out[:, 1] == a.view(np.uint8)).all() and (out[:, 2] == a).all()
    )
    assert (out[:, 4:].copy().view(np.int64) == a[:, None]).all()


def test_moves_pack_and_unpack():
    body = """mad.wide.u32 %d10, %r0, 8, %d0; ld.global.b64 %d11, [%d10]; mov.b64 {%r1, %r2}, %d11; mov.b32 {%h1, %h2}, %r1; mov.b32 {_, %h3}, %r2;
    mov.b32 %r3, {%h2, %h1}; mov.b64 %d12, {%r2, %r3}; mov.b64 %d13, {%h1, %h2, %h3, %h1}; mov.f32 %f1, 0f3F800000; mov.b32 %r4, %f1;
    mad.wide.u32 %d10, %r0, 24, %d1; st.global.b64 [%d10], %d12; st.global.b64 [%d10+8], %d13; st.global.b32 [%d10+16], %r4;"""
    a, out = rng.integers(0, 2**16, (N, 4), dtype=np.uint16), np.zeros((N, 12), np.uint16)
    clean(kernel(body, 2), a, out, block=N)
    assert (out[:, :4] == a[:, [2, 3, 1, 0]]).all() and (out[:, 4:8] == a[:, [0, 1, 3, 0]]).all()
    assert (out[:, 8:10].copy().view(np.float32) == 1).all()


def test_properties_of_numbers():
    a = np.array([0, 1, -np.inf, np.nan, 1e-40, np.inf, -2, 3] * 8, np.float32)
    expected = {
        "finite": np.isfinite(a), "infinite": np.isinf(a), "number": ~np.isnan(a), "notanumber": np.isnan(a),
        "normal": np.isfinite(a) & (abs(a) > 1e-38), "subnormal": (abs(a) < 1e-38) & (a != 0),
    }  # fmt: skip
    for word, answer in expected.items():
        body = f"mad.wide.u32 %d10, %r0, 4, %d0; ld.global.f32 %f1, [%d10]; testp.{word}.f32 %p1, %f1; selp.b32 %r1, 1, 0, %p1; mad.wide.u32 %d10, %r0, 4, %d1; st.global.b32 [%d10], %r1;"
        out = np.zeros(N, np.int32)
        clean(kernel(body, 2), a, out, block=N)
        assert (out == answer).all(), word
