"""tensorflow.contrib.integrate.python.ops.odes."""

from __future__ import annotations

from headwater.contrib.integrate.odes import assert_increasing as _assert_increasing
from headwater.contrib.integrate.odes import check_input_types as _check_input_types
from headwater.contrib.integrate.odes import dopri5 as _dopri5
from headwater.contrib.integrate.odes import odeint, odeint_fixed
from headwater.contrib.integrate.odes import optimal_step_size as _optimal_step_size
from headwater.contrib.integrate.runge_kutta import interp_evaluate as _interp_evaluate
from headwater.contrib.integrate.runge_kutta import interp_fit as _interp_fit
from headwater.contrib.integrate.runge_kutta import runge_kutta_step as _runge_kutta_step

__all__ = [
    "_assert_increasing",
    "_check_input_types",
    "_dopri5",
    "_interp_evaluate",
    "_interp_fit",
    "_optimal_step_size",
    "_runge_kutta_step",
    "odeint",
    "odeint_fixed",
]
