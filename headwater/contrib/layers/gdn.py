"""Generalized divisive normalization."""

from __future__ import annotations

from typing import Any

from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, Regularizer, ShapeLike, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    get_default_graph,
    name_scope,
    shape_tensor,
)
from headwater.graph.gradients import RegisterGradient
from headwater.model.layers.base import Layer
from headwater.model.layers.input_spec import InputSpec
from headwater.model.nn.convolution import convolution
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.linalg.diagonal import eye
from headwater.ops.math.cast import cast
from headwater.ops.nn.bias import bias_add


@RegisterGradient("GDNLowerBound")
def _gradient_of_lower_bound(op: Operation, grad: Tensor) -> list[Tensor | None]:
    """Passes gradients that move inputs above the bound, or that act on inputs above it."""
    inputs, bound = op.inputs
    passes = build.LogicalOr(build.GreaterEqual(inputs, bound), build.Less(grad, 0.0))
    return [cast(passes, grad.dtype) * grad, None]


@export("contrib.layers.GDN", "contrib.slim.GDN")
class GDN(Layer):
    """Generalized divisive normalization: x[i] / sqrt(beta[i] + sum(gamma[j, i] * x[j] ** 2)).

    `beta` and `gamma` are kept positive: the variables are roots of them.

    Args:
        inverse: whether to multiply instead of dividing.
        beta_min: the smallest `beta`.
        gamma_init: the initial factor of a channel on itself.
        reparam_offset: a small number that keeps gradients of the roots finite.
        data_format: channels_last or channels_first.
        activity_regularizer: a function from the output to a loss.
        trainable: whether optimizers change the variables by default.
        name: the name.
        **kwargs: further arguments of Layer.

    Source: J. Ballé, V. Laparra, E. P. Simoncelli, "Density Modeling of Images using a Generalized
    Normalization Transformation", 2016.
    """

    def __init__(
        self,
        inverse: bool = False,
        beta_min: float = 1e-6,
        gamma_init: float = 0.1,
        reparam_offset: float = 2**-18,
        data_format: str = "channels_last",
        activity_regularizer: Regularizer | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs
        )
        self.inverse = inverse
        self.data_format = data_format
        self._beta_min = beta_min
        self._gamma_init = gamma_init
        self._reparam_offset = reparam_offset
        self._channel_axis()

    def _channel_axis(self) -> int:
        axes = {"channels_first": 1, "channels_last": -1}
        if self.data_format not in axes:
            raise ValueError(f"Unsupported `data_format` for GDN layer: {self.data_format}.")
        return axes[self.data_format]

    def build(self, input_shape: ShapeLike) -> None:
        """Makes beta and gamma.

        Args:
            input_shape: the shape of the input.

        Raises:
            ValueError: if the number of channels is unknown.
        """
        axis = self._channel_axis()
        shape = TensorShape(input_shape)
        channels = shape[axis].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")
        self.input_spec = InputSpec(ndim=shape.ndims, axes={axis: channels})
        offset = self._reparam_offset
        dtype = as_dtype(self.dtype or "float32")
        pedestal: Tensor = constant_node(offset**2, dtype)
        beta_bound: Tensor = constant_node((self._beta_min + offset**2) ** 0.5, dtype)
        gamma_bound: Tensor = constant_node(offset, dtype)

        def initial_beta(
            shape: ShapeLike, dtype: DTypeLike = None, partition_info: Any = None
        ) -> Tensor:
            shift: Tensor = constant_node(offset**2, dtype)
            return build.Sqrt(ones(shape, dtype) + shift)

        def initial_gamma(
            shape: ShapeLike, dtype: DTypeLike = None, partition_info: Any = None
        ) -> Tensor:
            units = eye(TensorShape(shape)[0].value, dtype=dtype)
            shift: Tensor = constant_node(offset**2, dtype)
            return build.Sqrt(self._gamma_init * units + shift)

        beta = self.add_weight("reparam_beta", [channels], self.dtype, initial_beta, trainable=True)
        self.beta = build.Square(_lower_bound(beta, beta_bound)) - pedestal
        gamma = self.add_weight(
            "reparam_gamma", [channels, channels], self.dtype, initial_gamma, trainable=True
        )
        self.gamma = build.Square(_lower_bound(gamma, gamma_bound)) - pedestal
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        """Normalizes the inputs.

        Args:
            inputs: a tensor of rank 3, 4 or 5.

        Returns:
            A tensor like `inputs`.
        """
        rank = inputs.shape.ndims or 0
        spatial = "DHW"[5 - rank :]
        first = self.data_format == "channels_first"
        kernel = build.Reshape(self.gamma, [1] * (rank - 2) + self.gamma.shape.as_list())
        layout = f"NC{spatial}" if first else f"N{spatial}C"
        if rank == 3:
            layout = "NCW" if first else "NWC"
        pool = convolution(build.Square(inputs), kernel, "VALID", data_format=layout)
        norm: Tensor = build.Sqrt(self._with_beta(pool, first))
        outputs = inputs * norm if self.inverse else inputs / norm
        outputs.set_shape(inputs.shape)
        return outputs

    def _with_beta(self, pool: Tensor, first: bool) -> Tensor:
        """Adds beta; with channels first only four axes are supported by the op."""
        rank = pool.shape.ndims
        if not first:
            return bias_add(pool, self.beta, data_format="NHWC")
        if rank == 3:
            images = bias_add(expand_dims(pool, 2), self.beta, data_format="NCHW")
            return squeeze(images, [2])
        if rank == 5:
            shape = shape_tensor(pool)
            images = build.Reshape(pool, concat([shape[:3], [-1]], 0))
            return build.Reshape(bias_add(images, self.beta, data_format="NCHW"), shape)
        return bias_add(pool, self.beta, data_format="NCHW")

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Args:
            input_shape: the shape of the input.

        Returns:
            The same shape.

        Raises:
            ValueError: if the number of channels is unknown.
        """
        shape = TensorShape(input_shape)
        if shape[self._channel_axis()].value is None:
            raise ValueError("The channel dimension of input_shape must be defined.")
        return shape


def _lower_bound(inputs: TensorLike, bound: Tensor) -> Tensor:
    with (
        name_scope(None, "GDNLowerBound", [inputs, bound]) as scope,
        get_default_graph().gradient_override_map({"Maximum": "GDNLowerBound"}),
    ):
        return build.Maximum(inputs, bound, name=scope)


@export("contrib.layers.gdn", "contrib.slim.gdn")
def gdn(
    inputs: Tensor,
    inverse: bool = False,
    beta_min: float = 1e-6,
    gamma_init: float = 0.1,
    reparam_offset: float = 2**-18,
    data_format: str = "channels_last",
    activity_regularizer: Regularizer | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """Applies generalized divisive normalization; see GDN.

    Args:
        inputs: a tensor of rank 3, 4 or 5.
        inverse: whether to multiply instead of dividing.
        beta_min: the smallest `beta`.
        gamma_init: the initial factor of a channel on itself.
        reparam_offset: a small number that keeps gradients of the roots finite.
        data_format: channels_last or channels_first.
        activity_regularizer: a function from the output to a loss.
        trainable: whether optimizers change the variables by default.
        name: the name of the layer and its variable scope.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor like `inputs`.
    """
    layer = GDN(
        inverse=inverse,
        beta_min=beta_min,
        gamma_init=gamma_init,
        reparam_offset=reparam_offset,
        data_format=data_format,
        activity_regularizer=activity_regularizer,
        trainable=trainable,
        name=name,
        dtype=inputs.dtype.base_dtype.name,
        _scope=name,
        _reuse=reuse,
    )
    return layer.apply(inputs)
