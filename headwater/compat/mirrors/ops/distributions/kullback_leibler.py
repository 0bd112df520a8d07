"""tensorflow.python.ops.distributions.kullback_leibler."""

from __future__ import annotations

from headwater.model.distributions.kullback_leibler import (
    _DIVERGENCES,
    RegisterKL,
    cross_entropy,
    kl_divergence,
)
from headwater.model.distributions.kullback_leibler import registered_kl as _registered_kl

__all__ = ["_DIVERGENCES", "RegisterKL", "_registered_kl", "cross_entropy", "kl_divergence"]
