"""Inputs of the kernels of examples/mlir, and what they must compute, in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Arguments = list[Any]


def random(shape: tuple[int, ...], seed: int, dtype: Any = np.float16) -> np.ndarray:
    """Small integers: their products and sums are exact in fp32."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def normal(shape: tuple[int, ...], seed: int, dtype: Any = np.float16) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def gemm(m: int, n: int, k: int) -> Arguments:
    return [random((m, k), 1), random((k, n), 2), np.zeros((m, n), np.float32)]


def gemm_nn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    c[:] = a.astype(np.float32) @ b.astype(np.float32)


def gemm_nt(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    gemm_nn(a, b.T, c)


def gemm_tn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    gemm_nn(a.T, b, c)


def split_k(a: np.ndarray, b: np.ndarray, c: np.ndarray, splits: int) -> None:
    c += a.astype(np.float32) @ b.astype(np.float32)


def int4(m: int, n: int, k: int) -> Arguments:
    packed = np.random.default_rng(3).integers(-128, 128, (-(-k // 2), n)).astype(np.int8)
    scale = np.random.default_rng(4).choice([0.5, 1, 2], (-(-k // 32), n)).astype(np.float16)
    return [random((m, k), 5), packed, scale, np.zeros((m, n), np.float32)]


def dequant_gemm(a: np.ndarray, packed: np.ndarray, scale: np.ndarray, c: np.ndarray) -> None:
    k = a.shape[1]
    word = packed.astype(np.uint8)
    nibbles = np.stack([word & 15, word >> 4], axis=1).reshape(-1, packed.shape[1])[:k]
    weight = (nibbles.astype(np.float32) - 8) * np.repeat(scale.astype(np.float32), 32, axis=0)[:k]
    c[:] = a.astype(np.float32) @ weight


def heads(count: int, length: int) -> Arguments:
    shape = (count, length, 64)
    return [*(normal(shape, seed) for seed in (6, 7, 8)), np.zeros(shape, np.float32)]


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, out: np.ndarray, mask: bool = False) -> None:
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / 8
    if mask:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    out[:] = weights @ v / weights.sum(axis=2, keepdims=True)


def causal(q: np.ndarray, k: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    attention(q, k, v, out, mask=True)


def matrix(rows: int, columns: int) -> Arguments:
    x = normal((rows, columns), 9, np.float32)
    return [x, normal((columns,), 10, np.float32), normal((columns,), 11, np.float32), np.zeros_like(x)]


def layer_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, y: np.ndarray) -> None:
    x = x.astype(np.float64)
    deviation = x - x.mean(axis=1, keepdims=True)
    y[:] = deviation / np.sqrt((deviation**2).mean(axis=1, keepdims=True) + 1e-5) * gamma + beta


def paged(sequences: int, pages: int) -> Arguments:
    table = np.random.default_rng(12).integers(0, 9, (sequences, pages)).astype(np.int32)
    return [normal((9, 16, 64), 13), table, np.zeros((sequences, pages * 16, 64), np.float16)]


def gather(pool: np.ndarray, table: np.ndarray, out: np.ndarray) -> None:
    out[:] = pool[table].reshape(out.shape)


def image(n: int, h: int, w: int, c: int, f: int) -> Arguments:
    return [random((n, h, w, c), 14), random((9 * c, f), 15), np.zeros((n, h, w, f), np.float32)]


def conv(x: np.ndarray, weight: np.ndarray, out: np.ndarray) -> None:
    _, h, w, c = x.shape
    padded = np.pad(x.astype(np.float32), ((0, 0), (1, 1), (1, 1), (0, 0)))
    taps = weight.astype(np.float32).reshape(3, 3, c, -1)
    out[:] = sum(padded[:, r : r + h, s : s + w] @ taps[r, s] for r in range(3) for s in range(3))


# File, reference, sizes to run, and the absolute tolerance (0: exact).
EXAMPLES: list[tuple[str, Callable[..., None], list[Arguments], float]] = [
    ("gemm", gemm_nn, [gemm(136, 40, 72), gemm(8, 200, 0), gemm(1, 1, 33)], 0),
    ("gemm_nt", gemm_nt, [[x, np.ascontiguousarray(y.T), z] for x, y, z in (gemm(70, 30, 100), gemm(64, 64, 32))], 0),
    ("gemm_tn", gemm_tn, [[np.ascontiguousarray(x.T), y, z] for x, y, z in (gemm(70, 30, 100), gemm(64, 64, 160))], 0),
    ("split_k", split_k, [[*gemm(40, 70, 300), 3], [*gemm(8, 8, 64), 5], [*gemm(64, 64, 96), 1]], 0),
    ("dequant_gemm", dequant_gemm, [int4(40, 70, 128), int4(5, 64, 32)], 0),
    ("flash_attention", attention, [heads(2, 130), heads(1, 64), heads(1, 5)], 5e-3),
    ("flash_attention_causal", causal, [heads(2, 130), heads(1, 256), heads(1, 1)], 5e-3),
    ("layer_norm", layer_norm, [matrix(11, 200), matrix(8, 64), matrix(1, 7)], 1e-4),
    ("gather", gather, [paged(3, 5), paged(1, 1), paged(2, 2)], 0),
    ("conv_im2col", conv, [image(1, 5, 70, 40, 9), image(2, 3, 3, 8, 70)], 0),
]  # fmt: skip
