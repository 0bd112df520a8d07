"""Aliases of outputs in collections, static conditions, and checks of shapes and sizes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from headwater.base import nest
from headwater.base.dtypes import as_dtype
from headwater.base.export import also_under, export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors
from headwater.graph import Tensor
from headwater.graph.constant_value import constant_value as known_value
from headwater.graph.default_graph import (
    add_to_collections,
    get_collection,
    get_collection_ref,
)
from headwater.model.variables.variable import Variable
from headwater.ops.control.cond import cond

# slim shows the module in all releases, layers in 0.12.
also_under("contrib.layers.utils", "contrib.slim.utils")

# Aliases of tensors


@export("contrib.layers.utils.NamedOutputs")
class NamedOutputs(NamedTuple):
    """The outputs of a layer, with a name.

    Args:
        name: the name.
        outputs: the tensors.
    """

    name: str
    outputs: Any


@export("contrib.layers.utils.collect_named_outputs")
def collect_named_outputs(
    collections: str | Sequence[str] | None, alias: str, outputs: NestedTensors
) -> NestedTensors:
    """Adds the output of a layer to collections, with an alias.

    Args:
        collections: the key of a collection, or a list of keys; None for none.
        alias: the alias, which `convert_collection_to_dict` uses as key.
        outputs: the tensors.

    Returns:
        `outputs`.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        add_to_collections(collections, outputs)
    return outputs


@export("contrib.layers.utils.append_tensor_alias")
def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Gives a tensor one more alias.

    Args:
        tensor: the tensor.
        alias: the alias; a trailing slash is dropped.

    Returns:
        `tensor`.
    """
    alias = alias[:-1] if alias[-1:] == "/" else alias
    if hasattr(tensor, "aliases"):
        tensor.aliases.append(alias)
    else:
        tensor.aliases = [alias]
    return tensor


@export("contrib.layers.utils.get_tensor_aliases")
def get_tensor_aliases(tensor: Any) -> list[str]:
    """The aliases of a tensor.

    Args:
        tensor: the tensor.

    Returns:
        A list of strings; the name of the tensor if it has no alias, without ":0".
    """
    if hasattr(tensor, "aliases"):
        return list(tensor.aliases)
    return [tensor.op.name if tensor.name[-2:] == ":0" else tensor.name]


@export("contrib.layers.utils.get_tensor_alias")
def get_tensor_alias(tensor: Any) -> str:
    """The alias that a tensor got last.

    Args:
        tensor: the tensor.

    Returns:
        A string; the name of the tensor if it has no alias, without ":0".
    """
    return get_tensor_aliases(tensor)[-1]


@export("contrib.layers.utils.gather_tensors_alias")
def gather_tensors_alias(tensors: NestedTensors) -> list[str]:
    """The alias that each of several tensors got last.

    Args:
        tensors: a tensor or a structure of tensors.

    Returns:
        A list of strings.
    """
    return [get_tensor_alias(tensor) for tensor in nest.flatten(tensors)]


@export("contrib.layers.utils.gather_tensors_aliases")
def gather_tensors_aliases(tensors: NestedTensors) -> list[str]:
    """The aliases of several tensors.

    Args:
        tensors: a tensor or a structure of tensors.

    Returns:
        A list of strings.
    """
    return [alias for tensor in nest.flatten(tensors) for alias in get_tensor_aliases(tensor)]


@export("contrib.layers.utils.convert_collection_to_dict")
def convert_collection_to_dict(
    collection: str, clear_collection: bool = False
) -> OrderedDict[str, Tensor]:
    """The tensors of a collection by alias.

    Args:
        collection: the key of the collection.
        clear_collection: whether to empty the collection.

    Returns:
        An OrderedDict from alias to tensor.
    """
    found = OrderedDict(
        (alias, tensor)
        for tensor in get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        get_collection_ref(collection).clear()
    return found


@export("contrib.layers.utils.get_variable_collections")
def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections of one kind of variable.

    Args:
        variables_collections: a list of keys, or a dict from kind of variable to such lists.
        name: the kind, such as "weights".

    Returns:
        The list of keys, or None.
    """
    if isinstance(variables_collections, dict):
        return variables_collections.get(name, None)
    return variables_collections


# Static conditions


@export("contrib.layers.utils.constant_value")
def constant_value(value_or_tensor_or_var: Any, dtype: DTypeLike | None = None) -> Any:
    """The static value of something that may be a tensor or a variable.

    Args:
        value_or_tensor_or_var: a Python value, a tensor or a variable.
        dtype: the type that a tensor or variable must have; None for any.

    Returns:
        The value; None if it is unknown before the graph runs.

    Raises:
        ValueError: if the value is None or has another type.
    """
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if not isinstance(value, Tensor) and not isinstance(value, Variable):
        return value
    if dtype and value.dtype != as_dtype(dtype):
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return None if isinstance(value, Variable) else known_value(value)


@export("contrib.layers.utils.static_cond")
def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """Calls one of two functions.

    Args:
        pred: a Python value.
        fn1: the function that is called if `pred` is true.
        fn2: the function that is called if it is false.

    Returns:
        What the function returns.

    Raises:
        TypeError: if a function is not callable.
    """
    for name, function in (("fn1", fn1), ("fn2", fn2)):
        if not callable(function):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()


@export("contrib.layers.utils.smart_cond")
def smart_cond(
    pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None
) -> Any:
    """`static_cond` if the predicate is known, else `tf.cond`.

    Args:
        pred: a Python value, a tensor or a variable.
        fn1: the function for a true predicate.
        fn2: the function for a false one.
        name: the name of the `tf.cond`.

    Returns:
        What the function returns, or the results of `tf.cond`.
    """
    known = constant_value(pred)
    return cond(pred, fn1, fn2, name=name) if known is None else static_cond(known, fn1, fn2)


# Shapes and sizes


def _dimension(shape: TensorShape, dim: int, min_rank: int) -> int:
    dims = shape.dims
    if dims is None:
        raise ValueError("dims of shape must be known but is None")
    if len(dims) < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {len(dims)}")
    value = dims[dim].value
    if value is None:
        raise ValueError(f"dimension {dim} of shape must be known but is None: {shape}")
    return value


@export("contrib.layers.utils.channel_dimension")
def channel_dimension(shape: TensorShape, data_format: str, min_rank: int = 1) -> int:
    """The static number of channels.

    Args:
        shape: the shape of a tensor.
        data_format: the data format: the second axis has the channels if it starts with "NC".
        min_rank: the smallest rank that is allowed.

    Returns:
        An int.

    Raises:
        ValueError: if it is unknown or the rank is too small.
    """
    return _dimension(shape, 1 if data_format.startswith("NC") else -1, min_rank)


@export("contrib.layers.utils.first_dimension")
def first_dimension(shape: TensorShape, min_rank: int = 1) -> int:
    """The static length of the first axis.

    Args:
        shape: the shape of a tensor.
        min_rank: the smallest rank that is allowed.

    Returns:
        An int.

    Raises:
        ValueError: if it is unknown or the rank is too small.
    """
    return _dimension(shape, 0, min_rank)


@export("contrib.layers.utils.last_dimension")
def last_dimension(shape: TensorShape, min_rank: int = 1) -> int:
    """The static length of the last axis.

    Args:
        shape: the shape of a tensor.
        min_rank: the smallest rank that is allowed.

    Returns:
        An int.

    Raises:
        ValueError: if it is unknown or the rank is too small.
    """
    return _dimension(shape, -1, min_rank)


@export("contrib.layers.utils.two_element_tuple")
def two_element_tuple(int_or_tuple: Any) -> tuple[Any, Any]:
    """A size along two axes.

    Args:
        int_or_tuple: a number for both axes, or a list, tuple or TensorShape of two.

    Returns:
        A tuple of two ints.

    Raises:
        ValueError: if it is something else.
    """
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int(int_or_tuple), int(int_or_tuple)
    if isinstance(int_or_tuple, TensorShape) and len(int_or_tuple) == 2:
        first, second = int_or_tuple.as_list()
        return first, second
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


@export("contrib.layers.utils.n_positive_integers")
def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """A tuple of positive integers.

    Args:
        n: their number.
        value: a number for all, or a sequence of `n`.

    Returns:
        A tuple of ints.

    Raises:
        ValueError: if one is not a positive integer, or `value` has another length.
    """
    if int(n) != n or n < 1:
        raise ValueError("n must be a positive integer")
    try:
        values = (int(value),) * n
    except (TypeError, ValueError):
        values = _integers(n, value)
    for number in values:
        if number < 1:
            raise ValueError(f"expected positive integer, but received {number}")
    return values


def _integers(n: int, values: Any) -> tuple[int, ...]:
    text = f"Expected sequence of {n} positive integers, but received {values!r}"
    if len(values) != n:
        raise ValueError(text)
    try:
        return tuple(int(value) for value in values)
    except (TypeError, ValueError):
        raise ValueError(text) from None
