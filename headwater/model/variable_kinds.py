"""Which kind of variable `tf.Variable` makes."""

from __future__ import annotations

from typing import Any

from headwater.model.ref_variable import RefVariable
from headwater.model.variables import _make


def make_variable(use_resource: bool | None = None, **kwargs: Any) -> Any:
    """Makes a variable of the kind that is asked for."""
    return RefVariable(**kwargs)


_make[:] = [make_variable]
