"""A mixture of experts: each block gathers the tokens of one expert and adds what it says, weighted."""

import numpy as np
import tilepipe
import tilepipe.language as T


@tilepipe.jit(target="cpu")
def gemm_moe(tokens, slots, experts, N, K, num_stages=2, block=16):
    """``order`` holds a token for each slot (-1: none); the slots of one block have one expert."""

    @T.prim_func
    def kernel(
        X: T.Tensor((tokens, K), "float32"),
        W: T.Tensor((experts, N, K), "float32"),
        order: T.Tensor((slots,), "int32"),
        weight: T.Tensor((slots,), "float32"),
        expert: T.Tensor((slots // block,), "int32"),
        Y: T.Tensor((tokens, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), slots // block, threads=128) as (bx, by):
            x, w = T.alloc_shared((block, block), "float32"), T.alloc_shared((block, block), "float32")
            y = T.alloc_fragment((block, block), "float32")
            e = expert[by]
            T.clear(y)
            for ko in T.Pipelined(T.ceildiv(K, block), num_stages=num_stages):
                for i, j in T.Parallel(block, block):
                    token = order[by * block + i]
                    x[i, j] = T.if_then_else(token >= 0 and ko * block + j < K, X[token, ko * block + j], 0.0)
                T.copy(W[e, bx * block, ko * block], w)
                T.gemm(x, w, y, transpose_B=True)
            for i, j in T.Parallel(block, block):
                token = order[by * block + i]
                if token >= 0 and bx * block + j < N:
                    T.atomic_add(Y[token, bx * block + j], y[i, j] * weight[by * block + i])

    return kernel


def plan(choice, experts, block=16):
    """Slots sorted by expert, each expert filled up to whole blocks."""
    order, expert = [], []
    for e in range(experts):
        mine = [t for t, row in enumerate(choice) if e in row]
        mine += [-1] * (-len(mine) % block)
        order += mine
        expert += [e] * (len(mine) // block)
    return np.array(order, np.int32), np.array(expert, np.int32)


def check(num_stages):
    rng = np.random.default_rng(9)
    tokens, experts, n, k = 30, 3, 20, 35
    x = rng.standard_normal((tokens, k)).astype(np.float32)
    w = rng.standard_normal((experts, n, k)).astype(np.float32)
    gates = rng.random((tokens, experts)).astype(np.float32)
    choice = np.argsort(gates, 1)[:, 1:]  # the two best of three
    order, expert = plan(choice, experts)
    weight = gates[order, np.repeat(expert, 16)]
    want = sum(gates[:, e, None] * (e == choice).any(1)[:, None] * (x @ w[e].T) for e in range(experts))
    dynamic = gemm_moe(T.dynamic("t"), len(order), experts, T.dynamic("n"), T.dynamic("k"), num_stages)
    for kernel in (gemm_moe(tokens, len(order), experts, n, k, num_stages), dynamic):
        y = np.zeros((tokens, n), np.float32)
        kernel(x, w, order, weight, expert, y)
        np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)
    return [dynamic]


if __name__ == "__main__":
    for num_stages in (0, 2, 3):
        check(num_stages)
    print("ok")
