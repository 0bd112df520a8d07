"""tensorflow.python.ops.gradient_checker_v2."""

from headwater.testing.gradient_checker_v2 import compute_gradient, max_error

__all__ = ["compute_gradient", "max_error"]
