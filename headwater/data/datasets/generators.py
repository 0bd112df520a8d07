"""Datasets of the elements of Python generators: from_generator."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.tensor_shape import TensorShape
from headwater.data.datasets import nest, structure
from headwater.data.datasets.function import ElementFunction
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.ops.control.py_func import py_func

_TITLE = "Dataset.from_generator()"


class _Generators:
    """The running generators of one dataset, by their numbers.

    Args:
        make: a function of arrays that returns an iterable.
    """

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._arguments: dict[int, tuple[Any, ...]] = {}
        self._iterators: dict[int, Iterator[Any]] = {}

    def begin(self, *arguments: Any) -> np.ndarray:
        """The number of a generator that begins with its first element."""
        with self._lock:
            number = next(self._numbers)
            self._arguments[number] = arguments
        return np.asarray(number, np.int64)

    def next(self, number: Any) -> Any:
        """The next value of a generator; StopIteration at its end."""
        key = int(number)
        if key not in self._iterators:
            if key not in self._arguments:
                raise StopIteration
            # One that fails to begin has ended.
            self._iterators[key] = iter(self._make(*self._arguments.pop(key)))
        return next(self._iterators[key])

    def end(self, number: Any) -> np.ndarray:
        """Forgets a generator, whose `finally` blocks run then."""
        self._arguments.pop(int(number), None)
        self._iterators.pop(int(number), None)
        return np.asarray(0, np.int64)


class _Elements:
    """Turns the values of generators into arrays of known types and shapes.

    Args:
        types: the nested types of an element.
        shapes: the shapes of its components.
    """

    def __init__(self, types: Any, shapes: list[TensorShape]) -> None:
        self._types = types
        self._flat = nest.flatten(types)
        self._shapes = shapes

    def arrays(self, value: Any) -> list[np.ndarray]:
        """The components of a value.

        Raises:
            TypeError: if it has another structure, or values of other types.
            ValueError: if it has other shapes.
        """
        try:
            parts = nest.flatten_up_to(self._types, value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The "
                f"expected structure was {self._types}, but the yielded element was {value}."
            ) from error
        found = [self._array(part, dtype) for part, dtype in zip(parts, self._flat)]
        for array, shape in zip(found, self._shapes):
            if not shape.is_compatible_with(array.shape):
                raise ValueError(
                    f"`generator` yielded an element of shape {array.shape} where an element of "
                    f"shape {shape} was expected."
                )
        return found

    def _array(self, value: Any, dtype: DType) -> np.ndarray:
        try:
            # A py_func checks that objects are strings.
            return np.asarray(value, object) if dtype == dtypes.string else _numbers(value, dtype)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that could not be converted to the expected type. "
                f"The expected type was {dtype.name}, but the yielded element was {value}."
            ) from error


def _numbers(value: Any, dtype: DType) -> np.ndarray:
    try:
        return np.asarray(value, dtype.numpy_dtype, order="C")
    except OverflowError:
        # NumPy used to wrap numbers that are out of range.
        return np.asarray(value).astype(dtype.numpy_dtype)


def from_generator(
    make: Callable[..., Any], output_types: Any, output_shapes: Any, args: Any
) -> Callable[[Tensor], tuple[Tensor, Any]]:
    """A function that makes the variant of the elements of a Python generator.

    Args:
        make: a function of arrays that returns an iterable of elements.
        output_types: the nested types of an element.
        output_shapes: the nested shapes; unknown if None.
        args: the arguments of the function, tensors; none if None.

    Returns:
        A function from a dummy tensor to the variant and structure of the dataset.

    Raises:
        TypeError: if `make` is not callable, or `args` not a sequence.
    """
    if not callable(make):
        raise TypeError("`generator` must be callable.")
    types = nest.map_structure(dtypes.as_dtype, output_types)
    spec = structure.from_legacy(types, output_shapes)
    arguments = _arguments(args)
    flat = structure.flat_specs(spec)
    generators = _Generators(make)
    elements = _Elements(types, [part.shape for part in flat])

    def get_iterator_id_fn(unused_dummy: Tensor) -> Tensor:
        found: Tensor = py_func(generators.begin, arguments, dtypes.int64, stateful=True)
        found.set_shape([])
        return found

    def generator_next_fn(iterator_id_t: Tensor) -> Any:
        def generator_py_func(iterator_id: Any) -> list[np.ndarray]:
            return elements.arrays(generators.next(iterator_id))

        tensors = py_func(
            generator_py_func, [iterator_id_t], [part.dtype for part in flat], stateful=True
        )
        for tensor, part in zip(tensors, flat):
            tensor.set_shape(part.shape)
        return nest.pack_sequence_as(types, tensors)

    def finalize_fn(iterator_id_t: Tensor) -> Tensor:
        found: Tensor = py_func(generators.end, [iterator_id_t], dtypes.int64, stateful=True)
        found.set_shape([])
        return found

    def flat_map_fn(dummy: Tensor) -> tuple[Tensor, Any]:
        return generated(dummy, get_iterator_id_fn, generator_next_fn, finalize_fn)

    return flat_map_fn


def generated(
    init_args: Any,
    init_func: Callable[..., Any],
    next_func: Callable[..., Any],
    finalize_func: Callable[..., Any],
) -> tuple[Tensor, Any]:
    """The variant and structure of what a function makes again and again of a state.

    Args:
        init_args: a nested structure of tensors.
        init_func: function from them to a state, a nested structure of tensors.
        next_func: function from the state to an element.
        finalize_func: function of the state that runs at the end.
    """
    arguments = structure.normalized(init_args)
    spec = structure.spec_of(arguments)
    init = ElementFunction(init_func, _TITLE, spec)
    following = ElementFunction(next_func, _TITLE, init.output_spec)
    finalize = ElementFunction(finalize_func, _TITLE, init.output_spec)
    variant = build.GeneratorDataset(
        [*structure.to_tensor_list(spec, arguments), *init.captured],
        following.captured,
        finalize.captured,
        init_func=init.attr,
        next_func=following.attr,
        finalize_func=finalize.attr,
        **structure.flat_attrs(following.output_spec),
    )
    return variant, following.output_spec


def _arguments(args: Any) -> list[Tensor]:
    if args is None:
        return []
    if not isinstance(args, (list, tuple)):
        raise TypeError("values must be a sequence.")
    return [convert_to_tensor(value, name=f"args_{i}") for i, value in enumerate(args)]
