"""Adam by a native kernel, in compiled programs: one op where XLA would compile twenty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base import native
from headwater.base.lazy import jax, jnp
from headwater.base.typing import Array

# XLA updates larger variables in several threads.
_MOST_ELEMENTS = 1 << 18


def adam(
    variables: Sequence[Array], numbers: Sequence[Array], grad: Array, use_nesterov: bool
) -> tuple[Array, ...] | None:
    """A step of Adam in a program that is traced.

    Args:
        variables: the variable and its slots m and v.
        numbers: beta1_power, beta2_power, lr, beta1, beta2 and epsilon, which are scalars.
        grad: the gradient.
        use_nesterov: whether the step is Nesterov's.

    Returns:
        The new values of the variables; None if the kernel does not take them.
    """
    arguments = [*variables, *numbers, grad]
    if any(value.dtype != np.float32 for value in arguments) or grad.size > _MOST_ELEMENTS:
        return None
    if jax.default_backend() != "cpu" or not native.is_registered(native.ADAM):
        return None
    results = [jax.ShapeDtypeStruct(grad.shape, np.float32)] * 3
    aliases = {0: 0, 1: 1, 2: 2}
    call = jax.ffi.ffi_call(native.ADAM, results, input_output_aliases=aliases)
    return tuple(call(*map(jnp.asarray, arguments), nesterov=np.bool_(use_nesterov)))
