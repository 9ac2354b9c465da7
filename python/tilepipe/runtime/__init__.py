"""Running compiled kernels on tensors of the caller."""
