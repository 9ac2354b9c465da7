"""The kernels of test/Emulator/CCE/Inputs with their arguments and what they must compute."""

import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np

INPUTS = pathlib.Path(__file__).resolve().parents[2] / "Emulator" / "CCE" / "Inputs"


@dataclass
class Case:
    name: str
    args: list[Any]
    result: int  # Which argument.
    expected: np.ndarray
    blocks: int = 1
    uninitialised: tuple[str, ...] = ()

    def options(self) -> dict[str, Any]:
        return {"uninitialised": self.uninitialised}


def text_of(name: str) -> str:
    return (INPUTS / f"{name}.cpp").read_text()


def _random(shape: tuple[int, ...], dtype: type = np.float16, seed: int = 0) -> np.ndarray:
    # Multiples of 1/8: sums of products are exact.
    return (np.random.default_rng(seed).integers(-8, 9, shape) / 8).astype(dtype)


def gemm_nt(tiles: int = 6) -> Case:
    a, b = _random((64, 64 * tiles)), _random((64, 64 * tiles), seed=1)
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    return Case("gemm_nt", [a, b, np.zeros((64, 64), np.float32), tiles], 2, expected, 1, ("C",))


def gemm_large(tiles: int = 3) -> Case:
    a, b = _random((128, 64 * tiles)), _random((128, 64 * tiles), seed=1)
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    return Case("gemm_large", [a, b, np.zeros((128, 128), np.float32), tiles], 2, expected, 1, ("C",))


def gemm_nn(m: int = 45, n: int = 37, k: int = 50) -> Case:
    a, b = _random((m, k)), _random((k, n), seed=1)
    expected = np.maximum(a.astype(np.float32) @ b.astype(np.float32), 0).astype(np.float16)
    return Case("gemm_nn", [a, b, np.zeros((m, n), np.float16), m, n, k], 2, expected, 1, ("C",))


def vector_add_max(tiles: int = 5) -> Case:
    a, b = _random((tiles * 1024,), np.float32), _random((tiles * 1024,), np.float32, 1)
    result = np.zeros_like(a)
    return Case("vector_add_max", [a, b, result, tiles], 2, np.maximum(a + b, a), 1, ("C",))


def mixed(tiles: int = 4) -> Case:
    a, b, x = _random((tiles, 32, 64)), _random((64, 64), seed=1), _random((32, 64), np.float32, 2)
    expected = a.astype(np.float32) @ b.astype(np.float32).T + x
    args = [a, b, np.zeros((2, 32, 64), np.float32), x, np.zeros_like(expected), tiles, 0]
    return Case("mixed", args, 4, expected, 1, ("W", "O"))


def softmax(columns: int = 301, rows: int = 3) -> Case:
    x = np.random.default_rng(0).standard_normal((rows, columns)).astype(np.float32)
    e = np.exp(x - x.max(1, keepdims=True))
    return Case("softmax", [x, np.zeros_like(x), columns], 1, e / e.sum(1, keepdims=True), rows, ("Y",))


CASES = {case.__name__: case for case in (gemm_nt, gemm_large, gemm_nn, vector_add_max, mixed, softmax)}
