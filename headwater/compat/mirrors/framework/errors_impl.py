"""tensorflow.python.framework.errors_impl: what has no public name."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

from headwater.base import errors


def _make_specific_exception(node_def: Any, op: Any, message: Any, error_code: int) -> Any:
    """Returns the error of a status code; one without a class gives a warning."""
    with contextlib.suppress(KeyError):
        kind: Any = errors.exception_type_from_error_code(error_code)
        return kind(node_def, op, message)
    warnings.warn(f"Unknown error code: {error_code}", stacklevel=2)
    return errors.UnknownError(node_def, op, message, error_code)
