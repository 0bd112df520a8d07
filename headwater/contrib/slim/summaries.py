"""Summaries of tensors that take their names from the tensors, and may print their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.graph import Tensor
from headwater.graph.default_graph import add_to_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.nn.zero_fraction import zero_fraction
from headwater.ops.control.print import print_
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.image import image
from headwater.ops.summary.scalar import scalar


def _summary_name(tensor: Any, name: str | None, prefix: str | None, postfix: str = "") -> str:
    name = name or tensor.op.name
    return f"{prefix}/{name}{postfix}" if prefix else f"{name}{postfix}"


def _collected(summary: Tensor, tensor: Any, name: str, print_summary: bool) -> Tensor:
    if print_summary:
        summary = print_(summary, [tensor], name)
    add_to_collection(GraphKeys.SUMMARIES, summary)
    return summary


@export("contrib.slim.summaries.add_histogram_summary")
def add_histogram_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None
) -> Tensor:
    """Makes a summary of the distribution of a tensor.

    Args:
        tensor: a real tensor.
        name: the name of the summary; that of the op if None.
        prefix: what stands before the name with a slash, or None.

    Returns:
        A string scalar.
    """
    return histogram(_summary_name(tensor, name, prefix), tensor)


@export("contrib.slim.summaries.add_image_summary")
def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """Makes a summary of images.

    Args:
        tensor: a batch of images.
        name: as in `add_histogram_summary`, like prefix.
        print_summary: whether each evaluation prints the values.

    Returns:
        A string scalar.
    """
    name = _summary_name(tensor, name, prefix)
    return _collected(image(name, tensor, collections=()), tensor, name, print_summary)


@export("contrib.slim.summaries.add_scalar_summary")
def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """Makes a summary of a scalar.

    Args:
        tensor: a scalar.
        name: as in `add_histogram_summary`, like prefix.
        print_summary: whether each evaluation prints the value.

    Returns:
        A string scalar.
    """
    name = _summary_name(tensor, name, prefix)
    return _collected(scalar(name, tensor, collections=()), tensor, name, print_summary)


@export("contrib.slim.summaries.add_zero_fraction_summary")
def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """Makes a summary of the fraction of elements that are zero.

    Args:
        tensor: a tensor of numbers.
        name: as in `add_histogram_summary`, like prefix.
        print_summary: whether each evaluation prints the fraction.

    Returns:
        A string scalar.
    """
    name = _summary_name(tensor, name, prefix, "/Fraction_of_Zero_Values")
    fraction = zero_fraction(tensor)
    return _collected(scalar(name, fraction, collections=()), fraction, name, print_summary)


@export("contrib.slim.summaries.add_histogram_summaries")
def add_histogram_summaries(tensors: Sequence[Any], prefix: str | None = None) -> list[Tensor]:
    """Makes a summary of the distribution of each tensor.

    Args:
        tensors: a list of real tensors.
        prefix: as in `add_histogram_summary`.

    Returns:
        A list of string scalars.
    """
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


@export("contrib.slim.summaries.add_image_summaries")
def add_image_summaries(tensors: Sequence[Any], prefix: str | None = None) -> list[Tensor]:
    """Makes a summary of each batch of images.

    Args:
        tensors: a list of batches.
        prefix: as in `add_histogram_summary`.

    Returns:
        A list of string scalars.
    """
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


@export("contrib.slim.summaries.add_scalar_summaries")
def add_scalar_summaries(
    tensors: Sequence[Any], prefix: str | None = None, print_summary: bool = False
) -> list[Tensor]:
    """Makes a summary of each scalar.

    Args:
        tensors: a list of scalars.
        prefix: as in `add_histogram_summary`.
        print_summary: whether each evaluation prints the values.

    Returns:
        A list of string scalars.
    """
    return [
        add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors
    ]


@export("contrib.slim.summaries.add_zero_fraction_summaries")
def add_zero_fraction_summaries(tensors: Sequence[Any], prefix: str | None = None) -> list[Tensor]:
    """Makes a summary of the fraction of zeros of each tensor.

    Args:
        tensors: a list of tensors.
        prefix: as in `add_histogram_summary`.

    Returns:
        A list of string scalars.
    """
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
