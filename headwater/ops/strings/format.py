"""Tensors written into a text: StringFormat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.summarize_rows import summarize_rows
from headwater.base.typing import ArrayModule, NestedTensors, Shape
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.strings.elements import as_bytes, strings


def shape_string_format(c: shapes.ShapeContext) -> Shape:
    places = as_bytes(c.attr("template")).count(as_bytes(c.attr("placeholder")))
    if places != len(c.inputs):
        c.fail(
            f"num placeholders in template and num inputs must match: {places} vs. {len(c.inputs)}"
        )
    return ()


def kernel_string_format(
    xp: ArrayModule,
    inputs: list[np.ndarray],
    *,
    template: str | bytes,
    placeholder: str | bytes,
    summarize: int,
) -> np.ndarray:
    parts = as_bytes(template).split(as_bytes(placeholder))
    result = [parts[0]]
    for array, part in zip(inputs, parts[1:]):
        result += (summarize_rows(array, summarize).encode(), part)
    return strings([b"".join(result)], ())


def samples_string_format() -> Iterator[Sample]:
    yield Sample([np.arange(10, dtype=np.int32)], template="a %s")
    yield Sample([np.ones((2, 2)), np.array(b"x", object)], template="{},{}", placeholder="{}")


register_op(
    "StringFormat",
    inputs="inputs: T",
    outputs="output: string",
    attrs="T: list(type) >= 0, template: string = '%s', placeholder: string = '%s', "
    "summarize: int = 3",
    shape=shape_string_format,
    kernel=kernel_string_format,
    samples=samples_string_format,
    runs_on=RunsOn.HOST,
)


@export("strings.format")
def string_format(
    template: str,
    inputs: NestedTensors,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """Writes tensors into a text.

    Args:
        template: the text.
        inputs: the tensors, or one.
        placeholder: what stands in the text for a tensor.
        summarize: how many elements are written at each end of an axis; negative for all.
        name: the name of the node.

    Returns:
        A string scalar.

    Raises:
        ValueError: if there are not as many tensors as places for them.
    """
    if not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    places = template.count(placeholder)
    if places != len(inputs):
        raise ValueError(
            f"{places} placeholder(s) in template does not match {len(inputs)} tensor(s) "
            "provided as input"
        )
    return build.StringFormat(
        inputs, template=template, placeholder=placeholder, summarize=summarize, name=name
    )
