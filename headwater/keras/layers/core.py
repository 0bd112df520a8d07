"""Dense, Dropout, Activation and layers that change shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build, export, shape_tensor
from headwater.keras.activations.functions import get as get_activation
from headwater.keras.backend import shaping
from headwater.keras.layers.arguments import KerasConfig, phase_or, resolved
from headwater.keras.layers.python_functions import function_config, function_of_config
from headwater.keras.regularizers.penalties import L1L2
from headwater.keras.utils.serialization import get_custom_objects
from headwater.model.layers.core import DenseLayer, DropoutLayer, FlattenLayer
from headwater.model.layers.input_spec import InputSpec

_WEIGHTS = (
    "kernel_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "bias_regularizer",
    "activity_regularizer",
    "kernel_constraint",
    "bias_constraint",
)


@export("keras.layers.Dense")
class Dense(KerasConfig, DenseLayer):
    """A fully connected layer: activation(inputs @ kernel + bias).

    Args:
        units: the number of outputs.
        activation: a function of the outputs, or its name; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        **kwargs: `input_dim`: the number of inputs of a first layer; further arguments of Layer.
    """

    config_names = ("units", "activation", "use_bias", *_WEIGHTS)

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs and "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_dim"),)
        super().__init__(
            units,
            use_bias=use_bias,
            **resolved(
                activation=activation,
                kernel_initializer=kernel_initializer,
                bias_initializer=bias_initializer,
                kernel_regularizer=kernel_regularizer,
                bias_regularizer=bias_regularizer,
                activity_regularizer=activity_regularizer,
                kernel_constraint=kernel_constraint,
                bias_constraint=bias_constraint,
            ),
            **kwargs,
        )
        self.supports_masking = True


@export("keras.layers.Dropout")
class Dropout(KerasConfig, DropoutLayer):
    """Sets random inputs to zero while training, and scales the others.

    Args:
        rate: the probability that an input is set to zero.
        noise_shape: the shape of the random decisions; None in it stands for that of the input.
        seed: the seed of the op.
        **kwargs: further arguments of Layer.
    """

    config_names = ("rate", "noise_shape", "seed")

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(rate, noise_shape=noise_shape, seed=seed, **kwargs)
        self.supports_masking = True

    def call(self, inputs: NestedTensors, training: Any = None) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a floating-point tensor.
            training: whether inputs are dropped; the learning phase if None.

        Returns:
            A tensor like `inputs`.
        """
        return super().call(inputs, training=phase_or(training))


class _SpatialDropout(Dropout):
    """Sets random channels to zero while training.

    Args:
        rate: the probability that a channel is set to zero.
        **kwargs: further arguments of Layer.
    """

    rank: int

    def __init__(self, rate: float, **kwargs: Any) -> None:
        self.data_format = kwargs.pop("data_format", None) or "channels_last"
        super().__init__(rate, **kwargs)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _noise_shape(self, inputs: TensorLike) -> Tensor:
        whole: Any = shape_tensor(inputs)
        ones = [1] * self.rank
        if self.data_format == "channels_first":
            return build.Pack([whole[0], whole[1], *ones])
        return build.Pack([whole[0], *ones, whole[self.rank + 1]])


@export("keras.layers.SpatialDropout1D")
class SpatialDropout1D(_SpatialDropout):
    """Sets random channels of sequences to zero while training.

    Args:
        rate: the probability that a channel is set to zero.
        **kwargs: further arguments of Layer.
    """

    rank = 1


@export("keras.layers.SpatialDropout2D")
class SpatialDropout2D(_SpatialDropout):
    """Sets random channels of images to zero while training.

    Args:
        rate: the probability that a channel is set to zero.
        **kwargs: `data_format`, and further arguments of Layer.
    """

    rank = 2


@export("keras.layers.SpatialDropout3D")
class SpatialDropout3D(_SpatialDropout):
    """Sets random channels of volumes to zero while training.

    Args:
        rate: the probability that a channel is set to zero.
        **kwargs: `data_format`, and further arguments of Layer.
    """

    rank = 3


@export("keras.layers.Flatten")
class Flatten(KerasConfig, FlattenLayer):
    """Joins all axes but the first one.

    Args:
        data_format: "channels_last" or "channels_first"; channels come last in the output.
        **kwargs: further arguments of Layer.
    """

    config_names = ("data_format",)


@export("keras.layers.Activation")
class Activation(KerasConfig):
    """Applies a function to each element.

    Args:
        activation: the function, or its name.
        **kwargs: further arguments of Layer.
    """

    config_names = ("activation",)

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = get_activation(activation)

    def call(self, inputs: TensorLike) -> Tensor:
        """Applies the function."""
        return self.activation(inputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the input."""
        return input_shape


@export("keras.layers.Masking")
class Masking(KerasConfig):
    """Masks the steps of sequences whose elements all have one value.

    Args:
        mask_value: the value.
        **kwargs: further arguments of Layer.
    """

    config_names = ("mask_value",)

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Tensor:
        """Which steps are used."""
        return build.Any(build.NotEqual(inputs, self.mask_value), -1)

    def call(self, inputs: TensorLike) -> Tensor:
        """Sets masked steps to zero."""
        kept = build.Any(build.NotEqual(inputs, self.mask_value), -1, keep_dims=True)
        outputs = inputs * build.Cast(kept, DstT=inputs.dtype.base_dtype)
        outputs._keras_mask = build.Squeeze(kept, [-1])
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the input."""
        return input_shape


@export("keras.layers.Reshape")
class Reshape(KerasConfig):
    """Gives each example another shape.

    Args:
        target_shape: the shape without the first axis; one length may be -1.
        **kwargs: further arguments of Layer.
    """

    config_names = ("target_shape",)

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Raises:
            ValueError: if the numbers of elements differ.
        """
        dims = TensorShape(input_shape).as_list()
        target = list(self.target_shape)
        lengths = [n for n in dims[1:] if n is not None]
        if len(lengths) < len(dims[1:]):
            return TensorShape([dims[0], *(None if n == -1 else n for n in target)])
        size = int(np.prod(lengths, dtype=np.int64))
        known = int(np.prod([n for n in target if n != -1], dtype=np.int64))
        wrong = known == 0 or size % known if -1 in target else size != known
        if target.count(-1) > 1:
            raise ValueError("Can only specify one unknown dimension.")
        if wrong:
            raise ValueError("total size of new array must be unchanged")
        return TensorShape([dims[0], *(size // known if n == -1 else n for n in target)])

    def call(self, inputs: TensorLike) -> Tensor:
        """Reshapes the examples."""
        whole: Any = shape_tensor(inputs)
        outputs = build.Reshape(inputs, [whole[0], *self.target_shape])
        if -1 not in self.target_shape:
            # Whether the sizes fit is seen when the node runs.
            outputs.set_shape([inputs.shape[0], *self.target_shape])
        else:
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs


@export("keras.layers.Permute")
class Permute(KerasConfig):
    """Permutes the axes of each example.

    Args:
        dims: the order of the axes, which are counted from 1.
        **kwargs: further arguments of Layer.
    """

    config_names = ("dims",)

    def __init__(self, dims: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(
                f"Invalid permutation `dims` for Permute Layer: {dims}. The set of indices in "
                "`dims` must be consecutive and start from 1."
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The permuted shape."""
        dims = TensorShape(input_shape).as_list()
        return TensorShape([dims[0], *(dims[i] for i in self.dims)])

    def call(self, inputs: TensorLike) -> Tensor:
        """Permutes the axes."""
        return build.Transpose(inputs, [0, *self.dims], name="transpose")


@export("keras.layers.RepeatVector")
class RepeatVector(KerasConfig):
    """Repeats each row: (batch, features) becomes (batch, n, features).

    Args:
        n: how often.
        **kwargs: further arguments of Layer.
    """

    config_names = ("n",)

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        dims = TensorShape(input_shape).as_list()
        return TensorShape([dims[0], self.n, dims[1]])

    def call(self, inputs: TensorLike) -> Tensor:
        """Repeats the rows."""
        return shaping.repeat(inputs, self.n)


@export("keras.layers.ActivityRegularization")
class ActivityRegularization(KerasConfig):
    """Passes its input on, and adds a penalty of it to the loss.

    Args:
        l1: the factor of the sum of absolute values.
        l2: the factor of the sum of squares.
        **kwargs: further arguments of Layer.
    """

    config_names = ("l1", "l2")

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self.l1, self.l2 = l1, l2

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the input."""
        return input_shape


@export("keras.layers.Lambda")
class Lambda(KerasConfig):
    """Applies a Python function that makes nodes.

    Args:
        function: the function of the inputs.
        output_shape: the shape of the output without the first axis, or a function from the shape
            of the input to it.
        mask: the mask of the output, or a function of inputs and mask.
        arguments: further arguments of the function, a dict.
        **kwargs: further arguments of Layer.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.function = function
        self.arguments = dict(arguments or {})
        self.mask = mask
        self.supports_masking = mask is not None
        self._output_shape = output_shape
        names = inspect.signature(function).parameters if callable(function) else {}
        self._takes_mask = "mask" in names
        self._takes_training = "training" in names

    def call(self, inputs: NestedTensors, mask: Any = None, training: Any = None) -> Any:
        """Applies the function."""
        arguments = dict(self.arguments)
        if self._takes_mask:
            arguments["mask"] = mask
        if self._takes_training:
            arguments["training"] = training
        return self.function(inputs, **arguments)

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """The mask that the argument says."""
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape that the argument says.

        Raises:
            NotImplementedError: if there is none.
        """
        if self._output_shape is None:
            raise NotImplementedError(
                "We could not automatically infer the shape of the Lambda's output. Please specify "
                "`output_shape` for this Lambda layer."
            )
        if callable(self._output_shape):
            return nest.map_structure(TensorShape, self._output_shape(input_shape))
        first = nest.flatten(input_shape)[0] if isinstance(input_shape, list) else input_shape
        return TensorShape([TensorShape(first)[0], *self._output_shape])

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor; functions without a name as byte code."""
        return {
            **super().get_config(),
            **function_config("function", self.function),
            **function_config("output_shape", self._output_shape),
            **({"mask": self.mask} if self.mask is not None else {}),
            "arguments": dict(self.arguments),
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Lambda:
        """Makes a layer from what `get_config` of another one has returned.

        Args:
            config: the arguments of the constructor.
            custom_objects: {name: function} that the configuration names.

        Returns:
            A layer.
        """
        config = dict(config)
        known = {**get_custom_objects(), **(custom_objects or {})}
        for name in ("function", "output_shape"):
            config[name] = function_of_config(config, name, known)
        return cls(**config)
