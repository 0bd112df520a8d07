"""BatchNormalization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import (
    Constraint,
    DTypeLike,
    InitializerLike,
    NestedTensors,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.graph import (
    Tensor,
    build,
    colocate_with,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    ones_like,
    shape_tensor,
    zeros_like,
)
from headwater.model.layers.base import Layer
from headwater.model.layers.function_form import export_layer
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.layer import Layer as KerasLayer
from headwater.model.layers.resolvers import is_training
from headwater.model.nn.batch_normalization import batch_normalization as normalized
from headwater.model.nn.moments import moments
from headwater.model.reduction_helpers import mean_of
from headwater.model.smart_cond import known_value, smart_cond
from headwater.model.variables.initializers import Ones, Zeros
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization
from headwater.ops.math.cast import cast
from headwater.ops.nn.fused_batch_norm import fused_batch_norm
from headwater.ops.state.assign import assign, assign_sub

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable
    from headwater.model.variables.variable_store import Reuse

_ZEROS, _ONES = Zeros(), Ones()
_CLIPPING_KEYS = ["rmax", "rmin", "dmax"]


class BatchNormalizationLayer(KerasLayer):
    """Normalizes inputs to mean 0 and variance 1, then scales and shifts them.

    While training, mean and variance are those of the batch, and moving averages of them are kept
    by updates in the collection UPDATE_OPS; else the moving averages are used.

    Args:
        axis: the axis of the features (or several).
        momentum: the momentum of the moving averages.
        epsilon: what is added to the variance.
        center: whether there is an offset `beta`.
        scale: whether there is a factor `gamma`.
        beta_initializer: the initializer of the offset.
        gamma_initializer: the initializer of the factor.
        moving_mean_initializer: the initializer of the average mean.
        moving_variance_initializer: the initializer of the average variance.
        beta_regularizer: a function from the offset to a loss.
        gamma_regularizer: a function from the factor to a loss.
        beta_constraint: a function from a new offset to the one that is kept.
        gamma_constraint: a function from a new factor to the one that is kept.
        renorm: whether to correct towards the moving averages ("Batch Renormalization").
        renorm_clipping: limits of the correction: "rmax", "rmin", "dmax".
        renorm_momentum: the momentum of the averages that it uses.
        fused: whether to use the op for images; None does if it can be used.
        trainable: whether optimizers change the variables by default.
        virtual_batch_size: the size of the groups of examples that are normalized together.
        adjustment: a function from the shape of the input to a factor and an offset for training.
        name: the name.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the arguments do not fit together.

    Source: S. Ioffe, C. Szegedy, "Batch Normalization", 2015; S. Ioffe, "Batch Renormalization",
    2017.
    """

    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = _ZEROS,
        gamma_initializer: InitializerLike = _ONES,
        moving_mean_initializer: InitializerLike = _ZEROS,
        moving_variance_initializer: InitializerLike = _ONES,
        beta_regularizer: Regularizer | None = None,
        gamma_regularizer: Regularizer | None = None,
        beta_constraint: Constraint | None = None,
        gamma_constraint: Constraint | None = None,
        renorm: bool = False,
        renorm_clipping: dict[str, Any] | None = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Callable[..., Any] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        if not isinstance(axis, (int, list)):
            raise TypeError(f"axis must be int or list, type given: {type(axis)}")
        self.axis: Any = axis if isinstance(axis, int) else list(axis)
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.renorm = renorm
        self.virtual_batch_size = virtual_batch_size
        self.adjustment: Any = adjustment
        self.fused = fused
        self.renorm_clipping = renorm_clipping or {}
        self.renorm_momentum = renorm_momentum
        unknown = set(self.renorm_clipping) - set(_CLIPPING_KEYS)
        if renorm and unknown:
            raise ValueError(
                f"renorm_clipping {renorm_clipping} contains keys not in {_CLIPPING_KEYS}"
            )
        self.gamma: TensorLike = None
        self.beta: TensorLike = None
        # What the fused op gets in the place of a missing factor or offset.
        self._fixed: dict[str, Tensor] = {}

    # Variables

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables.

        Args:
            input_shape: the shape of the input.

        Raises:
            ValueError: if the rank or the length of the axis is unknown, or the axis is wrong.
        """
        shape = TensorShape(input_shape)
        if shape.ndims is None:
            raise ValueError("Input has undefined rank:", shape)
        self._resolve_axes(shape.ndims)
        self.fused = self._can_be_fused(shape.ndims) and self.fused is not False
        lengths = {axis: shape[axis].value for axis in self.axis}
        if None in lengths.values():
            raise ValueError("Input has undefined `axis` dimension. Input shape: ", shape)
        self.input_spec = InputSpec(ndim=shape.ndims, axes=lengths)
        if len(lengths) == 1 and self.virtual_batch_size is None:
            size = list(lengths.values())
        else:
            size = [lengths.get(i, 1) for i in range(shape.ndims)]
            if self.virtual_batch_size is not None:
                size.insert(1, 1)
                self.axis = [axis + 1 for axis in self.axis]
        half = as_dtype(self.dtype or "float32") in (dtypes.float16, dtypes.bfloat16)
        self._weight_dtype = "float32" if half else self.dtype
        self.gamma = self._affine("gamma", self.scale, size, 1.0)
        self.beta = self._affine("beta", self.center, size, 0.0)
        self._make_averages(size)
        self.built = True

    def _resolve_axes(self, rank: int) -> None:
        given = [self.axis] if isinstance(self.axis, int) else self.axis
        self.axis = [axis + rank if axis < 0 else axis for axis in given]
        for axis in self.axis:
            if not 0 <= axis < rank:
                raise ValueError(f"Invalid axis: {axis}")
        if len(self.axis) != len(set(self.axis)):
            raise ValueError(f"Duplicate axis: {self.axis}")
        if self.virtual_batch_size is not None:
            if self.virtual_batch_size <= 0:
                raise ValueError(
                    "virtual_batch_size must be a positive integer that divides the "
                    "true batch size of the input Tensor"
                )
            if 0 in self.axis:
                raise ValueError(
                    "When using virtual_batch_size, the batch dimension must be 0 and "
                    "thus axis cannot include 0"
                )
            if self.adjustment is not None:
                raise ValueError("When using virtual_batch_size, adjustment cannot be specified")

    def _can_be_fused(self, rank: int) -> bool:
        plain = not self.renorm and self.virtual_batch_size is None and self.adjustment is None
        return rank == 4 and self.axis in ([1], [3]) and plain

    def _affine(self, name: str, wanted: bool, size: list[Any], value: float) -> Any:
        if wanted:
            return self.add_weight(
                name,
                shape=size,
                dtype=self._weight_dtype,
                initializer=getattr(self, f"{name}_initializer"),
                regularizer=getattr(self, f"{name}_regularizer"),
                constraint=getattr(self, f"{name}_constraint"),
                trainable=True,
            )
        if self.fused:
            dtype = as_dtype(self._weight_dtype or "float32")
            self._fixed[name] = constant_node(value, dtype, shape=size)
        return None

    def _make_averages(self, size: list[Any]) -> None:
        self.moving_mean = self._average("moving_mean", size, self.moving_mean_initializer)
        self.moving_variance = self._average(
            "moving_variance", size, self.moving_variance_initializer
        )
        if self.renorm:
            deviation = self._deviation_initializer
            self.moving_stddev = self._average("moving_stddev", size, deviation)
            self.renorm_mean = self._average("renorm_mean", size, self.moving_mean_initializer)
            self.renorm_stddev = self._average("renorm_stddev", size, deviation)

    def _average(self, name: str, size: list[Any], initializer: InitializerLike) -> Any:
        return self.add_weight(
            name,
            shape=size,
            dtype=self._weight_dtype,
            initializer=initializer,
            synchronization=VariableSynchronization.ON_READ,
            aggregation=VariableAggregation.MEAN,
            trainable=False,
        )

    def _deviation_initializer(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> Tensor:
        return build.Sqrt(self.moving_variance_initializer(shape, dtype=dtype))

    # Computing

    def call(self, inputs: TensorLike, training: TensorLike = False) -> Tensor:
        """Normalizes inputs.

        Args:
            inputs: a tensor.
            training: whether mean and variance are those of the batch; a Python or tensor value.
                None for the learning phase of tf.keras.

        Returns:
            A tensor like `inputs`.
        """
        training = is_training(training)
        if self.virtual_batch_size is not None:
            given = inputs
            static = inputs.shape.as_list()
            tail = [-1 if n is None else n for n in static[1:]]
            inputs = build.Reshape(inputs, [self.virtual_batch_size, -1, *tail])
            outputs = build.Reshape(self._normalized(inputs, training), [-1, *tail])
            outputs.set_shape(given.shape)
            return outputs
        return self._fused(inputs, training) if self.fused else self._normalized(inputs, training)

    def _fused(self, inputs: Tensor, training: TensorLike) -> Tensor:
        data_format = "NCHW" if self.axis == [1] else "NHWC"
        gamma: TensorLike = self._fixed.get("gamma", self.gamma)
        beta: TensorLike = self._fixed.get("beta", self.beta)

        def with_batch() -> tuple[Tensor, ...]:
            return fused_batch_norm(
                inputs, gamma, beta, epsilon=self.epsilon, data_format=data_format
            )

        def with_averages() -> tuple[Tensor, ...]:
            return fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=False,
                data_format=data_format,
            )

        output, mean, variance = smart_cond(training, with_batch, with_averages)
        known = known_value(training)
        if known is None:
            momentum = smart_cond(training, lambda: self.momentum, lambda: 1.0)
        else:
            momentum = convert_to_tensor(self.momentum)
        if known is None or known:
            self.add_update(_moved(self.moving_mean, mean, momentum))
            self.add_update(_moved(self.moving_variance, variance, momentum))
        return output

    def _normalized(self, inputs: Tensor, training: TensorLike) -> Tensor:
        rank = inputs.shape.ndims or 0
        axes = [i for i in range(rank) if i not in self.axis]
        if self.virtual_batch_size is not None:
            axes.remove(1)
        form: list[Any] = [1] * rank
        form[self.axis[0]] = inputs.shape[self.axis[0]].value

        def spread(vector: TensorLike) -> Any:
            if vector is None or vector.shape.ndims == rank or axes == list(range(rank - 1)):
                return vector
            return build.Reshape(vector, form)

        scale, offset = spread(self.gamma), spread(self.beta)
        known = known_value(training)
        mean: TensorLike = self.moving_mean
        variance: TensorLike = self.moving_variance
        if known is None or known:
            if self.adjustment is not None:
                scale, offset = self._adjusted(inputs, training, scale, offset)
            keep = self.virtual_batch_size is not None or len(self.axis) > 1
            dtype = as_dtype(self._weight_dtype or "float32")
            mean, variance = moments(cast(inputs, dtype), axes, keepdims=keep)
            batch_mean, batch_variance = mean, variance
            mean = smart_cond(
                training, lambda: batch_mean, lambda: convert_to_tensor(self.moving_mean)
            )
            variance = smart_cond(
                training, lambda: batch_variance, lambda: convert_to_tensor(self.moving_variance)
            )
            new_mean, new_variance = mean, variance
            if self.virtual_batch_size is not None:
                new_mean = mean_of(mean, 1, keep_dims=True)
                new_variance = mean_of(variance, 1, keep_dims=True)
            if self.renorm:
                r, d, new_mean, new_variance = self._renormalized(new_mean, new_variance, training)
                r = spread(build.StopGradient(r, name="renorm_r"))
                d = spread(build.StopGradient(d, name="renorm_d"))
                scale, offset = _composed(r, d, scale, offset)
            self._add_updates(new_mean, new_variance, training)
        mean, variance = cast(mean, inputs.dtype), cast(variance, inputs.dtype)
        if offset is not None:
            offset = cast(offset, inputs.dtype)
        if scale is not None:
            scale = cast(scale, inputs.dtype)
        outputs = normalized(inputs, spread(mean), spread(variance), offset, scale, self.epsilon)
        outputs.set_shape(inputs.shape)
        return outputs

    def _add_updates(self, mean: TensorLike, variance: TensorLike, training: TensorLike) -> None:
        self.add_update(
            smart_cond(
                training,
                lambda: _moved(self.moving_mean, mean, self.momentum),
                lambda: convert_to_tensor(self.moving_mean),
            )
        )
        if not self.renorm:
            self.add_update(
                smart_cond(
                    training,
                    lambda: _moved(self.moving_variance, variance, self.momentum),
                    lambda: convert_to_tensor(self.moving_variance),
                )
            )
            return

        def moved_deviation() -> Tensor:
            deviation = build.Sqrt(variance + self.epsilon)
            moved = _moved(self.moving_stddev, deviation, self.momentum)
            # Rounding may make it negative.
            new = build.Relu(moved * moved - self.epsilon)
            with name_scope(None, "AssignNewValue", [self.moving_variance, new]) as scope:
                return assign(self.moving_variance, new, name=scope)

        self.add_update(
            smart_cond(training, moved_deviation, lambda: convert_to_tensor(self.moving_variance))
        )

    def _adjusted(
        self, inputs: Tensor, training: TensorLike, scale: TensorLike, offset: Variable
    ) -> tuple[Tensor, ...]:
        factor, shift = self.adjustment(shape_tensor(inputs))
        factor = smart_cond(training, lambda: factor, lambda: ones_like(factor))
        shift = smart_cond(training, lambda: shift, lambda: zeros_like(shift))
        return _composed(factor, shift, scale, offset)

    def _renormalized(
        self, mean: TensorLike, variance: TensorLike, training: TensorLike
    ) -> NestedTensors:
        """The corrections r and d, and the mean and variance that update the moving averages."""
        deviation: Tensor = build.Sqrt(variance + self.epsilon)
        # The smallest possible deviation; the average may start below it.
        average = build.Maximum(self.renorm_stddev, build.Sqrt(self.epsilon))
        r = deviation / average
        d = (mean - self.renorm_mean) / average
        with control_dependencies([r, d]):
            mean = build.Identity(mean)
            deviation = build.Identity(deviation)
        limits = [self.renorm_clipping.get(key) for key in ("rmin", "rmax", "dmax")]
        if limits[0] is not None:
            r = build.Maximum(r, limits[0])
        if limits[1] is not None:
            r = build.Minimum(r, limits[1])
        if limits[2] is not None:
            d = build.Minimum(build.Maximum(d, -limits[2]), limits[2])
        r, d = (
            smart_cond(training, lambda: r, lambda: ones_like(r)),
            smart_cond(training, lambda: d, lambda: zeros_like(d)),
        )
        with control_dependencies(
            [
                self._moved_renorm(self.renorm_mean, mean, training),
                self._moved_renorm(self.renorm_stddev, deviation, training),
            ]
        ):
            return r, d, build.Identity(mean), build.Identity(variance)

    def _moved_renorm(self, average: Variable, value: TensorLike, training: TensorLike) -> Tensor:
        value = build.Identity(value)
        return smart_cond(
            training,
            lambda: _moved(average, value, self.renorm_momentum),
            lambda: build.Identity(average),
        )

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Args:
            input_shape: the shape of the input.

        Returns:
            The same shape.
        """
        return input_shape


def _composed(
    factor: Tensor, shift: Tensor, then_factor: Variable, then_shift: TensorLike
) -> tuple[Any, Any]:
    """The composition of two affine functions."""
    if then_factor is not None:
        factor, shift = factor * then_factor, shift * then_factor
    if then_shift is not None:
        shift = shift + then_shift
    return factor, shift


def _moved(average: Variable, value: TensorLike, momentum: TensorLike) -> Tensor:
    """Moves a moving average towards a value."""
    with name_scope(None, "AssignMovingAvg", [average, value]) as scope, colocate_with(average):
        dtype = average.dtype.base_dtype
        decay: Tensor = cast(convert_to_tensor(1.0 - momentum, name="decay"), dtype)
        difference = (average - cast(value, dtype)) * decay
        return assign_sub(average, difference, name=scope)


@export_layer("BatchNormalization")
class BatchNormalization(BatchNormalizationLayer, Layer):
    """Normalizes inputs to mean 0 and variance 1, then scales and shifts them."""

    def _make_averages(self, size: list[Any]) -> None:
        scope = self._scope
        assert scope is not None
        partitioner = scope.partitioner
        # The averages are never partitioned.
        scope.set_partitioner(None)
        try:
            super()._make_averages(size)
        finally:
            scope.set_partitioner(partitioner)


@export("layers.batch_normalization")
def batch_normalization(
    inputs: TensorLike,
    axis: int | Sequence[int] = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: InitializerLike = _ZEROS,
    gamma_initializer: InitializerLike = _ONES,
    moving_mean_initializer: InitializerLike = _ZEROS,
    moving_variance_initializer: InitializerLike = _ONES,
    beta_regularizer: Regularizer | None = None,
    gamma_regularizer: Regularizer | None = None,
    beta_constraint: Constraint | None = None,
    gamma_constraint: Constraint | None = None,
    training: TensorLike = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
    renorm: bool = False,
    renorm_clipping: dict[str, Any] | None = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Callable[..., Any] | None = None,
) -> Tensor:
    """Normalizes a batch; see BatchNormalization.

    The updates of the moving averages must be run with the training op: they are in the collection
    tf.GraphKeys.UPDATE_OPS.

    Args:
        inputs: a tensor.
        axis: the axis of the features (or several).
        momentum: the momentum of the moving averages.
        epsilon: what is added to the variance.
        center: whether there is an offset `beta`.
        scale: whether there is a factor `gamma`.
        beta_initializer: the initializer of the offset.
        gamma_initializer: the initializer of the factor.
        moving_mean_initializer: the initializer of the average mean.
        moving_variance_initializer: the initializer of the average variance.
        beta_regularizer: a function from the offset to a loss.
        gamma_regularizer: a function from the factor to a loss.
        beta_constraint: a function from a new offset to the one that is kept.
        gamma_constraint: a function from a new factor to the one that is kept.
        training: whether mean and variance are those of the batch; a Python or tensor value.
        trainable: whether optimizers change the variables by default.
        name: the name of the layer and its variable scope.
        reuse: whether the variables of a layer of this name are used again.
        renorm: whether to correct towards the moving averages.
        renorm_clipping: limits of the correction: "rmax", "rmin", "dmax".
        renorm_momentum: the momentum of the averages that it uses.
        fused: whether to use the op for images; None does if it can be used.
        virtual_batch_size: the size of the groups of examples that are normalized together.
        adjustment: a function from the shape of the input to a factor and an offset for training.

    Returns:
        A tensor like `inputs`.

    Raises:
        ValueError: if the arguments do not fit together.
    """
    layer = BatchNormalization(
        axis=axis,
        momentum=momentum,
        epsilon=epsilon,
        center=center,
        scale=scale,
        beta_initializer=beta_initializer,
        gamma_initializer=gamma_initializer,
        moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer,
        beta_regularizer=beta_regularizer,
        gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint,
        gamma_constraint=gamma_constraint,
        renorm=renorm,
        renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_momentum,
        fused=fused,
        trainable=trainable,
        virtual_batch_size=virtual_batch_size,
        adjustment=adjustment,
        name=name,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs, training=training)
