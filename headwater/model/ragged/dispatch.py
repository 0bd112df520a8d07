"""Ragged arguments of ordinary functions: what `tf.abs`, `tf.concat`, ... do with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.dispatch import Handler, add_handler, make_dispatching
from headwater.model.ragged import axes, grouping, joining, reductions, selection
from headwater.model.ragged.conversion import is_ragged
from headwater.model.ragged.elementwise import of_one, of_two

_OF_ONE = """
abs acos acosh add_n angle as_string asin asinh atan atanh bitwise.invert cast ceil
check_numerics clip_by_value conj cos cosh decode_base64 decode_compressed digamma encode_base64
erf erfc exp expm1 floor identity imag is_finite is_inf is_nan lgamma log log1p logical_not
log_sigmoid negative ones_like real reciprocal regex_replace rint round rsqrt saturate_cast sign
sin sinh sqrt square string_join string_strip string_to_hash_bucket string_to_hash_bucket_fast
string_to_hash_bucket_strong strings.length strings.regex_full_match strings.substr string_to_number
strings.unicode_script tan zeros_like
"""
_OF_TWO = """
add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
bitwise.right_shift complex divide div_no_nan equal floordiv floormod greater greater_equal less
less_equal logical_and logical_or logical_xor maximum minimum multiply not_equal pow realdiv
squared_difference subtract truediv truncatediv truncatemod
"""
_OTHERS: dict[str, Callable[..., Any]] = {
    "batch_gather": selection.batch_gather,
    "concat": joining.concat,
    "dynamic_partition": grouping.dynamic_partition,
    "expand_dims": axes.expand_dims,
    "gather": selection.gather,
    "gather_nd": selection.gather_nd,
    "one_hot": axes.one_hot,
    "rank": axes.rank,
    "reduce_all": reductions.reduce_all,
    "reduce_any": reductions.reduce_any,
    "reduce_join": reductions.reduce_join,
    "reduce_max": reductions.reduce_max,
    "reduce_mean": reductions.reduce_mean,
    "reduce_min": reductions.reduce_min,
    "reduce_prod": reductions.reduce_prod,
    "reduce_sum": reductions.reduce_sum,
    "size": axes.size,
    "squeeze": axes.squeeze,
    "stack": joining.stack,
    "tile": joining.tile,
    "unsorted_segment_max": reductions.unsorted_segment_max,
    "unsorted_segment_mean": reductions.unsorted_segment_mean,
    "unsorted_segment_min": reductions.unsorted_segment_min,
    "unsorted_segment_prod": reductions.unsorted_segment_prod,
    "unsorted_segment_sqrt_n": reductions.unsorted_segment_sqrt_n,
    "unsorted_segment_sum": reductions.unsorted_segment_sum,
    "where": selection.where,
}


def _with_form(form: Callable[..., Any]) -> Handler:
    """A handler that passes everything on if there is a ragged argument."""

    def handle(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        for value in (*args, *kwargs.values()):
            if is_ragged(value) or (
                isinstance(value, (list, tuple)) and any(map(is_ragged, value))
            ):
                return form(*args, **kwargs)
        return NotImplemented

    return handle


_handlers: dict[str, Handler] = {
    **dict.fromkeys(_OF_ONE.split(), of_one),
    **dict.fromkeys(_OF_TWO.split(), of_two),
    **{name: _with_form(form) for name, form in _OTHERS.items()},
}
make_dispatching(_handlers)
for _name, _handler in _handlers.items():
    add_handler(_name, _handler)
