"""tensorflow.contrib.bayesflow.python.ops.monte_carlo_impl."""

from __future__ import annotations

from headwater.contrib.bayesflow.monte_carlo import (
    expectation,
    expectation_importance_sampler,
    expectation_importance_sampler_logspace,
)
from headwater.contrib.bayesflow.monte_carlo import get_samples as _get_samples

__all__ = [
    "_get_samples",
    "expectation",
    "expectation_importance_sampler",
    "expectation_importance_sampler_logspace",
]
