"""Loads the native module, or says what is missing."""

import atexit

try:
    from . import _native
except ImportError as error:
    missing = str(error)
    if "libMLIR" in missing or "libLLVM" in missing:
        raise ImportError(
            f"{missing}; tilepipe needs MLIR and LLVM 22.1 as shared libraries "
            "(on Debian the packages libmlir-22 and libllvm22)"
        ) from error
    raise

from ._errors import MLIRError

_native._set_error_class(MLIRError)
# The module's tables hold Python objects; they go before the interpreter does.
atexit.register(_native._clear_globals)

native = _native
