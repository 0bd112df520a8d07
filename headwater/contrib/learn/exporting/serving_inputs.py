"""Input functions of served models."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.graph.sparse_tensor import SparseTensor
from headwater.ops.array.constant import placeholder
from headwater.ops.parsing.example_functions import parse_example

_MODULE = "contrib.learn.utils"


@export(f"{_MODULE}.input_fn_utils.InputFnOps", f"{_MODULE}.InputFnOps", "contrib.learn.InputFnOps")
class InputFnOps(namedtuple("InputFnOps", ["features", "labels", "default_inputs"])):
    """What an input function of a served model returns.

    Args:
        features: tensors by name.
        labels: the labels, or None.
        default_inputs: the placeholders that are fed, by name.
    """

    __slots__ = ()


@export(
    f"{_MODULE}.input_fn_utils.build_parsing_serving_input_fn",
    f"{_MODULE}.build_parsing_serving_input_fn",
    "contrib.learn.build_parsing_serving_input_fn",
)
@deprecated(None, "Please use tf.estimator.export.build_parsing_serving_input_receiver_fn.")
def build_parsing_serving_input_fn(
    feature_spec: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Makes an input function that parses serialized tf.train.Example messages.

    Args:
        feature_spec: how each feature is parsed, by name.
        default_batch_size: the size of the batch of messages; None for any.

    Returns:
        A function that returns InputFnOps.
    """

    def input_fn() -> InputFnOps:
        examples = placeholder(
            dtypes.string, shape=[default_batch_size], name="input_example_tensor"
        )
        return InputFnOps(parse_example(examples, feature_spec), None, {"examples": examples})

    return input_fn


@export(
    f"{_MODULE}.input_fn_utils.build_default_serving_input_fn",
    f"{_MODULE}.build_default_serving_input_fn",
)
@deprecated(None, "Please use tf.estimator.export.build_raw_serving_input_receiver_fn.")
def build_default_serving_input_fn(
    features: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Makes an input function whose placeholders are the features.

    Args:
        features: tensors by name; the placeholders have their types and, up to the first
            dimension, their shapes.
        default_batch_size: the first dimension; None for any.

    Returns:
        A function that returns InputFnOps.

    Raises:
        ValueError: if a feature is sparse.
    """

    def input_fn() -> InputFnOps:
        made: dict[str, Any] = {}
        for name, tensor in features.items():
            if isinstance(tensor, SparseTensor):
                raise ValueError("SparseTensor not supported.")
            shape = [default_batch_size, *tensor.get_shape().as_list()[1:]]
            made[name] = placeholder(tensor.dtype, shape=shape, name=tensor.op.name)
        return InputFnOps(made, None, made)

    return input_fn
