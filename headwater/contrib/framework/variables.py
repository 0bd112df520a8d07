"""Variables of models: how they are made, found by name, and assigned."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import (
    CustomGetter,
    DeviceLike,
    DTypeLike,
    InitializerLike,
    Partitioner,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.graph import Operation, Tensor, build, get_default_graph, group
from headwater.graph.default_graph import add_to_collection, device, get_collection
from headwater.graph.device import DeviceSpec
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.resource_variable import is_resource_variable
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization
from headwater.model.variables.variable_scope import get_variable, get_variable_scope
from headwater.model.variables.variable_scope_object import ScopeLike, VariableScope
from headwater.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headwater.model.variables.partitioned_variable import PartitionedVariable
    from headwater.model.variables.ref_variable import RefVariable
    from headwater.session.session import Session

# Making variables


@export("contrib.framework.variable", "contrib.slim.variable")
@add_arg_scope
def variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    collections: Sequence[str] | None = None,
    caching_device: DeviceLike | None = None,
    device: DeviceLike | None = None,
    partitioner: Partitioner | None = None,
    custom_getter: CustomGetter | None = None,
    use_resource: bool | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> PartitionedVariable | RefVariable:
    """`tf.get_variable` with a device, for use with `arg_scope`.

    Args:
        name: the name below the current variable scope.
        device: the device of the variable, or a function from Operation to device.
        custom_getter: a getter that takes the place of `tf.get_variable`.
        shape: as in `tf.get_variable`, like all others.

    Returns:
        A Variable.
    """
    keys = dict.fromkeys([GraphKeys.GLOBAL_VARIABLES] if collections is None else collections)
    getter: Callable[..., Any] = get_variable
    if custom_getter is not None:
        getter = partial(custom_getter, reuse=get_variable_scope().reuse)
    with _on(device):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(keys),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


def _on(place: VariableDeviceChooser | None) -> Any:
    return device(place or "")


@export("contrib.framework.model_variable", "contrib.slim.model_variable")
@add_arg_scope
def model_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    collections: Sequence[str] | None = None,
    caching_device: DeviceLike | None = None,
    device: DeviceLike | None = None,
    partitioner: Partitioner | None = None,
    custom_getter: CustomGetter | None = None,
    use_resource: bool | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> PartitionedVariable | RefVariable:
    """`variable` for a variable that inference needs: it joins MODEL_VARIABLES, too.

    Args:
        name: the name below the current variable scope.
        shape: as in `variable`, like all others.

    Returns:
        A Variable.
    """
    keys = [*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=keys,
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


@export("contrib.framework.local_variable", "contrib.slim.local_variable")
def local_variable(
    initial_value: TensorLike,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Variable:
    """Makes a local variable that is not trainable.

    Args:
        initial_value: as in `tf.Variable`.
        validate_shape: as in `tf.Variable`.
        name: the name.
        use_resource: as in `tf.Variable`.

    Returns:
        A Variable.
    """
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


@export("contrib.framework.global_variable", "contrib.slim.global_variable")
def global_variable(
    initial_value: TensorLike,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Variable:
    """Makes a global variable that is not trainable.

    Args:
        initial_value: as in `tf.Variable`.
        validate_shape: as in `tf.Variable`.
        name: the name.
        use_resource: as in `tf.Variable`.

    Returns:
        A Variable.
    """
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.GLOBAL_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


@export("contrib.framework.add_model_variable", "contrib.slim.add_model_variable")
def add_model_variable(var: Variable) -> None:
    """Puts a variable into the collection MODEL_VARIABLES if it is not there.

    Args:
        var: the variable.
    """
    if not any(v is var for v in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


@export("contrib.framework.VariableDeviceChooser", "contrib.slim.VariableDeviceChooser")
class VariableDeviceChooser:
    """A device function that puts variables on the parameter servers in turn.

    Args:
        num_tasks: the number of parameter servers; 0 means none.
        job_name: the name of their job.
        device_type: the type of the device.
        device_index: its index.
        replica: the replica, or None.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
        replica: int | None = None,
    ) -> None:
        self._num_tasks = num_tasks
        self._job_name = job_name
        self._device_type = device_type
        self._device_index = device_index
        self._replica = replica
        self._next_task = 0

    def __call__(self, op: Operation) -> str:
        """The device of the next variable."""
        spec = DeviceSpec(
            replica=self._replica,
            device_type=self._device_type,
            device_index=self._device_index,
        )
        if self._num_tasks > 0:
            spec.job, spec.task = self._job_name, self._next_task
            self._next_task = (self._next_task + 1) % self._num_tasks
        return spec.to_string()


# Finding variables


@export("contrib.framework.get_variables", "contrib.slim.get_variables")
def get_variables(
    scope: ScopeLike | None = None,
    suffix: str | None = None,
    collection: str = GraphKeys.GLOBAL_VARIABLES,
) -> list[Any]:
    """The variables of a collection whose names begin and end in a given way.

    Args:
        scope: a regular expression or VariableScope for the beginning.
        suffix: the end of the name.
        collection: the key of the collection.

    Returns:
        A list of variables.
    """
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix if ':' in suffix else suffix + ':'}"
    return get_collection(collection, scope)


@export("contrib.framework.get_model_variables", "contrib.slim.get_model_variables")
def get_model_variables(scope: ScopeLike | None = None, suffix: str | None = None) -> list[Any]:
    """The variables that inference needs.

    Args:
        scope: a regular expression or VariableScope for the beginning of the name.
        suffix: the end of the name.

    Returns:
        A list of variables.
    """
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


@export("contrib.framework.get_local_variables", "contrib.slim.get_local_variables")
def get_local_variables(scope: ScopeLike | None = None, suffix: str | None = None) -> list[Any]:
    """The local variables of this process.

    Args:
        scope: a regular expression or VariableScope for the beginning of the name.
        suffix: the end of the name.

    Returns:
        A list of variables.
    """
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


@export("contrib.framework.get_trainable_variables", "contrib.slim.get_trainable_variables")
def get_trainable_variables(scope: ScopeLike | None = None, suffix: str | None = None) -> list[Any]:
    """The variables that optimizers change by default.

    Args:
        scope: a regular expression or VariableScope for the beginning of the name.
        suffix: the end of the name.

    Returns:
        A list of variables.
    """
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


@export("contrib.framework.get_variables_by_suffix", "contrib.slim.get_variables_by_suffix")
def get_variables_by_suffix(suffix: str, scope: ScopeLike | None = None) -> list[Any]:
    """The global variables whose names end in a given way.

    Args:
        suffix: the end of the name.
        scope: a regular expression or VariableScope for the beginning.

    Returns:
        A list of variables.
    """
    return get_variables(scope, suffix)


@export("contrib.framework.get_variables_by_name", "contrib.slim.get_variables_by_name")
def get_variables_by_name(given_name: str, scope: ScopeLike | None = None) -> list[Any]:
    """The global variables with a given last part of the name.

    Args:
        given_name: the last part.
        scope: a regular expression or VariableScope for the beginning.

    Returns:
        A list of variables.
    """
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


@export("contrib.framework.get_unique_variable", "contrib.slim.get_unique_variable")
def get_unique_variable(var_op_name: str) -> Any:
    """The global variable of a name.

    Args:
        var_op_name: the name of its op.

    Returns:
        A Variable.

    Raises:
        ValueError: if there is none.
    """
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


@export("contrib.framework.get_variable_full_name", "contrib.slim.get_variable_full_name")
def get_variable_full_name(var: Variable) -> str:
    """The name of a variable in checkpoints: for a part, that of the whole.

    Args:
        var: the variable.

    Returns:
        A string.
    """
    info = var._get_save_slice_info()
    return info.full_name if info else var.op.name


@export("contrib.framework.get_variables_to_restore", "contrib.slim.get_variables_to_restore")
def get_variables_to_restore(
    include: TensorLike | None = None, exclude: Sequence[str] | None = None
) -> list[Any]:
    """The global variables of some scopes without those of others.

    Args:
        include: a list of scopes; None means all variables.
        exclude: a list of scopes, or None.

    Returns:
        A list of variables.

    Raises:
        TypeError: if an argument is not a list or tuple.
    """
    for what, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{what} is provided but is not a list or a tuple.")
    if include is None:
        found = get_variables()
    else:
        found = [v for scope in include for v in get_variables(scope)]
    left_out = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in found if id(v) not in left_out]


@export("contrib.framework.filter_variables", "contrib.slim.filter_variables")
def filter_variables(
    var_list: list[Any],
    include_patterns: list[str] | None = None,
    exclude_patterns: list[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """Chooses variables by regular expressions.

    Args:
        var_list: the variables.
        include_patterns: a name must match one of these; None means every name does.
        exclude_patterns: a name must match none of these.
        reg_search: whether patterns may fit anywhere, or else at the beginning.

    Returns:
        A list of variables.
    """
    fits = re.search if reg_search else re.match
    if include_patterns is not None:
        var_list = [v for v in var_list if any(fits(p, v.name) for p in include_patterns)]
    if exclude_patterns is not None:
        var_list = [v for v in var_list if not any(fits(p, v.name) for p in exclude_patterns)]
    return list(var_list)


@export("contrib.framework.get_name_scope")
def get_name_scope() -> str:
    """The current name scope, without a trailing slash."""
    return get_default_graph().get_name_scope()


# Assigning variables


@export("contrib.framework.assign_from_values", "contrib.slim.assign_from_values")
def assign_from_values(
    var_names_to_values: dict[str, Any],
) -> tuple[Operation, dict[Any, np.ndarray]]:
    """Makes an op that gives variables new values.

    Args:
        var_names_to_values: arrays by name of the variable's op.

    Returns:
        The Operation, and what it must be fed.

    Raises:
        ValueError: if there is no variable of a name.
    """
    feeds: dict[Any, np.ndarray] = {}
    changes = []
    for name, value in var_names_to_values.items():
        if not get_variables(scope=name):
            raise ValueError(f"Variable {name} wasn't found")
        var = get_unique_variable(name)
        source = placeholder(
            var.dtype.base_dtype, shape=var.get_shape(), name="placeholder/" + var.op.name
        )
        changes.append(var.assign(source))
        feeds[source] = np.reshape(value, var.get_shape().as_list())
    return group(*changes), feeds


@export("contrib.framework.assign_from_values_fn", "contrib.slim.assign_from_values_fn")
def assign_from_values_fn(var_names_to_values: dict[str, Any]) -> Callable[[Any], None]:
    """Makes a function of a session that gives variables new values.

    Args:
        var_names_to_values: arrays by name of the variable's op.

    Returns:
        The function.
    """
    op, feeds = assign_from_values(var_names_to_values)

    def assign(session: Session) -> None:
        session.run(op, feeds)

    return assign


@export("contrib.framework.zero_initializer", "contrib.slim.zero_initializer")
def zero_initializer(
    ref: TensorLike, use_locking: bool = True, name: str = "zero_initializer"
) -> Tensor | Operation:
    """Makes an op that fills a variable with zeros if it has no value yet.

    Args:
        ref: a reference variable or a resource variable.
        use_locking: has no effect.
        name: the name of the op.

    Returns:
        The mutable tensor after the change, or the op that assigns to a resource variable.
    """
    if is_resource_variable(ref):
        dtype = ref.dtype.base_dtype
        value = np.zeros(ref.get_shape().as_list(), dtype.numpy_dtype)
        return build.AssignVariableOp(ref.handle, value, name=name)
    return build.ZeroInitializer(ref, name=name)
