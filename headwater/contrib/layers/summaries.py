"""Summaries of tensors, activations and collections."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

from headwater.base.export import export, export_value
from headwater.graph import Tensor
from headwater.graph.constant_value import constant_value
from headwater.graph.default_graph import get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.math.cast import cast, to_float
from headwater.ops.math.comparison import greater, less
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.scalar import scalar


def assert_summary_tag_unique(tag: str) -> None:
    """Checks that no summary of the graph has a tag.

    Args:
        tag: the tag.

    Raises:
        ValueError: if there is one.
    """
    for summary in get_collection(GraphKeys.SUMMARIES):
        old_tag = constant_value(summary.op.inputs[0])
        if old_tag is not None and old_tag.item() == tag.encode():
            raise ValueError(
                f"Conflict with summary tag: {tag} exists on summary {summary} {old_tag}"
            )


@export("contrib.layers.summarize_tensor", "contrib.slim.summarize_tensor")
def summarize_tensor(tensor: Tensor, tag: str | None = None) -> Tensor:
    """Makes a scalar summary of a scalar, and a histogram of any other tensor.

    Args:
        tensor: a tensor.
        tag: the tag; the name of the tensor with "_summary" if None.

    Returns:
        The serialized summary, a string tensor.
    """
    tag = tag or f"{tensor.op.name}_summary"
    return scalar(tag, tensor) if tensor.get_shape().ndims == 0 else histogram(tag, tensor)


def _summarize_part(op: Tensor, compare: Callable[..., Tensor], limit: float, tag: str) -> None:
    """Summarizes the part of the inputs of an activation that is below or above a limit."""
    inputs = op.op.inputs[0]
    part = reduce_mean(to_float(compare(inputs, cast(limit, inputs.dtype))))
    scalar(f"{op.op.name}/{tag}", part)


@export("contrib.layers.summarize_activation", "contrib.slim.summarize_activation")
def summarize_activation(op: Tensor) -> Tensor:
    """Makes a histogram of an activation, and scalar summaries of how often it saturates.

    Args:
        op: the output of an activation; those of "Relu", "Relu6" and "Softplus" get a summary of
            the part of negative inputs, that of "Relu6" also of the part above 6.

    Returns:
        The serialized histogram, a string tensor.
    """
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        _summarize_part(op, less, 0.0, "zeros")
    if op.op.type == "Relu6":
        _summarize_part(op, greater, 6.0, "sixes")
    return histogram(f"{op.op.name}/activation", op)


@export("contrib.layers.summarize_tensors", "contrib.slim.summarize_tensors")
def summarize_tensors(
    tensors: Iterable[Any], summarizer: Callable[..., Any] = summarize_tensor
) -> list[Any]:
    """Summarizes several tensors.

    Args:
        tensors: the tensors.
        summarizer: the function for each of them.

    Returns:
        A list of what it returns.
    """
    return [summarizer(tensor) for tensor in tensors]


@export("contrib.layers.summarize_collection", "contrib.slim.summarize_collection")
def summarize_collection(
    collection: str,
    name_filter: str | None = None,
    summarizer: Callable[..., Any] = summarize_tensor,
) -> list[Any]:
    """Summarizes the tensors of a collection.

    Args:
        collection: the key of the collection.
        name_filter: a regular expression for the beginning of names of ops; None takes all.
        summarizer: the function for each tensor.

    Returns:
        A list of what it returns.
    """
    found = get_collection(collection)
    wanted = [t for t in found if name_filter is None or re.match(name_filter, t.op.name)]
    return summarize_tensors(wanted, summarizer)


@export("contrib.layers.summarize_activations", "contrib.slim.summarize_activations")
def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[..., Any] = summarize_activation
) -> list[Any]:
    """Summarizes the collection ACTIVATIONS.

    Args:
        name_filter: a regular expression for the beginning of names of ops; None takes all.
        summarizer: the function for each tensor.

    Returns:
        A list of what it returns.
    """
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)

for _module in ("contrib.layers", "contrib.slim"):
    export_value(f"{_module}.summarize_variables", summarize_variables)
    export_value(f"{_module}.summarize_weights", summarize_weights)
    export_value(f"{_module}.summarize_biases", summarize_biases)
