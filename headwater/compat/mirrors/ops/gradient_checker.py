"""tensorflow.python.ops.gradient_checker: the steps of `tf.test.compute_gradient`."""

from __future__ import annotations

from headwater.testing import gradient_checker

_compute_dx_and_dy = gradient_checker.dx_and_dy
_compute_gradient = gradient_checker.both_jacobians
_compute_numeric_jacobian = gradient_checker.numeric_jacobian
_compute_theoretical_jacobian = gradient_checker.theoretical_jacobian
