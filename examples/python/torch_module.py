"""A transformer block of torch whose matrix products and attention are tilepipe kernels.

    python examples/python/torch_module.py

The kernels become operators of torch (`tilepipe.torch.register`), so `torch.compile` traces through the module. The
result is compared with torch's own.
"""

import tilepipe
import tilepipe.language as T
import tilepipe.torch
import torch


def linear_kernel(block_m=32, block_n=32, block_k=32, num_stages=3):
    """Y = X @ W.T + bias for any number of rows and features."""
    M, N, K = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def linear(X: T.Tensor((M, K), "float32"), W: T.Tensor((N, K), "float32"), bias: T.Tensor((N,), "float32"),
               Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            x, w = T.alloc_shared((block_m, block_k), "float32"), T.alloc_shared((block_n, block_k), "float32")
            b, y = T.alloc_shared((block_n,), "float32"), T.alloc_fragment((block_m, block_n), "float32")
            T.copy(bias[bx * block_n], b)
            for i, j in T.Parallel(block_m, block_n):
                y[i, j] = b[j]
            for ko in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
                T.copy(X[by * block_m, ko * block_k], x)
                T.copy(W[bx * block_n, ko * block_k], w)
                T.gemm(x, w, y, transpose_B=True)
            T.copy(y, Y[by * block_m, bx * block_n])

    return tilepipe.compile(linear, out_idx=[-1])


def attention_kernel(dim, block=32, num_stages=2):
    """O = softmax(scale * Q @ K.T) @ V for each head; causal."""
    heads, length = T.dynamic("heads"), T.dynamic("length")

    @T.prim_func
    def attention(Q: T.Tensor((heads, length, dim), "float32"), K: T.Tensor((heads, length, dim), "float32"),
                  V: T.Tensor((heads, length, dim), "float32"), scale: T.float32,
                  O: T.Tensor((heads, length, dim), "float32")):
        with T.Kernel(T.ceildiv(length, block), heads, threads=128) as (bx, head):
            q, k, v = (T.alloc_shared((block, dim), "float32") for _ in range(3))
            s, p = T.alloc_fragment((block, block), "float32"), T.alloc_shared((block, block), "float32")
            o = T.alloc_fragment((block, dim), "float32")
            top, new, total, part = (T.alloc_fragment((block,), "float32") for _ in range(4))
            T.copy(Q[head, bx * block, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for ko in T.Pipelined(bx + 1, num_stages=num_stages):
                T.copy(K[head, ko * block, 0], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(block, block):
                    seen = (ko * block + j < length) & (ko * block + j <= bx * block + i)
                    s[i, j] = T.if_then_else(seen, s[i, j] * scale, -1e30)
                T.reduce_max(s, new, dim=1)
                for i in T.Parallel(block):
                    new[i] = T.max(new[i], top[i])
                    total[i] = total[i] * T.exp(top[i] - new[i])
                for i, j in T.Parallel(block, dim):
                    o[i, j] = o[i, j] * T.exp(top[i] - new[i])
                for i, j in T.Parallel(block, block):
                    p[i, j] = T.exp(s[i, j] - new[i])
                T.reduce_sum(p, part, dim=1)
                for i in T.Parallel(block):
                    total[i] = total[i] + part[i]
                    top[i] = new[i]
                T.copy(V[head, ko * block, 0], v)
                T.gemm(p, v, o)
            for i, j in T.Parallel(block, dim):
                o[i, j] = o[i, j] / total[i]
            T.copy(o, O[head, bx * block, 0])

    return tilepipe.compile(attention, out_idx=[-1])


HEAD_DIM = 16
linear = tilepipe.torch.register(linear_kernel(), "tilepipe_example::linear")
attention = tilepipe.torch.register(attention_kernel(HEAD_DIM), "tilepipe_example::attention")


class Block(torch.nn.Module):
    """Self-attention with a residual connection, for inference."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.heads = features // HEAD_DIM
        self.qkv = torch.nn.Linear(features, 3 * features)
        self.out = torch.nn.Linear(features, features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x`` has one row for each token."""
        qkv = linear(x, self.qkv.weight, self.qkv.bias)
        q, k, v = qkv.view(len(x), 3, self.heads, HEAD_DIM).permute(1, 2, 0, 3)
        o = attention(q, k, v, HEAD_DIM**-0.5)
        return x + linear(o.transpose(0, 1).reshape(len(x), -1), self.out.weight, self.out.bias)

    def reference(self, x: torch.Tensor) -> torch.Tensor:
        """The same with torch's operators."""
        q, k, v = self.qkv(x).view(len(x), 3, self.heads, HEAD_DIM).permute(1, 2, 0, 3)
        o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(o.transpose(0, 1).reshape(len(x), -1))


@torch.no_grad()
def main(backend: str = "inductor") -> None:
    torch.manual_seed(0)
    block = Block(64).eval()
    compiled = torch.compile(block, fullgraph=True, backend=backend)
    for tokens in (1, 32, 77):
        x = torch.randn(tokens, 64)
        expected = block.reference(x)
        torch.testing.assert_close(block(x), expected, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(compiled(x), expected, atol=1e-4, rtol=1e-4)
        print(f"{tokens} tokens: as torch, eager and under torch.compile")


if __name__ == "__main__":
    main()
