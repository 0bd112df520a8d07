"""tensorflow.python.ops.linalg.linear_operator_algebra."""

from __future__ import annotations

from headwater.model.linalg.algebra import (
    _ADJOINTS,
    _INVERSES,
    RegisterAdjoint,
    RegisterCholesky,
    RegisterInverse,
    RegisterMatmul,
    RegisterSolve,
    _registered_adjoint,
    _registered_cholesky,
    _registered_function,
    _registered_inverse,
    _registered_matmul,
    _registered_solve,
    adjoint,
    cholesky,
    inverse,
    matmul,
    solve,
)
from headwater.model.linalg.algebra import _CHOLESKY_ROOTS as _CHOLESKY_DECOMPS
from headwater.model.linalg.algebra import _PRODUCTS as _MATMUL
from headwater.model.linalg.algebra import _SOLUTIONS as _SOLVE

__all__ = [
    "_ADJOINTS",
    "_CHOLESKY_DECOMPS",
    "_INVERSES",
    "_MATMUL",
    "_SOLVE",
    "RegisterAdjoint",
    "RegisterCholesky",
    "RegisterInverse",
    "RegisterMatmul",
    "RegisterSolve",
    "_registered_adjoint",
    "_registered_cholesky",
    "_registered_function",
    "_registered_inverse",
    "_registered_matmul",
    "_registered_solve",
    "adjoint",
    "cholesky",
    "inverse",
    "matmul",
    "solve",
]
