"""The base of all recurrent cells: how a cell is called, and its zero states."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.layers.base import Layer
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.variable_lists import trainable_variables
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.model.variables.variable import Variable
    from headwater.model.variables.variable_scope_object import ScopeLike

KERNEL = "kernel"
BIAS = "bias"


def check_cell(argument: str, cell: Any, hint: str = "") -> None:
    """Checks that an argument is a recurrent cell.

    Args:
        argument: the name of the argument.
        cell: its value.
        hint: what to say besides TensorFlow's text.

    Raises:
        TypeError: if it is not a cell.
    """
    wrong = [
        text
        for fine, text in (
            (has_attribute(cell, "output_size"), "'output_size' property is missing"),
            (has_attribute(cell, "state_size"), "'state_size' property is missing"),
            (
                has_attribute(cell, "zero_state") or has_attribute(cell, "get_initial_state"),
                "either 'zero_state' or 'get_initial_state' method is required",
            ),
            (callable(cell), "is not callable"),
        )
        if not fine
    ]
    if wrong:
        raise TypeError(
            f"The argument {argument!r} ({cell}) is not an RNNCell: {', '.join(wrong)}.{hint}"
        )


def has_attribute(value: Any, name: str) -> bool:
    """Whether a value has an attribute, even if reading it fails now."""
    try:
        getattr(value, name)
    except AttributeError:
        return False
    except Exception:
        return True
    return True


def _dims_node(value: TensorLike, role: str) -> Tensor | None:
    """The dimensions that a scalar, a shape or a tensor stands for, as a vector."""
    if isinstance(value, Tensor):
        if value.shape.ndims == 0:
            return build.ExpandDims(value, 0)
        if value.shape.ndims != 1:
            raise ValueError(
                f"{role} tensor must be either a scalar or vector, but saw tensor: {value}"
            )
        return value
    shape = TensorShape(value)
    return constant(shape.as_list(), dtypes.int32) if shape.is_fully_defined() else None


def _static_dims(value: TensorLike | None) -> TensorShape:
    if not isinstance(value, Tensor):
        return TensorShape(value)
    known = constant_value(value)
    return TensorShape(None if known is None else np.reshape(known, -1).tolist())


def concat_dims(prefix: TensorLike, suffix: TensorLike) -> Tensor:
    """Joins two shapes, each an int, a TensorShape or a tensor, to a vector.

    Args:
        prefix: the first dimensions.
        suffix: the others.

    Returns:
        An int32 tensor.

    Raises:
        ValueError: if one is not fully known and no tensor.
    """
    first, second = _dims_node(prefix, "prefix"), _dims_node(suffix, "suffix")
    if first is None or second is None:
        raise ValueError(f"Provided a prefix or suffix of None: {prefix} and {suffix}")
    return concat((first, second), 0)


def static_concat_dims(prefix: TensorLike, suffix: TensorLike) -> list[int | None] | None:
    """The static part of the joined shape.

    Args:
        prefix: the first dimensions.
        suffix: the others.

    Returns:
        A list of lengths, None where unknown; None if not even the rank is known.
    """
    # The dimensions become nodes here too, as in TensorFlow: seeds depend on the number of nodes.
    _dims_node(prefix, "prefix")
    _dims_node(suffix, "suffix")
    shape = _static_dims(prefix).concatenate(_static_dims(suffix))
    return shape.as_list() if shape.ndims is not None else None


def zero_state_tensors(
    state_size: NestedTensors, batch_size: TensorLike | None, dtype: DType
) -> NestedTensors:
    """Zeros for every state of a nested structure.

    Args:
        state_size: ints, TensorShapes, or a structure of them.
        batch_size: the number of rows, or a tensor.
        dtype: the type.

    Returns:
        Tensors in the structure of `state_size`.
    """

    def zero(size: TensorLike) -> Tensor:
        state = zeros(concat_dims(batch_size, size), dtype=dtype)
        state.set_shape(static_concat_dims(batch_size, size))
        return state

    return nest.map_structure(zero, state_size)


@export("nn.rnn_cell.RNNCell", "contrib.rnn.RNNCell")
class RNNCell(Layer):
    """A function (inputs, state) -> (outputs, new state), applied at each step of a sequence.

    Subclasses have the properties `state_size` and `output_size` and a method `call`; variables
    that `call` makes with tf.get_variable belong to the cell.

    Args:
        trainable: whether optimizers change its variables by default.
        name: the name, which is also that of its variable scope.
        dtype: the type of the variables.
        **kwargs: further arguments of Layer.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._is_tf_rnn_cell = True

    def __call__(
        self, inputs: NestedTensors, state: NestedTensors, scope: ScopeLike | None = None
    ) -> tuple[NestedTensors, ...]:
        """Computes one step.

        Args:
            inputs: a tensor of one row per sequence, or a structure of them.
            state: tensors in the structure of `state_size`.
            scope: the variable scope; by default named after the class.

        Returns:
            The outputs and the new state.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._rnn_get_variable) as entered:
                return super().__call__(inputs, state, scope=entered)
        current = self.__dict__.get("rnncell_scope")
        if current is None:
            current = variable_scope(get_variable_scope(), custom_getter=self._rnn_get_variable)
            self.rnncell_scope = current
        with current:
            return super().__call__(inputs, state)

    def _rnn_get_variable(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Variable:
        variable = getter(*args, **kwargs)
        part = next(iter(variable)) if isinstance(variable, PartitionedVariable) else variable
        trainable = any(part is v for v in trainable_variables())
        weights = self._trainable_weights if trainable else self._non_trainable_weights
        if all(variable is not v for v in weights):
            weights.append(variable)
        return variable

    def __deepcopy__(self, memo: dict[int, Any]) -> RNNCell:
        scope = self.__dict__.pop("rnncell_scope", None)
        result = super().__deepcopy__(memo)
        if scope is not None:
            self.rnncell_scope = scope
        return result  # type: ignore[return-value]

    @property
    def state_size(self) -> NestedTensors:
        """The sizes of the states: ints, TensorShapes, or a structure of them.

        Raises:
            NotImplementedError: if the subclass does not say it.
        """
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> NestedTensors:
        """The sizes of the outputs: an int, a TensorShape, or a structure of them.

        Raises:
            NotImplementedError: if the subclass does not say it.
        """
        raise NotImplementedError("Abstract method")

    def build(self, _: TensorLike) -> None:
        """Makes no variables: `call` may make them.

        Args:
            _: the shape of the inputs.
        """
        self.built = True

    def get_initial_state(
        self,
        inputs: TensorLike | None = None,
        batch_size: TensorLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> NestedTensors:
        """The zero state for inputs or for a batch size.

        Args:
            inputs: a tensor of one row per sequence.
            batch_size: the number of sequences, if there are no inputs.
            dtype: the type of the state, if there are no inputs.

        Returns:
            Tensors in the structure of `state_size`.

        Raises:
            ValueError: if neither says the batch size and the type, or both say different ones.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            rows = inputs.shape[0].value
            if batch_size is not None:
                given = constant_value(batch_size) if _is_tensor(batch_size) else batch_size
                if rows != given:
                    raise ValueError(
                        "batch size from input tensor is different from the input param. Input "
                        f"tensor batch: {rows}, batch_size: {batch_size}"
                    )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    "dtype from input tensor is different from the input param. Input tensor "
                    f"dtype: {inputs.dtype!r}, dtype: {dtype!r}"
                )
            batch_size = rows or shape_tensor(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: TensorLike | None, dtype: DTypeLike) -> NestedTensors:
        """The state of zeros.

        Args:
            batch_size: the number of sequences, or a scalar tensor.
            dtype: the type of the state.

        Returns:
            Tensors of shape [batch_size, size] in the structure of `state_size`.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return zero_state_tensors(self.state_size, batch_size, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the cell was made."""
        return {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> RNNCell:
        """Makes a cell from what `get_config` has returned.

        Args:
            config: the arguments of the class.

        Returns:
            A cell.
        """
        return cls(**config)


def _is_tensor(value: TensorLike) -> bool:
    return isinstance(value, Tensor)


@export("contrib.rnn.LayerRNNCell")
class LayerRNNCell(RNNCell):
    """A cell that makes its variables in `build`, as a layer does.

    Args:
        trainable: whether optimizers change its variables by default.
        name: the name, which is also that of its variable scope.
        dtype: the type of the variables.
        **kwargs: further arguments of Layer.
    """

    def __call__(
        self,
        inputs: NestedTensors,
        state: NestedTensors,
        scope: ScopeLike | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> tuple[NestedTensors, ...]:
        """Computes one step.

        Args:
            inputs: a tensor of one row per sequence.
            state: tensors in the structure of `state_size`.
            scope: the variable scope; by default named after the class.
            *args: further arguments of `call`.
            **kwargs: further arguments of `call`.

        Returns:
            The outputs and the new state.
        """
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


def check_floating(*structures: Any) -> None:
    """Checks that types, or tensors, are floating-point or complex.

    Args:
        *structures: dtypes or tensors, or structures of them; None is fine.

    Raises:
        ValueError: if one is not.
    """
    for value in nest.flatten(structures):
        dtype = value if value is None else dtypes.as_dtype(getattr(value, "dtype", value))
        if dtype is not None and not (dtype.is_floating or dtype.is_complex):
            raise ValueError(
                f"RNN cell only supports floating point inputs, but saw dtype: {dtype}"
            )


def input_depth(inputs_shape: TensorShape) -> int:
    """The last dimension of a shape of inputs.

    Raises:
        ValueError: if it is unknown.
    """
    shape = TensorShape(inputs_shape)
    depth = shape[-1].value if shape.ndims is not None else None
    if depth is None:
        dims = None if shape.ndims is None else tuple(shape.as_list())
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {dims}")
    return depth
