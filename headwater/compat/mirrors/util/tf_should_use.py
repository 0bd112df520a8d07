"""tensorflow.python.util.tf_should_use: decorators of functions whose result has to be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def should_use_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function unchanged: unused results are not reported."""
    return fn


must_use_result_or_fatal = should_use_result
