"""Variable scopes: where `get_variable` looks for variables and what it makes them with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ContextDecorator, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.deprecation import notice
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.older_calls import rewritten
from headwater.base.typing import (
    Constraint,
    CustomGetter,
    DeviceLike,
    DTypeLike,
    InitializerLike,
    NestedTensors,
    Partitioner,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.graph import Graph, get_default_graph, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.scope_counts import ScopeCounts
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization
from headwater.model.variables.variable_scope_object import ScopeLike, VariableScope, first
from headwater.model.variables.variable_store import AUTO_REUSE, Reuse, accepted, variable_store

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable

# Where a graph keeps the stack of scopes of each thread.
SCOPES_KEY = ("__varscope",)


class _ScopeStack(threading.local):
    """The current scope of a thread in one graph, and how often each scope has been opened."""

    def __init__(self) -> None:
        self.current_scope = VariableScope(False)
        self.counts = ScopeCounts()


def scope_stack() -> _ScopeStack:
    found = get_default_graph().get_collection_ref(SCOPES_KEY)
    if not found:
        found.append(_ScopeStack())
    return found[0]


@export("get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The current variable scope.

    Example:
        >>> with tf.variable_scope("layer"):
        ...     print(tf.get_variable_scope().name)
        layer
    """
    return scope_stack().current_scope


@export("no_regularizer")
def no_regularizer(_: TensorLike) -> None:
    """The regularizer of variables that have none, though their scope has one.

    Args:
        _: the variable.

    Returns:
        None, for no loss.
    """
    return None


def _wrapped_getter(
    custom_getter: CustomGetter | None, old_getter: Callable[..., Any] | None
) -> Callable[..., Any] | None:
    """A getter whose `getter` is the one of the outer scope."""
    if old_getter is None or custom_getter is None:
        return first(custom_getter, old_getter)

    def wrapped(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Variable:
        outer = partial(_call_getter, old_getter, getter)
        return _call_getter(custom_getter, outer, *args, **kwargs)

    return wrapped


def _call_getter(
    custom_getter: CustomGetter, getter: Callable[..., Any], *args: Any, **kwargs: Any
) -> Variable:
    return custom_getter(getter, *args, **accepted(custom_getter, kwargs))


def _inner_scope(
    name_or_scope: ScopeLike, old: VariableScope, given: dict[str, Any]
) -> VariableScope:
    """The scope that a with block opens inside `old`, with what the user has given."""
    given = dict(given)
    getter, reuse = given.pop("custom_getter"), given.pop("reuse")
    original, constraint = given.pop("name_scope"), given.pop("constraint")
    if isinstance(name_or_scope, VariableScope):
        # Reentered: everything but the constraint comes from the scope itself.
        base, name = name_or_scope, name_or_scope.name
        reuse = reuse or base.reuse
    else:
        base = old
        name = f"{old.name}/{name_or_scope}" if old.name else name_or_scope
        reuse = reuse or old.reuse
    return VariableScope(
        reuse,
        name=name,
        name_scope=first(original, base.original_name_scope),
        custom_getter=_wrapped_getter(getter, base.custom_getter),
        constraint=constraint,
        **{k: first(v, getattr(base, k)) for k, v in given.items()},
    )


@contextmanager
def pure_variable_scope(
    name_or_scope: ScopeLike,
    reuse: Reuse = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    caching_device: DeviceLike | None = None,
    partitioner: Partitioner | None = None,
    custom_getter: CustomGetter | None = None,
    old_name_scope: str | None = None,
    dtype: DType | None = None,
    use_resource: bool | None = None,
    constraint: Constraint | None = None,
) -> Iterator[VariableScope]:
    """A with block that opens a variable scope without a name scope.

    Args:
        name_or_scope: a name below the current scope, or a scope to enter again.
        old_name_scope: the name scope that the new scope remembers.
        reuse: as in `variable_scope`, like all others.

    Yields:
        The new current scope.
    """
    stack = scope_stack()
    old, mark = stack.current_scope, None
    scope = _inner_scope(
        name_or_scope,
        old,
        {
            "reuse": reuse,
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "name_scope": old_name_scope,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        },
    )
    stack.counts.open(scope.name)
    if isinstance(name_or_scope, VariableScope):
        mark = stack.counts.mark()
    stack.current_scope = scope
    try:
        yield scope
    finally:
        if stack.current_scope is not scope:
            raise RuntimeError("Improper nesting of variable_scope.")
        stack.counts.close_below(scope.name)
        if mark is not None:
            stack.counts.restore(mark)
        stack.current_scope = old


def unique_scope_name(prefix: str) -> str:
    """A name for a scope below the current one that has not been opened yet."""
    stack = scope_stack()
    outer = stack.current_scope.name
    name = f"{outer}/{prefix}" if outer else prefix
    if not stack.counts[name]:
        return prefix
    i = 1
    while stack.counts[f"{name}_{i}"]:
        i += 1
    return f"{prefix}_{i}"


def _reuse_first(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """In early releases reuse and the initializer followed the name."""
    if len(args) > 2 and (isinstance(args[2], bool) or (len(args) > 3 and callable(args[3]))):
        older = ("reuse", "initializer", "regularizer", "caching_device", "partitioner")
        return args[:2], {**dict(zip(older, args[2:])), **kwargs}
    return args, kwargs


@export("variable_scope")
class variable_scope(ContextDecorator):
    """A with block in which `get_variable` makes or finds variables below a prefix.

    Args:
        name_or_scope: a name below the current scope, or a VariableScope to enter again.
        default_name: the name, made unique, if `name_or_scope` is None.
        values: tensors that must be of one graph; that graph is made the default.
        initializer: the default initializer.
        regularizer: the default regularizer.
        caching_device: the default caching device.
        partitioner: the default partitioner.
        custom_getter: a function ``(getter, name, ...)`` around the making of variables.
        reuse: True looks variables up, AUTO_REUSE makes those that are missing; None or False
            takes the outer scope's rule.
        dtype: the default type.
        use_resource: whether resource variables are made.
        constraint: the default constraint.
        auxiliary_name_scope: False leaves the name scope alone.

    Raises:
        ValueError: if `reuse` has another value, or is given without a name.
        TypeError: if there is no name, or it is of a wrong type.
    """

    @rewritten(_reuse_first)
    def __init__(
        self,
        name_or_scope: ScopeLike | None,
        default_name: str | None = None,
        values: Sequence[TensorLike] | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Regularizer | None = None,
        caching_device: DeviceLike | None = None,
        partitioner: Partitioner | None = None,
        custom_getter: CustomGetter | None = None,
        reuse: Reuse = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Constraint | None = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if not isinstance(name_or_scope, (str, VariableScope, type(None))):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if reuse not in (True, False, None, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._values = list(values) if values is not None else []
        self._auxiliary_name_scope = auxiliary_name_scope
        self._options: dict[str, Any] = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            # False does not undo what an outer scope has set.
            "reuse": reuse or None,
            "dtype": None if dtype is None else as_dtype(dtype),
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._entered: list[AbstractContextManager[VariableScope]] = []

    def __enter__(self) -> VariableScope:
        context = self._opened()
        scope = context.__enter__()
        self._entered.append(context)
        return scope

    def __exit__(self, *exc: Any) -> None:
        self._entered.pop().__exit__(*exc)

    @contextmanager
    def _opened(self) -> Iterator[VariableScope]:
        graph = _graph_of(self._values)
        with graph.as_default():
            given = self._name_or_scope
            if given is None:
                if self._options["reuse"]:
                    raise ValueError("reuse=True cannot be used without a name_or_scope")
                with self._named(self._default_name) as original:
                    name = unique_scope_name(self._default_name or "")
                    with pure_variable_scope(
                        name, old_name_scope=original, **self._options
                    ) as scope:
                        yield scope
                return
            entered = isinstance(given, VariableScope)
            last_name = given.name.split("/")[-1] if isinstance(given, VariableScope) else given
            with (
                self._named(last_name) as original,
                pure_variable_scope(
                    given, old_name_scope=None if entered else original, **self._options
                ) as scope,
            ):
                yield scope

    @contextmanager
    def _named(self, name: str | None) -> Iterator[str]:
        """Opens the name scope of the block; yields the variable scope's original name scope."""
        if not self._auxiliary_name_scope:
            current = get_default_graph().get_name_scope()
            yield current + "/" if current else ""
        elif name:
            with name_scope(name) as scope:
                yield scope
        else:
            # A scope without a name keeps the name scope around it.
            with nullcontext():
                yield ""


def _graph_of(values: Sequence[TensorLike]) -> Graph:
    for value in values:
        graph = getattr(value, "graph", None)
        if isinstance(graph, Graph):
            return graph
    return get_default_graph()


@export("variable_op_scope")
def variable_op_scope(
    values: Sequence[TensorLike],
    name_or_scope: ScopeLike | None,
    default_name: str | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    caching_device: DeviceLike | None = None,
    partitioner: Partitioner | None = None,
    custom_getter: CustomGetter | None = None,
    reuse: Reuse = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Constraint | None = None,
) -> variable_scope:
    """The older form of `variable_scope`, with the values first."""
    notice("tf.variable_op_scope", "tf.variable_scope")
    return variable_scope(
        name_or_scope,
        default_name=default_name,
        values=values,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    )


@export("get_variable")
def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: DeviceLike | None = None,
    partitioner: Partitioner | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: CustomGetter | None = None,
    constraint: Constraint | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> NestedTensors:
    """Makes a variable below the current variable scope, or finds it there.

    Args:
        name: the name below the scope's prefix.
        shape: the shape; None if the initializer is a value.
        dtype: the type; that of the scope (float32) if None.
        initializer: an initializer, a function ``(shape, dtype)``, or a value; by default that of
            the scope, else Glorot's for floats and zeros for integers and booleans.
        regularizer: a function from the variable to a loss, which joins the collection
            REGULARIZATION_LOSSES.
        trainable: whether optimizers change it by default; None means True.
        collections: keys of the collections that it joins; None means the global variables.
        caching_device: the device that reads are cached on.
        partitioner: a function from shape and type to the number of parts per axis.
        validate_shape: whether the shape of the initial value must be known and is kept.
        use_resource: whether a resource variable is made.
        custom_getter: a function ``(getter, name, ...)`` around the making.
        constraint: a function from the new value to the value that is kept, for optimizers.
        synchronization: a VariableSynchronization.
        aggregation: a VariableAggregation.

    Returns:
        A Variable, or a PartitionedVariable if there is a partitioner.

    Raises:
        ValueError: if the variable exists and must not, or does not and must, or differs.

    Example:
        >>> w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        >>> session.run(w.initializer)
        >>> print(w.name, session.run(w))
        w:0 [1. 1.]
    """
    return get_variable_scope().get_variable(
        variable_store(),
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


@export("get_local_variable")
def get_local_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = False,
    collections: Sequence[str] | None = None,
    caching_device: DeviceLike | None = None,
    partitioner: Partitioner | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: CustomGetter | None = None,
    constraint: Constraint | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Variable:
    """`get_variable` for a local variable, which is not trainable.

    Args:
        name: the name below the scope's prefix.
        trainable: has no effect.
        collections: keys of further collections that it joins.
        shape: as in `get_variable`, like all others.

    Returns:
        A Variable.
    """
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=False,
        collections=[*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


@export("create_partitioned_variables")
def create_partitioned_variables(
    shape: list[int],
    slicing: list[int],
    initializer: InitializerLike,
    dtype: DTypeLike = dtypes.float32,
    trainable: bool = True,
    collections: Sequence[str] | None = None,
    name: str | None = None,
    reuse: Reuse = None,
) -> list[Any]:
    """Makes the parts of a variable that is cut along one axis.

    Args:
        shape: the shape of the whole.
        slicing: the number of parts along each axis.
        initializer: an initializer, or a tensor of the whole shape.
        dtype: the type.
        trainable: whether optimizers change the parts by default.
        collections: keys of the collections that they join.
        name: the name of the whole.
        reuse: as in `variable_scope`.

    Returns:
        A list of variables.

    Raises:
        ValueError: if `slicing` does not fit `shape`.
    """
    notice("tf.create_partitioned_variables", "tf.get_variable with a partitioner")
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    if not shape:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope, name_scope(None):
        whole = variable_store().get_variable(
            scope.name,
            shape=shape,
            dtype=dtype,
            initializer=first(initializer, scope.initializer),
            reuse=scope.reuse,
            trainable=trainable,
            collections=collections,
            partitioner=lambda **unused: slicing,
        )
    return whole._get_variable_list()
