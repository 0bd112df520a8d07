"""The bijector whose inverse is batch normalization."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, export, name_scope
from headwater.model.distributions.bijector import Bijector
from headwater.model.layers.normalization import BatchNormalization as BatchNormalizationLayer
from headwater.model.layers.normalization import BatchNormalizationLayer as KerasBatchNormalization
from headwater.model.nn.moments import moments
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.relu import relu


@export("contrib.distributions.bijectors.BatchNormalization")
class BatchNormalization(Bijector):
    """The bijector y = (x - beta) sqrt(variance + epsilon) / gamma + mean.

    The inverse, for training on data, normalizes with the moments of the batch and moves the
    averages; `forward` uses the averages.
    Source: Dinh, Sohl-Dickstein, Bengio, "Density estimation using Real NVP", 2017.

    Args:
        batchnorm_layer: the layer; None for a new one whose gamma stays positive.
        training: whether the inverse uses the moments of the batch.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.

    Raises:
        ValueError: if the layer is of another kind, renormalizes, or has virtual batches.
    """

    def __init__(
        self,
        batchnorm_layer: Any = None,
        training: bool = True,
        validate_args: bool = False,
        name: str = "batch_normalization",
    ) -> None:
        # Scale and inverse exist only for a positive gamma.
        self.batchnorm: Any = batchnorm_layer or BatchNormalizationLayer(
            gamma_constraint=lambda gamma: relu(gamma) + 1e-6
        )
        if not isinstance(self.batchnorm, KerasBatchNormalization):
            raise ValueError("batchnorm_layer must be an instance of BatchNormalization layer.")
        if self.batchnorm.renorm:
            raise ValueError("BatchNorm Bijector does not support renormalization.")
        if self.batchnorm.virtual_batch_size:
            raise ValueError("BatchNorm Bijector does not support virtual batch sizes.")
        self._training = training
        super().__init__(
            forward_min_event_ndims=1,
            validate_args=validate_args,
            name=name,
        )

    def _averages(self, x: Tensor) -> tuple[Any, Any]:
        """The averages of the layer, in a shape that broadcasts with `x`."""
        layer = self.batchnorm
        if not layer.built:
            layer.build(x.shape)
        return self._spread(layer.moving_mean, x), self._spread(layer.moving_variance, x)

    def _spread(self, vector: Any, x: Tensor) -> Any:
        """A vector of the layer as an array with a length of 1 along the normalized axes."""
        ndims = len(x.shape)
        axes = self.batchnorm.axis
        if vector is None or axes == [ndims - 1]:
            return vector
        dims = [x.shape[i].value if i in axes else 1 for i in range(ndims)]
        return build.Reshape(vector, dims)

    def _forward(self, x: Tensor) -> Tensor:
        layer = self.batchnorm
        mean, variance = self._averages(x)
        with name_scope("undo_batchnorm", None, [x, mean, variance]):
            gamma, beta = self._spread(layer.gamma, x), self._spread(layer.beta, x)
            scale: Any = build.Sqrt(variance + layer.epsilon)
            if gamma is not None:
                scale = scale / gamma
            return x * scale + (mean if beta is None else mean - beta * scale)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.batchnorm(y, training=self._training)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        layer = self.batchnorm
        if not layer.built:
            layer.build(y.shape)
        if self._training:
            axes = [i for i in range(len(y.shape)) if i not in layer.axis]
            _, variance = moments(y, axes=axes, keep_dims=True)
        else:
            variance = layer.moving_variance
        total = reduce_sum(build.Log(variance + layer.epsilon))
        gain = 0.0 if layer.gamma is None else reduce_sum(build.Log(layer.gamma))
        return gain - 0.5 * total

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        _, variance = self._averages(x)
        total = reduce_sum(build.Log(variance + self.batchnorm.epsilon))
        gamma = self.batchnorm.gamma
        return 0.5 * total - (0.0 if gamma is None else reduce_sum(build.Log(gamma)))

    def _forward_event_shape(self, input_shape: TensorShape) -> TensorShape:
        return input_shape

    def _forward_event_shape_tensor(self, input_shape: TensorLike) -> Any:
        return input_shape
