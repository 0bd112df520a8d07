"""The variables of a graph, and the ops that initialize them and tell whether they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.deprecation import notice
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    colocate_with,
    constant_node,
    group,
    name_scope,
)
from headwater.graph.default_graph import device, get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.initialized_value import initialized_tensor
from headwater.ops.array.getitem import boolean_mask

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


@export("global_variables")
def global_variables(scope: str | None = None) -> list[Any]:
    """The variables that are shared between the tasks of a cluster (all but the local ones).

    Args:
        scope: a regular expression; only variables whose name matches at the start are taken.

    Returns:
        A list of variables.

    Example:
        >>> w = tf.Variable(1.0, name="w")
        >>> step = tf.Variable(0, trainable=False, name="step")
        >>> print([v.name for v in tf.global_variables()])
        ['w:0', 'step:0']
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@export("all_variables")
def all_variables() -> list[Any]:
    """Older name of `global_variables`."""
    notice("tf.all_variables", "tf.global_variables")
    return global_variables()


@export("trainable_variables")
def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers change by default.

    Args:
        scope: a regular expression; only variables whose name matches at the start are taken.

    Returns:
        A list of variables.

    Example:
        >>> w = tf.Variable(1.0, name="w")
        >>> step = tf.Variable(0, trainable=False)
        >>> print([v.name for v in tf.trainable_variables()])
        ['w:0']
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


@export("local_variables")
def local_variables(scope: str | None = None) -> list[Any]:
    """The local variables of this process.

    Args:
        scope: a regular expression; only variables whose name matches at the start are taken.

    Returns:
        A list of variables.
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


@export("model_variables")
def model_variables(scope: str | None = None) -> list[Any]:
    """The variables that inference needs.

    Args:
        scope: a regular expression; only variables whose name matches at the start are taken.

    Returns:
        A list of variables.
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


@export("moving_average_variables")
def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables that have moving averages.

    Args:
        scope: a regular expression; only variables whose name matches at the start are taken.

    Returns:
        A list of variables.
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


@export("variables_initializer", "initializers.variables")
def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """Makes an op that gives variables their initial values.

    Args:
        var_list: a list of variables.
        name: the name of the op.

    Returns:
        An Operation.

    Example:
        >>> v, w = tf.Variable(1), tf.Variable(2)
        >>> session.run(tf.variables_initializer([v]))
        >>> print(tf.is_variable_initialized(v).eval(), tf.is_variable_initialized(w).eval())
        True False
    """
    if var_list:
        return group(*[v.initializer for v in var_list], name=name)
    return build.NoOp(name=name)


@export("initialize_variables")
def initialize_variables(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """Older name of `variables_initializer`."""
    notice("tf.initialize_variables", "tf.variables_initializer")
    return variables_initializer(var_list, name)


@export("global_variables_initializer", "initializers.global_variables")
def global_variables_initializer() -> Operation:
    """Makes an op that gives all global variables their initial values.

    Example:
        >>> v = tf.Variable(3)
        >>> session.run(tf.global_variables_initializer())
        >>> print(session.run(v))
        3
    """
    return variables_initializer(global_variables())


@export("initialize_all_variables")
def initialize_all_variables() -> Operation:
    """Older name of `global_variables_initializer`."""
    notice("tf.initialize_all_variables", "tf.global_variables_initializer")
    return global_variables_initializer()


@export("local_variables_initializer", "initializers.local_variables")
def local_variables_initializer() -> Operation:
    """Makes an op that gives all local variables their initial values."""
    return variables_initializer(local_variables())


@export("initialize_local_variables")
def initialize_local_variables() -> Operation:
    """Older name of `local_variables_initializer`."""
    notice("tf.initialize_local_variables", "tf.local_variables_initializer")
    return local_variables_initializer()


@export("is_variable_initialized")
def is_variable_initialized(variable: TensorLike) -> Tensor:
    """A boolean scalar: whether a variable has a value.

    Args:
        variable: a Variable or a mutable tensor.

    Returns:
        A Tensor.
    """
    return initialized_tensor(variable)


@export("report_uninitialized_variables")
def report_uninitialized_variables(
    var_list: Sequence[Variable] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """The names of the variables without a value, as a vector of strings.

    Args:
        var_list: a list of variables; all global and local ones if None.
        name: the name scope.

    Returns:
        A string Tensor of shape [n].
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    with name_scope(name):
        flags = [initialized_tensor(v) for v in var_list]
        with device("/cpu:0"):
            if not flags:
                return constant_node([], dtypes.string)
            missing = build.LogicalNot(build.Pack(flags, name="stack"))
            names = constant_node([v.op.name for v in var_list])
            return boolean_mask(names, missing)


@export("assert_variables_initialized")
def assert_variables_initialized(var_list: Sequence[Variable] | None = None) -> Tensor | None:
    """Makes an op that fails with FailedPreconditionError if a variable has no value.

    Args:
        var_list: a list of variables; all global and local ones if None.

    Returns:
        A Tensor, or None if there are no variables.
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        return None
    ranks = []
    for variable in var_list:
        with colocate_with(variable.op):
            ranks.append(build.Rank(variable))
    return ranks[0] if len(ranks) == 1 else build.Pack(ranks, name="stack")
