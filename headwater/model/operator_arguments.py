"""Functions that also take linear operators; `tf.linalg` registers handlers when it is loaded."""

from __future__ import annotations

from headwater.base.dispatch import make_dispatching

make_dispatching(
    "matmul linalg.adjoint linalg.cholesky linalg.det linalg.diag_part linalg.inv linalg.logdet "
    "linalg.solve linalg.trace".split()
)
