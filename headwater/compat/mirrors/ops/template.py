"""tensorflow.python.ops.template: what is not public of it."""

from __future__ import annotations

from headwater.model.template import Template

__all__ = ["Template", "_skip_common_stack_elements"]


def _skip_common_stack_elements(stacktrace: list[str], base_case: list[str]) -> list[str]:
    """Returns the end of a stack from the first element that another stack does not share."""
    for i, (element, other) in enumerate(zip(stacktrace, base_case)):
        if element != other:
            return stacktrace[i:]
    return stacktrace[-1:]
