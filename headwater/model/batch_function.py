"""`tf.nondifferentiable_batch_function`: a function of the inputs of concurrent runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import nest
from headwater.graph import build, convert_to_tensor, export, name_scope
from headwater.model.autograph.calls import convert

# How long a run waits for its rows: a batch that fails does not give them.
_LONGEST_WAIT = 300_000_000


@export("nondifferentiable_batch_function", "contrib.batching.batch_function")
def batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator for a function that is computed once for several runs of a session.

    Runs in other threads that come while a batch is open add their rows to it. Gradients do not go
    through the function.

    Args:
        num_batch_threads: how many batches may be computed at the same time.
        max_batch_size: how many rows a batch has at most.
        batch_timeout_micros: how long the first run waits for others, in microseconds.
        allowed_batch_sizes: the sizes that batches are padded to, the last one `max_batch_size`.
        max_enqueued_batches: how many batches may wait.
        autograph: whether statements of Python in the function become ops.

    Returns:
        A decorator. The function takes tensors and returns a tensor or a list of tensors, whose
        first axis is that of rows.
    """

    def decorator(fn: Callable[..., Any]) -> Callable[..., Any]:
        computed = convert(fn) if autograph else fn

        def decorated(*args: Any) -> Any:
            with name_scope("batch"):
                outputs = build.Batch(
                    [convert_to_tensor(x) for x in args],
                    num_batch_threads=num_batch_threads,
                    max_batch_size=max_batch_size,
                    batch_timeout_micros=batch_timeout_micros,
                    allowed_batch_sizes=list(allowed_batch_sizes or ()),
                    max_enqueued_batches=max_enqueued_batches,
                    grad_timeout_micros=_LONGEST_WAIT,
                )
                results = computed(*outputs.batched_tensors)
                rows = [
                    build.Unbatch(
                        result,
                        batch_index=outputs.batch_index,
                        id=outputs.id,
                        timeout_micros=_LONGEST_WAIT,
                    )
                    for result in nest.flatten(results)
                ]
                return nest.pack_sequence_as(results, rows)

        return decorated

    return decorator
