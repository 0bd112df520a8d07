"""tensorflow.python.ops.linalg.linear_operator_circulant: what is not public of it."""

from __future__ import annotations

from headwater.model.linalg.circulant import _BaseLinearOperatorCirculant, _to_complex

__all__ = ["_BaseLinearOperatorCirculant", "_to_complex"]
