"""replicate_model_fn: builds the model of a function on each device, for a part of the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import nest
from headwater.base.arguments import fn_args
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.estimator.tower_optimizer import (
    DEPRECATION,
    TowerOptimizer,
    TowerState,
    state_of_graph,
)
from headwater.engine.devices import local_devices
from headwater.estimator.export.outputs import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Operation, convert_to_tensor, get_default_graph, group, name_scope
from headwater.graph.default_graph import control_dependencies, device
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.losses.weighting import Reduction
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.split import split
from headwater.ops.math.add_n import add_n
from headwater.ops.sparse.concat import sparse_split
from headwater.ops.state.assign import assign, assign_add

_VARIABLE_OPS = frozenset(("Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"))


@export("contrib.estimator.replicate_model_fn")
@deprecated(*DEPRECATION)
def replicate_model_fn(
    model_fn: Callable[..., Any],
    loss_reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    devices: Sequence[str] | None = None,
) -> Callable[..., EstimatorSpec]:
    """Makes a model function that builds a model on each device, for a part of the batch.

    The Optimizer of the model function must be a TowerOptimizer, if there are several devices.

    Args:
        model_fn: a model function of tf.estimator.
        loss_reduction: how the loss comes from those of examples: SUM of Reduction adds the losses
            of the devices, others take their mean.
        devices: the names of the devices; by default all GPUs, or the CPU.

    Returns:
        A model function.

    Raises:
        ValueError: if the losses are not reduced.

    Example:
        >>> def model_fn(features, labels, mode):
        ...     loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
        ...     sgd = tf.contrib.estimator.TowerOptimizer(tf.train.GradientDescentOptimizer(0.1))
        ...     train_op = sgd.minimize(loss, tf.train.get_global_step())
        ...     return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
        >>> replicate = tf.contrib.estimator.replicate_model_fn
        >>> estimator = tf.estimator.Estimator(replicate(model_fn, devices=["/cpu:0"] * 2))
        >>> data = lambda: (tf.ones([4, 3]), tf.ones([4, 1]))
        >>> print(estimator.train(data, steps=2).get_variable_value("dense/kernel").shape)
        (3, 1)
    """
    if loss_reduction == Reduction.NONE:
        raise ValueError(
            "Tower losses need to be reduced in some way, yet none reduction is specified."
        )
    names = list(devices) if devices else _default_devices()
    # One device keeps the variables of one; the CPU those of several.
    variables_on = names[0] if len(names) == 1 else "/CPU:0"

    def replicated_model_fn(
        features: Any, labels: Any, mode: str, params: Any = None, config: Any = None
    ) -> EstimatorSpec:
        state = state_of_graph()
        state.number_of_towers, state.loss_reduction = len(names), loss_reduction
        state.collected = [[] for _ in names]
        parts = _split_batch(features, labels, len(names))
        specs = []
        for index, (name, (part, part_labels)) in enumerate(zip(names, parts)):
            with state.tower(index), _tower_scope(index, name, variables_on):
                spec = _call(model_fn, part, part_labels, mode, params, config)
            specs.append(_with_scaled_loss(spec, state))
        if mode == ModeKeys.TRAIN and len(names) > 1 and not TowerOptimizer.has_been_used():
            raise ValueError(
                "Please wrap optimizers with TowerOptimizer in order to use replicate_model_fn "
                "with multiple `devices`."
            )
        if len(specs) == 1:
            return specs[0]
        with device(variables_on):
            return _merged(specs, mode)

    return replicated_model_fn


def _default_devices() -> list[str]:
    gpus = [str(each.name) for each in local_devices() if each.device_type == "GPU"]
    return gpus or ["/device:CPU:0"]


def _call(
    model_fn: Callable[..., Any], features: Any, labels: Any, mode: str, params: Any, config: Any
) -> EstimatorSpec:
    """Calls a model function with those arguments that it takes."""
    taken = fn_args(model_fn)
    given = {"labels": labels, "mode": mode, "params": params, "config": config}
    spec: EstimatorSpec = model_fn(
        features, **{name: value for name, value in given.items() if name in taken}
    )
    return spec


class _tower_scope:
    """The scopes of a tower: variables are shared, other names begin with those of the tower."""

    def __init__(self, index: int, tower_device: str, variables_on: str) -> None:
        self._name = f"tower_{index}" if index else ""

        def placed(op: Operation) -> str:
            return variables_on if op.type in _VARIABLE_OPS else tower_device

        self._scopes: list[Any] = [
            variable_scope("", reuse=bool(index)),
            device(placed),
        ]

    def __enter__(self) -> None:
        for scope in self._scopes:
            scope.__enter__()
        names = name_scope(self._name or None)
        names.__enter__()
        self._scopes.append(names)

    def __exit__(self, *error: Any) -> None:
        for scope in reversed(self._scopes):
            scope.__exit__(*error)


def _split_batch(features: Any, labels: Any, count: int) -> list[tuple[Any, Any]]:
    """The parts of a batch."""
    if count == 1:
        return [(features, labels)]

    def parts(value: Any) -> list[Any]:
        if isinstance(value, SparseTensor):
            return list(sparse_split(sp_input=value, num_split=count, axis=0))
        value = convert_to_tensor(value)
        size = value.get_shape()[0].value if value.get_shape().ndims else None
        if size is not None and size % count:
            raise ValueError(
                f"Batch size {size} needs to be divisible by the number of GPUs, which is {count}."
            )
        return list(split(value, count))

    def split_structure(structure: Any) -> list[Any]:
        if structure is None:
            return [None] * count
        split_leaves = [parts(leaf) for leaf in nest.flatten(structure)]
        return [
            nest.pack_sequence_as(structure, [leaf[index] for leaf in split_leaves])
            for index in range(count)
        ]

    with name_scope("split_inputs"):
        return list(zip(split_structure(features), split_structure(labels)))


def _with_scaled_loss(spec: EstimatorSpec, state: TowerState) -> EstimatorSpec:
    return spec._replace(loss=state.scaled(spec.loss))


def _merged(specs: Sequence[EstimatorSpec], mode: str) -> EstimatorSpec:
    """What the replicated model function returns for several towers."""
    if mode == ModeKeys.PREDICT:
        return specs[0]._replace(
            predictions=_joined([spec.predictions for spec in specs]),
            export_outputs={
                name: _joined_output([spec.export_outputs[name] for spec in specs])
                for name in specs[0].export_outputs or {}
            },
        )
    loss = add_n([spec.loss for spec in specs], name="loss")
    if mode == ModeKeys.TRAIN:
        return specs[-1]._replace(loss=loss)
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with control_dependencies(updates):
        reduced = _reduce_metric_variables(len(specs))
    metrics = {name: (value, reduced) for name, (value, _) in specs[0].eval_metric_ops.items()}
    return specs[0]._replace(loss=loss, eval_metric_ops=metrics)


def _joined(values: Sequence[Any]) -> Any:
    """Predictions of all towers: a tensor, or tensors by name."""
    if isinstance(values[0], dict):
        return {key: concat([each[key] for each in values], 0, name=key) for key in values[0]}
    return concat(list(values), 0)


def _joined_output(outputs: Sequence[Any]) -> Any:
    first = outputs[0]
    if isinstance(first, PredictOutput):
        return PredictOutput(_joined([each.outputs for each in outputs]))
    if isinstance(first, RegressionOutput):
        return RegressionOutput(value=concat([each.value for each in outputs], 0))
    if isinstance(first, ClassificationOutput):
        scores, classes = (
            None if getattr(first, key) is None else concat([getattr(e, key) for e in outputs], 0)
            for key in ("scores", "classes")
        )
        return ClassificationOutput(scores=scores, classes=classes)
    return first


def _reduce_metric_variables(towers: int) -> Operation:
    """Moves the counts of all towers to the variables of the first one."""
    variables = get_default_graph().get_collection(GraphKeys.METRIC_VARIABLES)
    if len(variables) % towers:
        raise ValueError(
            f"{len(variables)} metric variables cannot be shared equally by {towers} towers."
        )
    of_each = len(variables) // towers
    ops: list[Any] = []
    for index in range(of_each):
        others = variables[index + of_each :: of_each]
        added = assign_add(variables[index], add_n(others))
        with control_dependencies([added]):
            ops.extend(assign(other, zeros_like(other)) for other in others)
    return group(*ops)
