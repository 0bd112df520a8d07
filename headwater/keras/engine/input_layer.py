"""Inputs of models: `tf.keras.Input` and the layer behind it."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import export
from headwater.keras.backend.graph_state import get_graph
from headwater.keras.backend.settings import floatx
from headwater.keras.backend.tensors import placeholder
from headwater.model.layers.layer import Layer
from headwater.model.layers.names import next_number
from headwater.model.layers.node import KerasHistory, Node


@export("keras.layers.InputLayer")
class InputLayer(Layer):
    """A layer whose output is fed: where a model begins.

    Args:
        input_shape: the shape of one example.
        batch_size: the number of examples; any if None.
        dtype: the type; the default floating-point type if None.
        input_tensor: a tensor to be used instead of a new placeholder.
        sparse: whether the input is a SparseTensor.
        name: the name; numbered if None.
        ragged: whether the input is a RaggedTensor, which is not supported.
        **kwargs: `batch_input_shape`: the shape with the number of examples.

    Raises:
        ValueError: if there are two shapes.
    """

    def __init__(
        self,
        input_shape: ShapeLike | None = None,
        batch_size: int | None = None,
        dtype: DTypeLike | None = None,
        input_tensor: TensorLike | None = None,
        sparse: bool = False,
        name: str | None = None,
        ragged: bool = False,
        **kwargs: Any,
    ) -> None:
        if "batch_input_shape" in kwargs:
            whole = kwargs.pop("batch_input_shape")
            if input_shape and whole:
                raise ValueError(
                    "Only provide the input_shape OR batch_input_shape argument to InputLayer, not "
                    "both at the same time."
                )
            batch_size, input_shape = whole[0], whole[1:]
        if kwargs:
            raise ValueError("Unrecognized keyword arguments:", kwargs.keys())
        name = name or f"input_{next_number('input')}"
        if dtype is None:
            dtype = floatx() if input_tensor is None else input_tensor.dtype.base_dtype.name
        if input_tensor is not None and input_shape is None:
            dims = tuple(input_tensor.shape.as_list())
            batch_size, input_shape = dims[0], dims[1:]
        super().__init__(name=name, dtype=dtype)
        self.built = True
        self.sparse = sparse
        self.ragged = ragged
        self.batch_size = batch_size
        self.supports_masking = True
        self.is_placeholder = input_tensor is None
        dims = tuple(getattr(input_shape, "as_list", lambda: input_shape)() or ())
        self._batch_input_shape = (batch_size, *dims)
        tensor: Any = input_tensor
        if tensor is None:
            with get_graph().as_default():
                tensor = placeholder(
                    shape=self._batch_input_shape,
                    dtype=self.dtype,
                    name=self.name,
                    sparse=sparse,
                    ragged=ragged,
                )
        tensor._keras_mask = None
        tensor._keras_history = KerasHistory(self, 0, 0)
        Node(self, [], [], [], [tensor], [tensor])

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "batch_input_shape": self._batch_input_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
        }


@export("keras.Input", "keras.layers.Input")
def Input(
    shape: ShapeLike | None = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    tensor: TensorLike | None = None,
    ragged: bool = False,
    **kwargs: Any,
) -> Any:
    """Makes an input of a model.

    Args:
        shape: the shape of one example.
        batch_size: the number of examples; any if None.
        name: the name; numbered if None.
        dtype: the type; the default floating-point type if None.
        sparse: whether it is a SparseTensor.
        tensor: a tensor to be used instead of a new placeholder.
        ragged: whether it is a RaggedTensor, which is not supported.
        **kwargs: `batch_shape`: the shape with the number of examples.

    Returns:
        A tensor; models can be made of what layers make of it.

    Raises:
        ValueError: if both or none of the shapes are given.
    """
    whole = kwargs.pop("batch_shape", None)
    if shape is not None and whole is not None:
        raise ValueError("Only provide the `shape` OR `batch_shape` argument to Input, not both.")
    if kwargs:
        raise ValueError("Unrecognized keyword arguments:", kwargs.keys())
    if shape is None and whole is None and tensor is None:
        raise ValueError(
            "Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` "
            "does not include the batch dimension."
        )
    if whole is not None:
        batch_size, shape = whole[0], whole[1:]
    layer = InputLayer(
        input_shape=(shape,) if isinstance(shape, int) else shape,
        batch_size=batch_size,
        name=name,
        dtype=dtype,
        sparse=sparse,
        ragged=ragged,
        input_tensor=tensor,
    )
    outputs = layer._inbound_nodes[0].output_tensors
    return outputs[0] if len(outputs) == 1 else outputs
