"""Forward-mode derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.graph import Tensor, gradients
from headwater.ops.array.fill import zeros_like


def fwd_gradients(
    ys: list[Tensor],
    xs: list[Tensor],
    grad_xs: Sequence[Tensor] | None = None,
    assert_unused: bool = False,
) -> list[Any]:
    """Derivatives of `ys` along a change of `xs`: Jacobian-vector products.

    Args:
        ys: a tensor or a list of tensors.
        xs: a tensor or a list of tensors.
        grad_xs: the change of each of `xs`; ones if None.
        assert_unused: not used.

    Returns:
        A list with one tensor for each of `ys`.

    Source: two reverse derivatives make a forward one (J. Townsend, 2017).
    """
    ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    # The reverse-mode derivatives are linear in these, so their values do not matter.
    weights = [zeros_like(y) for y in ys]
    backward = gradients(ys, xs, grad_ys=weights)
    backward = [zeros_like(x) if g is None else g for g, x in zip(backward, xs)]
    return gradients(backward, weights, grad_ys=grad_xs)
