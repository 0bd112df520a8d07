"""tensorflow.python.ops.distributions.util."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headwater.graph import with_dependencies
from headwater.model.distributions.arguments import (
    assert_close,
    assert_integer_form,
    assert_symmetric,
    dimension_size,
    embed_check_categorical_event_shape,
    embed_check_integer_casting_closed,
    embed_check_nonnegative_integer_form,
    gen_new_seed,
    get_logits_and_probs,
    log_combinations,
    maybe_get_static_value,
    pick_vector,
    prefer_static_broadcast_shape,
    prefer_static_rank,
    prefer_static_shape,
    prefer_static_value,
    same_dynamic_shape,
)
from headwater.model.distributions.arguments import is_integer_like as _is_integer_like_by_dtype
from headwater.model.distributions.arguments import is_known_dtype as _is_known_dtype
from headwater.model.distributions.arguments import is_known_signed as _is_known_signed_by_dtype
from headwater.model.distributions.arguments import is_known_unsigned as _is_known_unsigned_by_dtype
from headwater.model.distributions.arguments import largest_integer as _largest_integer_by_dtype
from headwater.model.distributions.arguments import smallest_integer as _smallest_integer_by_dtype
from headwater.model.distributions.arrays import (
    fill_triangular,
    fill_triangular_inverse,
    matrix_diag_transform,
    pad,
    process_quadrature_grid_and_probs,
    reduce_weighted_logsumexp,
    rotate_transpose,
    softplus_inverse,
    tridiag,
)

__all__ = [
    "AppendDocstring",
    "_is_integer_like_by_dtype",
    "_is_known_dtype",
    "_is_known_signed_by_dtype",
    "_is_known_unsigned_by_dtype",
    "_largest_integer_by_dtype",
    "_smallest_integer_by_dtype",
    "assert_close",
    "assert_integer_form",
    "assert_symmetric",
    "dimension_size",
    "embed_check_categorical_event_shape",
    "embed_check_integer_casting_closed",
    "embed_check_nonnegative_integer_form",
    "fill_triangular",
    "fill_triangular_inverse",
    "gen_new_seed",
    "get_logits_and_probs",
    "log_combinations",
    "matrix_diag_transform",
    "maybe_get_static_value",
    "pad",
    "parent_frame_arguments",
    "pick_vector",
    "prefer_static_broadcast_shape",
    "prefer_static_rank",
    "prefer_static_shape",
    "prefer_static_value",
    "process_quadrature_grid_and_probs",
    "reduce_weighted_logsumexp",
    "rotate_transpose",
    "same_dynamic_shape",
    "softplus_inverse",
    "tridiag",
    "with_dependencies",
]


class AppendDocstring:
    """A decorator that adds to the documentation of a private method.

    Args:
        additional_note: a text.
        kwargs_dict: {name of a keyword: its description}.

    Raises:
        ValueError: if a description has more than one line.
    """

    def __init__(self, additional_note: str = "", kwargs_dict: Any = None) -> None:
        self._note = additional_note
        lines = []
        for name in sorted(kwargs_dict or {}):
            text = kwargs_dict[name]
            if "\n" in text:
                raise ValueError(f"Parameter description for kwarg {name} contains newlines")
            lines.append(f"*  `{name}`: {text}")
        if lines:
            self._note += "\n\n##### `kwargs`:\n\n" + "\n".join(lines)

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Gives the function the longer documentation."""
        fn.__doc__ = f"{fn.__doc__ or ''}{self._note}"
        return fn


def parent_frame_arguments() -> dict[str, Any]:
    """The arguments of the caller, by name."""
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    names, varargs, keywords, values = inspect.getargvalues(frame.f_back)
    values = dict(values)
    values.pop(varargs, None) if varargs else None
    found = dict(values.pop(keywords, {})) if keywords else {}
    found.update({name: values[name] for name in names if name != "self"})
    return found
