"""From a Python kernel to `tile` IR: an interpreter of its syntax tree.

The kernel is *staged*: Python values (sizes, flags, lists of stages) are computed while the tree is
walked; values of the kernel (`Expr`), buffers and loops become operations. Every operation carries the
location of the user's source.
"""

from tilepipe.frontend.errors import KernelError
from tilepipe.frontend.prim_func import PrimFunc, prim_func

__all__ = ["KernelError", "PrimFunc", "prim_func"]
