"""The base of the optimizers of Keras: hyperparameters, slots, and applying gradients."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, nest
from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, InitializerLike, ShapeLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Tensor,
    build,
    control_dependencies,
    get_default_graph,
    gradients,
    name_scope,
    replication,
)
from headwater.keras.backend.graph_state import track_variable
from headwater.keras.backend.values import batch_get_value, batch_set_value, get_value, set_value
from headwater.keras.initializers.random_values import get as get_initializer
from headwater.keras.optimizers.decays import LearningRateSchedule, deserialize, serialize
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.restoration import CheckpointPosition
from headwater.model.variables.variable import Variable
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.math.clip_by_norm import clip_by_norm
from headwater.ops.math.extrema import clip_by_value
from headwater.train.optimizers.optimizer import deduplicated
from headwater.train.optimizers.replicated_updates import (
    gradients_of_copies,
    share_of_loss,
    sums_over_processes,
)

_ARGUMENTS = ("clipnorm", "clipvalue", "lr", "decay")


def _takes_state(function: Callable[..., Any]) -> bool:
    """Whether the update of a subclass takes `apply_state`; those of older releases do not."""
    return "apply_state" in inspect.signature(function).parameters


def _key(var: Any) -> Any:
    """What the slots of a variable are found by."""
    whole = replication.container(var)
    return whole.primary.op if replication.has_copies(whole) else var.op


@export("keras.optimizers.Optimizer")
class OptimizerV2(Trackable):
    """The base of optimizers. Subclasses make slots and define the update of a variable.

    Args:
        name: the name, which is also that of the scope of its variables.
        **kwargs: `clipnorm`, `clipvalue`, `lr`, `decay`.

    Raises:
        TypeError: if a keyword is unknown.
        ValueError: if one of them is negative.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        for key, value in kwargs.items():
            if key not in _ARGUMENTS:
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}")
            if value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        self._name = name
        self._prefix = f"{name}/"
        self._hyper: dict[str, Any] = {}
        self._slots: dict[Any, dict[str, Any]] = {}
        # {slot: {op of the trained variable: checkpoints that wait for the slot}}.
        self._waiting_slots: dict[str, dict[Any, list[CheckpointPosition]]] = {}
        self._weights: list[Any] = []
        self._iterations: Any = None
        self._hypers_created = False
        self._use_locking = True
        self._initial_decay = kwargs.pop("decay", 0.0)
        for key in ("clipnorm", "clipvalue"):
            if key in kwargs:
                setattr(self, key, kwargs[key])

    @property
    def _object_identifier(self) -> str:
        return "optimizer"

    # Hyperparameters

    def _set_hyper(self, name: str, value: Any) -> None:
        before = self._hyper.get(name)
        if isinstance(before, Variable) and not isinstance(value, LearningRateSchedule):
            set_value(before, value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: Any = None) -> Any:
        if not self._hypers_created:
            self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return value
        if callable(value) and not isinstance(value, (Tensor, Variable)):
            value = value()
        if not dtype or (isinstance(value, Variable) and value.dtype.base_dtype == dtype):
            # A variable is read where it is used.
            return value
        return cast(value, dtype)

    def __getattribute__(self, name: str) -> Any:
        try:
            return super().__getattribute__(name)
        except AttributeError:
            if name.startswith("_"):
                raise
            name = "learning_rate" if name == "lr" else name
            if name in self._hyper:
                return self._get_hyper(name)
            raise

    def __setattr__(self, name: str, value: Any) -> None:
        name = "learning_rate" if name == "lr" else name
        if not name.startswith("_") and name in self._hyper:
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    def _create_hypers(self) -> None:
        if self._hypers_created:
            return
        for name in sorted(self._hyper):
            value = self._hyper[name]
            if not isinstance(value, (Tensor, Variable)) and not callable(value):
                self._hyper[name] = self._tracked(name, float(value), dtypes.float32)
        self._hypers_created = True

    def _serialize_hyperparameter(self, name: str) -> Any:
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return serialize(value)
        if isinstance(value, (Tensor, Variable)):
            return get_value(value)
        return value() if callable(value) else value

    # Variables

    def _variable(self, name: str, value: Any, dtype: Any) -> Any:
        made = Variable(value, name=name, trainable=False, dtype=dtype, use_resource=True)
        track_variable(made)
        return made

    def _tracked(self, name: str, value: Any, dtype: Any) -> Any:
        """A variable that checkpoints have under its name."""
        made = self._variable(name, value, dtype)
        self._track_trackable(made, name, overwrite=True)
        self._handle_deferred_dependencies(name, made)
        return made

    def add_weight(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike = "zeros",
        trainable: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Any:
        """Makes a variable of the optimizer, which is not one of `weights`.

        Args:
            name: the name.
            shape: the shape.
            dtype: the type; float32 if None.
            initializer: a name, or a function of shape and type.
            trainable: accepted; the variable is in no collection of trained ones.
            synchronization: a VariableSynchronization.
            aggregation: a VariableAggregation.

        Returns:
            The variable.
        """
        kind = as_dtype(dtype or dtypes.float32)
        make = get_initializer(initializer)
        return self._tracked(name, lambda: make(shape, dtype=kind), kind)

    @property
    def iterations(self) -> Any:
        """The number of steps, an int64 variable."""
        if self._iterations is None:
            self._iterations = self.add_weight("iter", (), dtypes.int64)
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have "
                "been created"
            )
        self._iterations = variable
        self._weights.append(variable)

    @property
    def weights(self) -> list[Any]:
        """The variables: the number of steps, then the slots in the order of their making."""
        return self._weights

    def variables(self) -> list[Any]:
        """The same as `weights`."""
        return self._weights

    def get_weights(self) -> list[Any]:
        """The values of the variables, a list of NumPy arrays."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Sets the values of the variables.

        Args:
            weights: arrays like those of `get_weights`.

        Raises:
            ValueError: if their number or a shape differs.
        """
        if len(weights) != len(self.weights):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self._name} with a  weight list "
                f"of length {len(weights)}, but the optimizer was expecting {len(self.weights)} "
                f"weights. Provided weights: {str(weights)[:50]}..."
            )
        for variable, value in zip(self.weights, weights, strict=True):
            if tuple(variable.shape.as_list()) != np.shape(value):
                raise ValueError(
                    f"Optimizer weight shape {tuple(variable.shape.as_list())} not compatible "
                    f"with provided weight shape {np.shape(value)}"
                )
        batch_set_value(list(zip(self.weights, weights, strict=True)))

    def add_slot(self, var: Any, slot_name: str, initializer: Any = "zeros") -> Any:
        """Makes a variable that belongs to a trained one.

        Args:
            var: the trained variable.
            slot_name: the name of the slot.
            initializer: a name, or a function of shape and type.

        Returns:
            The variable; the one that exists already.
        """
        slots = self._slots.setdefault(_key(var), {})
        if slot_name not in slots:
            make = get_initializer(initializer)
            shape, dtype = var.shape, var.dtype.base_dtype
            with name_scope(f"{self._prefix}{var.op.name}/"):
                slot = self._variable(slot_name, lambda: make(shape, dtype=dtype), dtype)
            slots[slot_name] = slot
            self._weights.append(slot)
            waiting = self._waiting_slots.get(slot_name, {}).pop(_key(var), [])
            for position in sorted(waiting, key=lambda item: item.restore_uid, reverse=True):
                position.restore(slot)
        return slots[slot_name]

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """The variable that belongs to a trained one.

        Args:
            var: the trained variable.
            slot_name: the name of the slot.

        Returns:
            A variable.
        """
        return replication.local(self._slots[_key(var)][slot_name])

    def get_slot_names(self) -> list[str]:
        """The names of all slots."""
        return sorted({name for slots in self._slots.values() for name in slots})

    def _create_or_restore_slot_variable(
        self, slot_variable_position: CheckpointPosition, slot_name: str, variable: Any
    ) -> None:
        """Restores a slot, or lets the checkpoint wait until it is made."""
        slot = self._slots.get(_key(variable), {}).get(slot_name)
        if slot is not None:
            slot_variable_position.restore(slot)
        else:
            waiting = self._waiting_slots.setdefault(slot_name, {})
            waiting.setdefault(_key(variable), []).append(slot_variable_position)

    # Gradients

    def get_gradients(self, loss: TensorLike, params: Sequence[Any]) -> list[Any]:
        """The derivatives of a loss, clipped as the optimizer asks for.

        Args:
            loss: a scalar.
            params: variables.

        Returns:
            A list of tensors.

        Raises:
            ValueError: if the loss does not depend on a variable.
        """
        with name_scope(f"{self._name}/gradients"):
            found = gradients_of_copies(share_of_loss(loss), params)
            for gradient, param in zip(found, params, strict=True):
                if gradient is None:
                    raise ValueError(
                        f"Variable {param} has `None` for gradient. Please make sure that all of "
                        "your ops have a gradient defined (i.e. are differentiable). Common ops "
                        "without gradient: K.argmax, K.round, K.eval."
                    )
            return [self._clipped(gradient) for gradient in found]

    def _clipped(self, gradient: Any) -> Any:
        if gradient is None:
            return None
        if hasattr(self, "clipnorm"):
            gradient = clip_by_norm(gradient, self.clipnorm)
        if hasattr(self, "clipvalue"):
            gradient = clip_by_value(gradient, -self.clipvalue, self.clipvalue)
        return gradient

    def get_updates(self, loss: TensorLike, params: Sequence[Any]) -> list[Any]:
        """The nodes of a training step.

        Args:
            loss: a scalar.
            params: variables.

        Returns:
            A list of nodes.
        """
        grads = sums_over_processes(self.get_gradients(loss, params))
        return [self.apply_gradients(list(zip(grads, params, strict=True)))]

    def minimize(
        self,
        loss: Callable[[], TensorLike],
        var_list: Any,
        grad_loss: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a training step.

        Args:
            loss: a function that returns the loss.
            var_list: variables, or a function that returns them.
            grad_loss: the derivative of the loss; 1 if None.
            name: the name of the step.

        Returns:
            An operation.
        """
        return self.apply_gradients(self._compute_gradients(loss, var_list, grad_loss), name=name)

    def _compute_gradients(
        self, loss: Any, var_list: Any, grad_loss: TensorLike | None = None
    ) -> list[tuple[Any, Any]]:
        value = loss() if callable(loss) else loss
        variables = nest.flatten(var_list() if callable(var_list) else var_list)
        seeds = None if grad_loss is None else [grad_loss]
        found = [self._clipped(g) for g in gradients(value, variables, grad_ys=seeds)]
        return list(zip(found, variables, strict=True))

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Makes a training step of gradients.

        Args:
            grads_and_vars: pairs of a gradient and a variable.
            name: the name of the step.

        Returns:
            An operation, which counts the step when the variables are updated.

        Raises:
            ValueError: if there are variables and none has a gradient.
        """
        mode = replication.replicating()
        every = list(grads_and_vars)
        pairs = [(gradient, variable) for gradient, variable in every if gradient is not None]
        if every and not pairs:
            names = [variable.name for _, variable in every]
            raise ValueError(f"No gradients provided for any variable: {names}.")
        if mode is not None and mode.replica_context is not None:
            return mode.replica_context.merge_call(self._apply_summed, args=(pairs, name))
        return self._applied(pairs, name)

    def _apply_summed(self, strategy: Any, pairs: Any, name: str | None) -> Any:
        """A training step of the sums of the gradients of all replicas."""
        sums = strategy.extended.batch_reduce_to("SUM", list(pairs))
        return self._applied([(g, variable) for g, (_, variable) in zip(sums, pairs)], name)

    def _applied(self, pairs: list[tuple[Any, Any]], name: str | None) -> Any:
        """A training step of gradients."""
        variables = [variable for _, variable in pairs]
        self._prefix = self._scope_of_variables()
        with control_dependencies(None), name_scope(self._prefix):
            _ = self.iterations
            self._create_hypers()
            self._create_slots(variables)
        with name_scope(self._prefix):
            apply_state = self._prepare(variables)
        with name_scope(self._prefix), name_scope(name or self._name):
            updates: list[Any] = []
            for gradient, variable in pairs:
                with name_scope(f"update_{variable.op.name}"):
                    updates.extend(self._updates_of(gradient, variable, apply_state))
            with control_dependencies(updates):
                return self.iterations.assign_add(1).op

    def _updates_of(self, gradient: Any, variable: Any, apply_state: Any) -> Sequence[Any]:
        """The updates of a variable: of each copy, if it has copies."""
        mode = replication.replicating()
        if mode is None or not replication.has_copies(variable):
            return [self._update(gradient, variable, apply_state)]

        def update(copy: Any, gradient: Any) -> Any:
            return self._update(gradient, copy, apply_state)

        found: Sequence[Any] = mode.strategy.extended.update(
            variable, update, args=(gradient,), group=False
        )
        return found

    def _scope_of_variables(self) -> str:
        """The name scope of the optimizer's variables: its name below the current scope."""
        scope = get_default_graph().get_name_scope()
        if scope == self._name or scope.endswith(f"/{self._name}"):
            return f"{scope}/"
        return f"{scope}/{self._name}/" if scope else f"{self._name}/"

    def _update(self, gradient: Any, variable: Any, apply_state: Any) -> Any:
        sparse = isinstance(gradient, IndexedSlices)
        function = self._resource_apply_sparse if sparse else self._resource_apply_dense
        kwargs = {"apply_state": apply_state} if _takes_state(function) else {}
        if sparse:
            values, indices = deduplicated(gradient.values, gradient.indices)
            update = function(values, variable, indices, **kwargs)
        else:
            update = function(gradient, variable, **kwargs)
        if getattr(variable, "constraint", None) is None:
            return update
        with control_dependencies([update]):
            return variable.assign(variable.constraint(variable)).op

    def _decayed_lr(self, var_dtype: Any) -> Any:
        rate = self._get_hyper("learning_rate", var_dtype)
        if isinstance(rate, LearningRateSchedule):
            rate = cast(rate(cast(self.iterations, var_dtype)), var_dtype)
        if self._initial_decay > 0.0:
            step = cast(self.iterations, var_dtype)
            rate = rate / (1.0 + self._get_hyper("decay", var_dtype) * step)
        return rate

    # What subclasses define: the methods with the names that they have in TensorFlow, or, for the
    # optimizers of this package, `_rates` and the updates that take them.

    def _prepare(self, var_list: Sequence[Any]) -> Any:
        """The tensors that the updates share, by device and type."""
        apply_state: dict[tuple[str, Any], dict[str, Any]] = {}
        for key in dict.fromkeys((v.device, v.dtype.base_dtype) for v in var_list):
            apply_state[key] = {}
            self._prepare_local(*key, apply_state)
        return apply_state

    def _prepare_local(
        self, var_device: str, var_dtype: Any, apply_state: dict[Any, dict[str, Any]]
    ) -> None:
        if "learning_rate" in self._hyper:
            shared = self._rates(var_dtype)
            apply_state[var_device, var_dtype].update(shared, lr_t=shared["rate"])

    def _shared(self, var: Any, apply_state: Any) -> dict[str, Any]:
        key = (var.device, var.dtype.base_dtype)
        known: dict[str, Any] | None = (apply_state or {}).get(key)
        return self._rates(key[1]) if known is None else known

    def _resource_apply_dense(self, grad: Tensor, var: Any, apply_state: Any = None) -> Any:
        return self._apply_dense(grad, var, self._shared(var, apply_state))

    def _resource_apply_sparse(
        self, grad: Tensor, var: Any, indices: Tensor, apply_state: Any = None
    ) -> Any:
        return self._apply_sparse(grad, var, indices, self._shared(var, apply_state))

    def _resource_scatter_add(self, x: Any, i: Tensor, v: Tensor) -> Tensor:
        with control_dependencies([build.ResourceScatterAdd(x.handle, i, v)]):
            value: Tensor = x.value()
        return value

    def _resource_scatter_update(self, x: Any, i: Tensor, v: Tensor) -> Tensor:
        with control_dependencies([build.ResourceScatterUpdate(x.handle, i, v)]):
            value: Tensor = x.value()
        return value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Makes the slots of the variables."""

    def _rates(self, dtype: Any) -> dict[str, Any]:
        """The tensors that the updates of all variables of a type share."""
        return {"rate": identity(self._decayed_lr(dtype))}

    def _apply_dense(self, grad: Tensor, var: Any, rates: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _apply_sparse(self, grad: Tensor, var: Any, indices: Tensor, rates: dict[str, Any]) -> Any:
        raise NotImplementedError

    # Configuration

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        config = {"name": self._name}
        for key in ("clipnorm", "clipvalue"):
            if hasattr(self, key):
                config[key] = getattr(self, key)
        return config

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> OptimizerV2:
        """Makes an optimizer of what `get_config` has returned."""
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = deserialize(config["learning_rate"], custom_objects)
        return cls(**config)

    def _scatter_add(self, x: Any, indices: Tensor, values: Tensor) -> Tensor:
        with control_dependencies([build.ResourceScatterAdd(x.handle, indices, values)]):
            return x.value()

    def _decayed(self, slot: Any, share: Tensor, indices: Tensor, values: Tensor) -> Tensor:
        """A slot that is multiplied by a number, and gets values added to some of its rows."""
        with control_dependencies([slot.assign(slot * share)]):
            return self._scatter_add(slot, indices, values)
