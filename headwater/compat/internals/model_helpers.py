"""Helpers of layers, losses, images and optimizers that programs import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.typing import DTypeLike, TensorLike
from headwater.compat.internals import internal
from headwater.contrib.layers import layer_steps, optimizers
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    convert_to_tensor,
    get_default_graph,
    shape_tensor,
    with_dependencies,
)
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.nn.dropout import noise_shape_of
from headwater.model.nn.embedding import clipped_rows
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_scope import unique_scope_name
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.control.assertion import assert_
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.image import arguments
from headwater.ops.math.select import where
from headwater.train.optimizers.optimizer import deduplicated

_LAYERS = "tensorflow.contrib.layers.python.layers"
internal("ops.nn_ops._get_noise_shape")(noise_shape_of)
internal("ops.embedding_ops._clip")(clipped_rows)
internal("ops.variable_scope._get_unique_variable_scope")(unique_scope_name)
internal("training.optimizer._deduplicate_indexed_slices")(deduplicated)
internal("ops.image_ops_impl._AssertAtLeast3DImage")(arguments.checked_image)
internal(f"{_LAYERS}.layers._add_variable_to_collections")(layer_steps.add_to_variable_collections)
internal(f"{_LAYERS}.optimizers._adaptive_max_norm")(optimizers.norm_limit)
internal(f"{_LAYERS}.optimizers._add_scaled_noise_to_gradients")(optimizers.with_noise)
internal(f"{_LAYERS}.optimizers._clip_gradients_by_norm")(optimizers.clipped)
internal(f"{_LAYERS}.optimizers._multiply_gradients")(optimizers.multiplied)


@internal("ops.image_ops_impl._is_tensor")
def is_tensor(x: Any) -> bool:
    """Tells whether a value is a tensor or a variable."""
    return isinstance(x, (Tensor, IndexedSlices, SparseTensor, Variable))


@internal("ops.image_ops_impl._assert")
def assert_that(cond: Any, ex_type: type[Exception], msg: str) -> list[Operation]:
    """Checks a condition now if it is a bool, else makes the op that checks it.

    Args:
        cond: a bool or a tensor.
        ex_type: the exception that is raised.
        msg: its text.

    Returns:
        A list of ops.
    """
    if is_tensor(cond):
        return [assert_(cond, [msg])]
    if not cond:
        raise ex_type(msg)
    return []


@internal("ops.image_ops_impl._ImageDimensions")
def image_dimensions(image: Tensor, rank: int) -> list[Any]:
    """Returns the dimensions of an image: integers as far as they are known.

    Args:
        image: a tensor.
        rank: its rank, if that is not known.

    Raises:
        ValueError: if some are not known, and it has another rank.
    """
    if not image.shape.is_fully_defined():
        image.shape.with_rank(rank)
    return arguments.sizes_of(image, rank)


@internal("ops.image_ops_impl._CheckAtLeast3DImage")
def check_image_or_batch(image: Tensor, require_static: bool = True) -> list[Operation]:
    """Makes the ops that check that a tensor is an image or a batch.

    Args:
        image: the tensor.
        require_static: whether the whole shape has to be known.

    Raises:
        ValueError: if its shape is known and not that of an image.
    """
    return arguments.image_checks(image, known=require_static)


@internal("ops.image_ops_impl._Check3DImage")
def check_image(image: Tensor, require_static: bool = True) -> list[Operation]:
    """Makes the ops that check that a tensor is one image.

    Args:
        image: the tensor.
        require_static: whether the whole shape has to be known.

    Raises:
        ValueError: if its shape is known and not that of an image.
    """
    shape = image.shape
    try:
        shape = shape.with_rank(3)
    except ValueError:
        raise ValueError(f"'image' (shape {shape}) must be three-dimensional.") from None
    if require_static and not shape.is_fully_defined():
        raise ValueError(f"'image' (shape {shape}) must be fully defined.")
    if 0 in shape.as_list():
        raise ValueError(f"all dims of 'image.shape' must be > 0: {shape}")
    if shape.is_fully_defined():
        return []
    return [assert_positive(shape_tensor(image), ["all dims of 'image.shape' must be > 0."])]


@internal("ops.image_ops_impl._Assert3DImage")
def checked_image(image: Tensor) -> Tensor:
    """Returns an image that is there once its shape has been checked."""
    return with_dependencies(check_image(image, require_static=False), image)


@internal("ops.init_ops._assert_float_dtype")
def assert_float_dtype(dtype: DTypeLike) -> Any:
    """Returns a type of floating-point numbers.

    Raises:
        ValueError: if it is another type.
    """
    found = dtypes.as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


@internal("layers.base._add_elements_to_collection")
def add_elements_to_collections(elements: Any, collection_list: Any) -> None:
    """Adds elements to collections, unless they are there.

    Args:
        elements: a structure of elements.
        collection_list: names of collections, or one.
    """
    graph = get_default_graph()
    for name in nest.flatten(collection_list):
        collection = graph.get_collection_ref(name)
        present = {id(item) for item in collection}
        collection.extend(x for x in nest.flatten(elements) if id(x) not in present)


@internal("ops.losses.losses_impl._safe_div", "ops.metrics_impl._safe_div")
def safe_div(numerator: TensorLike, denominator: TensorLike, name: str = "value") -> Tensor:
    """Divides, and gives 0 where the denominator is not positive.

    Args:
        numerator: a tensor.
        denominator: a tensor of its type.
        name: the name of the op.
    """
    numerator, denominator = convert_to_tensor(numerator), convert_to_tensor(denominator)
    positive = build.Greater(denominator, zeros_like(denominator))
    divisor = build.Select(positive, denominator, ones_like(denominator))
    return where(positive, numerator / divisor, zeros_like(numerator), name=name)


@internal("ops.nn_impl._sum_rows")
def sum_rows(x: Tensor) -> Tensor:
    """Returns the sums of the rows of a matrix, computed as a product."""
    ones = build.Fill(build.Pack([shape_tensor(x)[1], 1]), convert_to_tensor(1, x.dtype))
    return build.Reshape(build.MatMul(x, ones), [-1])


@internal("ops.nn_ops._flatten_outer_dims")
def flatten_outer_dims(logits: Tensor) -> Tensor:
    """Returns a tensor as a matrix, whose last axis stays."""
    columns = shape_tensor(logits)[-1]
    matrix = build.Reshape(logits, build.Pack([-1, columns]))
    if logits.shape.is_fully_defined():
        matrix.set_shape([logits.shape[:-1].num_elements(), logits.shape[-1].value])
    return matrix


@internal("ops.nn_ops._ensure_xent_args")
def ensure_named_arguments(name: str, sentinel: Any, labels: Any, logits: Any) -> None:
    """Checks that a cross-entropy has got its arguments by name.

    Raises:
        ValueError: if it has not.
    """
    if sentinel is not None:
        raise ValueError(f"Only call `{name}` with named arguments (labels=..., logits=..., ...)")
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


@internal(f"{_LAYERS}.layers._apply_activation")
def apply_activation(y: Tensor, activation_fn: Any, output_collections: Any) -> Tensor:
    """Applies an activation and adds the result to collections.

    Args:
        y: a tensor.
        activation_fn: a function, or None.
        output_collections: names of collections, or None.
    """
    if activation_fn is not None:
        y = activation_fn(y)
    for name in list(output_collections or ()):
        get_default_graph().add_to_collection(name, y)
    return y


@internal(f"{_LAYERS}.layers._model_variable_getter")
def model_variable_getter(
    getter: Callable[..., Any], name: str, rename: Mapping[str, str] | None = None, **kwargs: Any
) -> Any:
    """Makes a model variable; a custom getter of variable scopes.

    Args:
        getter: the getter that makes it.
        name: its name.
        rename: the new last part of the name by the old one.
        **kwargs: the further arguments of `tf.get_variable`.
    """
    return layer_steps.variable_getter(dict(rename or {}))(getter, name, **kwargs)
