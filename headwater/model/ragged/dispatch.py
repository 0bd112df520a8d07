"""Ragged arguments of ordinary functions: what `tf.abs`, `tf.concat`, ... do with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.dispatch import Handler, add_handler
from headwater.model.ragged import axes, grouping, joining, reductions, selection
from headwater.model.ragged.conversion import is_ragged
from headwater.model.ragged.elementwise import of_one, of_two
from headwater.model.ragged_arguments import OF_ONE, OF_TWO, OTHERS

if TYPE_CHECKING:
    from headwater.graph import Tensor
    from headwater.model.ragged.tensor import RaggedTensor

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
    """A handler that forwards all arguments if one is ragged."""

    def handle(
        function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Tensor | RaggedTensor:
        for value in (*args, *kwargs.values()):
            if is_ragged(value) or (
                isinstance(value, (list, tuple)) and any(map(is_ragged, value))
            ):
                return form(*args, **kwargs)
        return NotImplemented

    return handle


_handlers: dict[str, Handler] = {
    **dict.fromkeys(OF_ONE, of_one),
    **dict.fromkeys(OF_TWO, of_two),
    **{name: _with_form(_OTHERS[name]) for name in OTHERS},
}
for _name, _handler in _handlers.items():
    add_handler(_name, _handler)
