"""Dense, Dropout and Flatten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import (
    Activation,
    Constraint,
    InitializerLike,
    NestedTensors,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.graph import Tensor, build, convert_to_tensor, export, shape_tensor
from headwater.model.layers.base import Layer
from headwater.model.layers.function_form import export_layer
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.layer import Layer as KerasLayer
from headwater.model.layers.resolvers import is_training
from headwater.model.layers.windows import checked_format
from headwater.model.nn.dropout import dropped
from headwater.model.smart_cond import smart_cond
from headwater.model.variables.initializers import Zeros
from headwater.ops.math.cast import cast
from headwater.ops.math.tensordot import tensordot
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse

_ZEROS = Zeros()


class DenseLayer(KerasLayer):
    """A fully connected layer: activation(inputs @ kernel + bias).

    Args:
        units: the number of outputs.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        **kwargs: further arguments of Layer.
    """

    def __init__(
        self,
        units: int,
        activation: Activation | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = _ZEROS,
        kernel_regularizer: Regularizer | None = None,
        bias_regularizer: Regularizer | None = None,
        activity_regularizer: Regularizer | None = None,
        kernel_constraint: Constraint | None = None,
        bias_constraint: Constraint | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs
        )
        self.units = int(units)
        self.activation = activation
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(min_ndim=2)
        self.kernel: TensorLike = None
        self.bias: TensorLike = None

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias.

        Args:
            input_shape: the shape of the input.

        Raises:
            TypeError: if the type is not floating-point.
            ValueError: if the last dimension of the input is unknown.
        """
        dtype = as_dtype(self.dtype or dtypes.float32)
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(f"Unable to build `Dense` layer with non-floating point dtype {dtype}")
        last = TensorShape(input_shape)[-1].value
        if last is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight(
            "kernel",
            shape=[last, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            dtype=self.dtype,
            trainable=True,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                dtype=self.dtype,
                trainable=True,
            )
        self.built = True

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a tensor of rank 2 or more.

        Returns:
            A tensor with `units` as its last dimension.
        """
        rank = inputs.shape.ndims
        if rank is not None and rank > 2:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.shape[:-1].concatenate([self.units]))
        else:
            # Only matrices are converted to the type of the variables.
            outputs = build.MatMul(cast(inputs, self.dtype), self.kernel)
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Args:
            input_shape: the shape of the input.

        Returns:
            The shape with `units` as its last dimension.

        Raises:
            ValueError: if the last dimension of the input is unknown.
        """
        shape = TensorShape(input_shape).with_rank_at_least(2)
        if shape[-1].value is None:
            raise ValueError(
                f"The innermost dimension of input_shape must be defined, but saw: {input_shape}"
            )
        return shape[:-1].concatenate(self.units)


@export_layer("Dense")
class Dense(DenseLayer, Layer):
    """A fully connected layer: activation(inputs @ kernel + bias)."""


@export("layers.dense")
def dense(
    inputs: TensorLike,
    units: int,
    activation: Activation | None = None,
    use_bias: bool = True,
    kernel_initializer: InitializerLike | None = None,
    bias_initializer: InitializerLike = _ZEROS,
    kernel_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    activity_regularizer: Regularizer | None = None,
    kernel_constraint: Constraint | None = None,
    bias_constraint: Constraint | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
) -> Tensor:
    """Applies a fully connected layer; see Dense.

    Args:
        inputs: a tensor of rank 2 or more.
        units: the number of outputs.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name of the layer and its variable scope.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor with `units` as its last dimension.

    Raises:
        ValueError: if the last dimension of the input is unknown or a variable exists already.

    Example:
        >>> y = tf.layers.dense(tf.ones([1, 3]), 2, kernel_initializer=tf.ones_initializer())
        >>> session.run(tf.global_variables_initializer())
        >>> print(session.run(y))
        [[3. 3.]]
    """
    layer = Dense(
        units,
        activation=activation,
        use_bias=use_bias,
        kernel_initializer=kernel_initializer,
        bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        _scope=name,
        _reuse=reuse,
    )
    return layer.apply(inputs)


class DropoutLayer(KerasLayer):
    """Sets random inputs to zero while training, and scales the others.

    Args:
        rate: the probability that an input is set to zero.
        noise_shape: the shape of the random decisions; see tf.nn.dropout.
        seed: the seed of the op.
        name: the name.
        **kwargs: further arguments of Layer.
    """

    def __init__(
        self,
        rate: TensorLike = 0.5,
        noise_shape: ShapeLike | None = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: NestedTensors, training: TensorLike = False) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a floating-point tensor.
            training: whether inputs are dropped; a Python or a tensor value. None for the
                learning phase of tf.keras.

        Returns:
            A tensor like `inputs`.
        """

        training = is_training(training)

        def dropped_inputs() -> Tensor:
            return dropped(inputs, self.rate, self._noise_shape(inputs), self.seed, None)

        return smart_cond(training, dropped_inputs, lambda: build.Identity(inputs))

    def _noise_shape(self, inputs: TensorLike) -> Tensor | None:
        if self.noise_shape is None:
            return None
        whole: Tensor = shape_tensor(inputs)
        lengths = [whole[i] if n is None else n for i, n in enumerate(self.noise_shape)]
        return convert_to_tensor(lengths)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Args:
            input_shape: the shape of the input.

        Returns:
            The same shape.
        """
        return input_shape


@export_layer("Dropout")
class Dropout(DropoutLayer, Layer):
    """Sets random inputs to zero while training, and scales the others."""


@export("layers.dropout")
def dropout(
    inputs: TensorLike,
    rate: TensorLike = 0.5,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    training: TensorLike = False,
    name: str | None = None,
) -> Tensor:
    """Sets random inputs to zero while training; see Dropout.

    Args:
        inputs: a floating-point tensor.
        rate: the probability that an input is set to zero.
        noise_shape: the shape of the random decisions; see tf.nn.dropout.
        seed: the seed of the op.
        training: whether inputs are dropped; a Python or a tensor value.
        name: the name of the layer.

    Returns:
        A tensor like `inputs`.

    Example:
        >>> x = tf.ones([3])
        >>> print(tf.layers.dropout(x, rate=0.9).eval())
        [1. 1. 1.]
    """
    layer = Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)
    return layer.apply(inputs, training=training)


class FlattenLayer(KerasLayer):
    """Joins all axes but the first one.

    Args:
        data_format: "channels_last" or "channels_first"; channels come last in the output.
        **kwargs: further arguments of Layer.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a tensor of rank 1 or more.

        Returns:
            A matrix.
        """
        rank = inputs.shape.ndims
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = build.Transpose(inputs, [0, *range(2, rank), 1], name="transpose")
        batch = inputs.shape[0].value
        if batch is None:
            shape: Tensor = shape_tensor(inputs)
            batch = shape[0]
        outputs = build.Reshape(inputs, (batch, -1))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Args:
            input_shape: the shape of the input.

        Returns:
            A shape of rank 2.
        """
        shape = TensorShape(input_shape)
        rest = shape[1:]
        return TensorShape([shape[0], rest.num_elements() if rest.is_fully_defined() else None])


@export_layer("Flatten")
class Flatten(FlattenLayer, Layer):
    """Joins all axes but the first one."""


@export("layers.flatten")
def flatten(
    inputs: TensorLike, name: str | None = None, data_format: str = "channels_last"
) -> Tensor:
    """Joins all axes but the first one.

    Args:
        inputs: a tensor of rank 1 or more.
        name: the name of the layer.
        data_format: "channels_last" or "channels_first"; channels come last in the output.

    Returns:
        A matrix of one row per example.
    """
    return Flatten(name=name, data_format=data_format).apply(inputs)
