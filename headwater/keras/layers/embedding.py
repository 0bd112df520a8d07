"""Embedding."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, build, export
from headwater.keras.backend.settings import floatx
from headwater.keras.layers.arguments import KerasConfig, resolved
from headwater.model.nn.embedding import embedding_lookup


@export("keras.layers.Embedding")
class Embedding(KerasConfig):
    """Turns numbers into the rows of a matrix.

    Args:
        input_dim: the number of rows: the largest number plus 1.
        output_dim: the length of a row.
        embeddings_initializer: the initializer of the matrix.
        embeddings_regularizer: a function from the matrix to a loss.
        activity_regularizer: a function from the output to a loss.
        embeddings_constraint: a function from a new matrix to the one that is kept.
        mask_zero: whether 0 stands for a masked step.
        input_length: the number of steps, if it is fixed.
        **kwargs: further arguments of Layer.
    """

    config_names = (
        "input_dim",
        "output_dim",
        "embeddings_initializer",
        "embeddings_regularizer",
        "activity_regularizer",
        "embeddings_constraint",
        "mask_zero",
        "input_length",
    )

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,) if input_length else (None,)
        found = resolved(
            embeddings_initializer=embeddings_initializer,
            embeddings_regularizer=embeddings_regularizer,
            activity_regularizer=activity_regularizer,
            embeddings_constraint=embeddings_constraint,
        )
        super().__init__(
            dtype=kwargs.pop("dtype", floatx()),
            activity_regularizer=found["activity_regularizer"],
            **kwargs,
        )
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.embeddings_initializer = found["embeddings_initializer"]
        self.embeddings_regularizer = found["embeddings_regularizer"]
        self.embeddings_constraint = found["embeddings_constraint"]
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.input_length = input_length

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the matrix."""
        self.embeddings = self.add_weight(
            "embeddings",
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self.built = True

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Tensor | None:
        """Which numbers are not zero, if zero is masked."""
        return build.NotEqual(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Raises:
            ValueError: if it does not fit `input_length`.
        """
        dims = TensorShape(input_shape).as_list()
        if self.input_length is None:
            return TensorShape([*dims, self.output_dim])
        given = self.input_length
        lengths = list(given) if isinstance(given, (list, tuple)) else [given]
        text = f'"input_length" is {given}, but received input has shape {input_shape}'
        if len(lengths) != len(dims) - 1:
            raise ValueError(text)
        for a, b in zip(lengths, dims[1:]):
            if a is not None and b is not None and a != b:
                raise ValueError(text)
        found = [b if a is None else a for a, b in zip(lengths, dims[1:])]
        return TensorShape([dims[0], *found, self.output_dim])

    def call(self, inputs: TensorLike) -> Tensor:
        """Looks the rows up."""
        if inputs.dtype.base_dtype.name not in ("int32", "int64"):
            inputs = build.Cast(inputs, DstT="int32")
        return embedding_lookup(self.embeddings, inputs)
