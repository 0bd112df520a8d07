"""The registry of op types: one record per op, made by `register_op` in the op's own file."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from headwater.base import declarations
from headwater.base.dtypes import variant
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.typing import ArrayModule, GradientFn, Kernel, Reference, ShapeFn
from headwater.graph.schema import Schema, parse_schema


class RunsOn(enum.Enum):
    """Where the kernel of an op can run."""

    # On the host with NumPy, or traced as a part of a compiled program.
    ANYWHERE = enum.auto()
    # On the host only: the op handles strings or files, waits, or calls Python functions. It is
    # never part of a compiled program, and it runs even where nobody uses its outputs.
    HOST = enum.auto()
    # Compiled only: the kernel needs JAX. Where the op runs on the host, a compiled program of
    # this one op does the work.
    XLA = enum.auto()
    # As ANYWHERE where the inputs that the kernel needs by value are known when a program is
    # compiled, as HOST where they are not: otherwise there would be a program for each value.
    HOST_UNLESS_KNOWN = enum.auto()


class GradientRule(enum.Enum):
    """What stands for a gradient function where none is written."""

    NOT_DIFFERENTIABLE = enum.auto()
    # The vector-Jacobian product of the kernel; see graph/vjp.py.
    VJP = enum.auto()

    def __repr__(self) -> str:
        return self.name


NOT_DIFFERENTIABLE: Final = GradientRule.NOT_DIFFERENTIABLE
VJP: Final = GradientRule.VJP


class Sample:
    """One call of an op for the generic tests.

    Args:
        *inputs: concrete inputs in schema order; a list input is a list.
        gradient: positions of inputs whose gradient is checked numerically; None means all
            floating-point inputs, () none.
        rtol: relative tolerance of comparisons; None means a default for the dtype.
        atol: absolute tolerance.
        **attrs: the attrs that do not follow from the inputs.
    """

    def __init__(
        self,
        *inputs: Any,
        gradient: tuple[int, ...] | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        **attrs: Any,
    ) -> None:
        self.inputs = inputs
        self.gradient = gradient
        self.rtol = rtol
        self.atol = atol
        self.attrs = attrs

    def __repr__(self) -> str:
        return f"Sample({self.inputs!r}, {self.attrs!r})"


@dataclass(eq=False)
class OpRecord:
    """Everything that is known of one op type; `register_op` describes the fields."""

    declaration: tuple[str, str, str, str]
    shape: ShapeFn
    kernel: Kernel | None = None
    row_kernel: Kernel | None = None
    several: Kernel | None = None
    reference: Reference | None = None
    samples: Callable[[], Iterable[Sample]] | None = None
    concrete: tuple[str, ...] = ()
    runs_on: RunsOn = RunsOn.ANYWHERE
    dynamic_shape: bool = False
    quick_on_host: bool | Callable[[], bool] = False
    quick_elements: Callable[..., int] | None = None
    updates: tuple[str, ...] = ()
    variable: bool = False
    allows_uninitialized: bool = False
    existence_only: bool = False
    state: Callable[[dict[str, Any]], Any] | None = None
    next_state: Callable[..., Any] | None = None
    resource: str = ""
    opaque: bool = False
    takes_handles: bool = False
    exchanges: bool = False
    calls_python: bool = False
    joins: bool = False
    labels: bool = False
    checks: bool = False
    body: Callable[..., Any] | None = None
    stateful: bool = False
    commutative: bool = False
    aggregate: bool = False

    @property
    def name(self) -> str:
        """The op type."""
        return self.declaration[0]

    @property
    def compilable(self) -> bool:
        """Whether the op can be part of a compiled program, as far as its type tells.

        XLA knows static shapes only.
        """
        return self.runs_on is not RunsOn.HOST and not self.dynamic_shape

    # Computed at first use: a program uses few op types.

    @cached_property
    def is_quick_on_host(self) -> bool:
        """Whether compiling the op would not make it faster."""
        quick = self.quick_on_host
        return quick() if callable(quick) else quick

    @cached_property
    def schema(self) -> Schema:
        """The parsed declaration."""
        schema = parse_schema(*self.declaration)
        names = [arg.name for arg in schema.inputs]
        for which in (*self.concrete, *self.updates):
            if which not in names:
                raise ValueError(f"{self.name}: no input is called {which!r}")
        return schema

    @cached_property
    def kernel_attrs(self) -> tuple[str, ...]:
        """The keywords that the kernel takes."""
        return _keyword_names(self.kernel)

    @cached_property
    def reference_attrs(self) -> tuple[str, ...]:
        """The keywords that the reference takes."""
        return _keyword_names(self.reference)

    @cached_property
    def has_list_inputs(self) -> bool:
        """Whether an input is a list of tensors."""
        return any(arg.is_list for arg in self.schema.inputs)

    @cached_property
    def makes_variant(self) -> bool:
        """Whether the only output is a variant, such as a dataset."""
        outputs = self.schema.outputs
        return len(outputs) == 1 and outputs[0].dtype is variant

    @cached_property
    def concrete_positions(self) -> tuple[int, ...]:
        """The positions of the inputs in `concrete`, list inputs counted as one."""
        return self._positions(self.concrete)

    @cached_property
    def update_positions(self) -> tuple[int, ...]:
        """The positions of the inputs in `updates`, list inputs counted as one."""
        return self._positions(self.updates)

    def _positions(self, wanted: tuple[str, ...]) -> tuple[int, ...]:
        names = [arg.name for arg in self.schema.inputs]
        return tuple(names.index(name) for name in wanted)

    def input_groups(self, attrs: dict[str, Any]) -> list[int | None]:
        """How the flat inputs fall into the args: None is one tensor, n a list of n."""
        groups: list[int | None] = []
        for arg in self.schema.inputs:
            if arg.number_attr:
                groups.append(attrs[arg.number_attr])
            elif arg.type_list_attr:
                groups.append(len(attrs[arg.type_list_attr]))
            else:
                groups.append(None)
        return groups

    def concrete_inputs(self, attrs: dict[str, Any]) -> list[int]:
        """The flat positions of the inputs whose values the kernel must know."""
        return self._flat(self.concrete_positions, attrs)

    def updated_inputs(self, attrs: dict[str, Any]) -> list[int]:
        """The flat positions of the inputs that are variables which the op updates."""
        return self._flat(self.update_positions, attrs)

    def _flat(self, positions: tuple[int, ...], attrs: dict[str, Any]) -> list[int]:
        """The flat positions of some inputs, of which list inputs were counted as one."""
        if not self.has_list_inputs or not positions:
            return list(positions)
        flat: list[int] = []
        position = 0
        for i, count in enumerate(self.input_groups(attrs)):
            size = 1 if count is None else count
            if i in positions:
                flat.extend(range(position, position + size))
            position += size
        return flat

    def bind(
        self,
        attrs: dict[str, Any],
        op_name: str = "",
        op: Any = None,
        functions: FunctionRuntime | None = None,
    ) -> Callable[..., Any]:
        """The kernel with its attrs filled in: a function of (xp, flat inputs).

        A kernel with a keyword ``op_name`` gets the name of the node, one with a keyword ``op``
        the Operation (None where the kernel runs without one), one with a keyword ``functions``
        the session's FunctionRuntime.
        """
        kernel, wanted = self._with_keywords(attrs, op_name, op, functions)
        return self._bound(kernel, wanted, attrs)

    def bind_on_host(
        self, attrs: dict[str, Any], op_name: str, op: Any, functions: FunctionRuntime | None
    ) -> Callable[..., Any]:
        """As `bind` for NumPy: a function of the flat inputs as arguments, quick to call."""
        kernel, wanted = self._with_keywords(attrs, op_name, op, functions)
        if not self.has_list_inputs:
            return partial(kernel, np, **wanted)
        bound = self._bound(kernel, wanted, attrs)
        return lambda *inputs, **extra: bound(np, inputs, **extra)

    def _with_keywords(
        self, attrs: dict[str, Any], op_name: str, op: Any, functions: FunctionRuntime | None
    ) -> tuple[Kernel, dict[str, Any]]:
        """The kernel, and the keywords that it takes, but for the state."""
        if self.kernel is None:
            raise NotImplementedError(f"No kernel is registered for op type {self.name!r}.")
        wanted = {n: attrs[n] for n in self.kernel_attrs if n in attrs}
        if "op_name" in self.kernel_attrs:
            wanted["op_name"] = op_name
        if "op" in self.kernel_attrs:
            wanted["op"] = op
        if "functions" in self.kernel_attrs:
            wanted["functions"] = functions
        return self.kernel, wanted

    def bind_reference(self, attrs: dict[str, Any]) -> Callable[..., Any]:
        """The NumPy reference with its attrs filled in: a function of the flat inputs."""
        if self.reference is None:
            raise NotImplementedError(f"No reference is registered for op type {self.name!r}.")
        reference = self.reference
        wanted = {n: attrs[n] for n in self.reference_attrs if n in attrs}
        call = self._bound(lambda xp, *inputs, **kw: reference(*inputs, **kw), wanted, attrs)
        return lambda inputs: call(np, inputs)

    def _bound(
        self, kernel: Kernel, wanted: dict[str, Any], attrs: dict[str, Any]
    ) -> Callable[..., Any]:
        if not self.has_list_inputs:
            if wanted:
                return lambda xp, inputs, **extra: kernel(xp, *inputs, **wanted, **extra)
            return lambda xp, inputs, **extra: kernel(xp, *inputs, **extra)
        groups = self.input_groups(attrs)

        def call(xp: ArrayModule, inputs: list[Any], **extra: Any) -> Any:
            return kernel(xp, *grouped(inputs, groups), **wanted, **extra)

        return call


def grouped(flat: Iterable[Any], groups: list[int | None]) -> list[Any]:
    """Puts flat inputs into lists where the schema has list args."""
    items = iter(flat)
    return [next(items) if n is None else [next(items) for _ in range(n)] for n in groups]


def _keyword_names(function: Kernel | None) -> tuple[str, ...]:
    if function is None or isinstance(function, np.ufunc):
        return ()
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "state")


_records: dict[str, OpRecord] = {}
_gradients: dict[str, GradientFn | GradientRule] = {}


def register_op(
    name: str,
    *,
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
    shape: ShapeFn,
    kernel: Kernel | None = None,
    row_kernel: Kernel | None = None,
    several: Kernel | None = None,
    gradient: GradientFn | GradientRule | None = None,
    reference: Reference | None = None,
    samples: Callable[[], Iterable[Sample]] | None = None,
    concrete: tuple[str, ...] = (),
    runs_on: RunsOn = RunsOn.ANYWHERE,
    dynamic_shape: bool = False,
    quick_on_host: bool | Callable[[], bool] = False,
    quick_elements: Callable[..., int] | None = None,
    updates: tuple[str, ...] = (),
    variable: bool = False,
    allows_uninitialized: bool = False,
    existence_only: bool = False,
    state: Callable[[dict[str, Any]], Any] | None = None,
    next_state: Callable[..., Any] | None = None,
    resource: str = "",
    opaque: bool = False,
    takes_handles: bool = False,
    exchanges: bool = False,
    calls_python: bool = False,
    joins: bool = False,
    labels: bool = False,
    checks: bool = False,
    body: Callable[..., Any] | None = None,
    stateful: bool = False,
    commutative: bool = False,
    aggregate: bool = False,
    record_type: type[OpRecord] = OpRecord,
) -> OpRecord:
    """Registers an op type.

    Args:
        name: the op type, e.g. ``"MatMul"``.
        inputs: the inputs in the op language, e.g. ``"a: T, b: T"``.
        outputs: the outputs in the op language.
        attrs: the attrs in the op language, in TensorFlow's registered order.
        shape: function of one ShapeContext that returns the static shape of the output, or a list
            with one for each output; it raises the errors of graph construction.
        kernel: ``kernel(xp, *inputs, attr=..., ...)`` computes the outputs, a tuple or list if
            there are several. `xp` is NumPy on the host and `jax.numpy` in a compiled program.
            An input that is a list of tensors arrives as a list. The attrs are those that the
            kernel names as keyword-only parameters; ``op_name`` is the name of the node, ``op``
            the Operation, ``functions`` the session's FunctionRuntime, which runs functions of
            the graph's library. None for ops that only stand in graphs.
        row_kernel: ``row_kernel(np, rows, *inputs, attr=..., ...)`` computes on the host, stacked,
            what `kernel` returns in successive runs for `rows[0]` elements, bit for bit. The rule
            of the op type in graph/row_functions says which inputs are stacked.
        several: ``several([inputs, ...], attr=..., ...)`` computes on the host what `kernel`
            returns for the inputs of each of several nodes, in order and bit for bit; None if
            these values are better computed one by one. For invalid ones it may raise any error.
        gradient: ``gradient(op, *output_gradients)`` builds the nodes of the gradients of the
            inputs; VJP differentiates the kernel; NOT_DIFFERENTIABLE ends the search for a path;
            None leaves the op without a registration, so that `gradients` raises LookupError.
        reference: ``reference(*inputs, attr=..., ...)`` computes the outputs in plain NumPy, for
            the tests.
        samples: function that yields the Samples of the generic tests.
        concrete: names of the inputs that the kernel needs by value, such as shapes and axes.
            They are part of the key of a compiled program.
        runs_on: where the kernel can run.
        dynamic_shape: whether the shapes of the outputs depend on values other than those of
            `concrete`. XLA's shapes are static, so such an op runs on the host.
        quick_on_host: whether compiling the op would not make it faster, because its kernel
            returns a view or is native code; or a function that tells.
        quick_elements: function of the inputs that tells how many of their elements the kernel
            goes through on the host as fast as a compiled program does.
        updates: names of the inputs that are variables which the op updates. The kernel returns
            their new values first, in this order.
        variable: whether the output is the handle of a variable.
        allows_uninitialized: whether the kernel gets None for a variable without a value, instead
            of the run failing.
        existence_only: whether the kernel only asks whether a variable has a value, so that it
            gets an empty array for it, and nothing waits for the program that makes the value.
        state: function of the attrs that makes what a node keeps between runs, an array or an
            object. The kernel gets it as the keyword ``state`` and returns ``(outputs, state)``.
        next_state: function of the state, the inputs that are constant (None for others) and the
            keyword arguments of the kernel that tells what the node keeps after a run; None if that
            depends on the other inputs.
        resource: the kind of the objects that `state` makes, such as ``"queues"``, if the session
            keeps them under the node's container and shared name. The node returns the handle,
            which is the object itself.
        opaque: whether the kernel only stores values or hands them on, so that it gets arrays on
            a device as they are. For ops that run on the host.
        takes_handles: whether the kernel gets a `VariableHandle` (base/function_runtime.py) for an
            input that is a variable, instead of its value: for ops that hand it to functions.
        exchanges: whether the op hands something to other runs or waits for them. The kernel may
            return a `Waiting`, and what the run has assigned to variables until then is
            published first. For ops that run on the host.
        calls_python: whether the op calls functions of the program, which may wait for each other:
            independent ones run at the same time. For ops that run on the host.
        joins: whether the op runs with dead inputs too, as Merge does.
        labels: whether constant strings among the inputs do not keep the op from being compiled.
        checks: whether the op is there to fail the run on bad values, so that it runs even if
            its outputs are unused.
        body: function of the Operation that makes the graph of the nodes that it stands for, if
            it calls a function.
        stateful: as in an OpDef.
        commutative: as in an OpDef.
        aggregate: as in an OpDef.
        record_type: the class of the record.

    Returns:
        The record.

    Raises:
        ValueError: if the name is taken, or options contradict each other. Texts are parsed at
            the first use of the op.
    """
    # An op of the package may not have been imported yet.
    declarations.load(declarations.OP, name)
    if name in _records:
        raise ValueError(f"op type {name!r} is registered twice")
    if (opaque or exchanges) and runs_on is not RunsOn.HOST:
        raise ValueError(f"{name}: `opaque` and `exchanges` are for ops that run on the host")
    record = record_type(
        declaration=(name, inputs, outputs, attrs),
        shape=shape,
        kernel=kernel,
        row_kernel=row_kernel,
        several=several,
        reference=reference,
        samples=samples,
        concrete=concrete,
        runs_on=runs_on,
        dynamic_shape=dynamic_shape,
        quick_on_host=quick_on_host,
        quick_elements=quick_elements,
        updates=updates,
        variable=variable,
        allows_uninitialized=allows_uninitialized,
        existence_only=existence_only,
        state=state,
        next_state=next_state,
        resource=resource,
        opaque=opaque,
        takes_handles=takes_handles,
        exchanges=exchanges,
        calls_python=calls_python,
        joins=joins,
        labels=labels,
        checks=checks,
        body=body,
        stateful=stateful,
        commutative=commutative,
        aggregate=aggregate,
    )
    _records[name] = record
    declarations.declare(declarations.OP, name)
    if gradient is not None:
        _gradients[name] = gradient
    return record


def lookup(name: str) -> OpRecord:
    """The record of an op type; raises ValueError as TensorFlow does for an unknown one."""
    record = _records.get(name)
    if record is None:
        declarations.load(declarations.OP, name)
        record = _records.get(name)
    if record is None:
        raise ValueError(f"Unable to create node of type '{name}': no such op is registered.")
    return record


def records() -> Iterator[OpRecord]:
    """All records, sorted by op type."""
    declarations.load_all(declarations.OP)
    return iter([_records[name] for name in sorted(_records)])


def op_types() -> set[str]:
    """All op types."""
    return {*_records, *declarations.names(declarations.OP)}


def is_registered(name: str) -> bool:
    return name in _records or name in declarations.names(declarations.OP)


def gradient_of(name: str) -> GradientFn | GradientRule | None:
    """The registered gradient function or rule; None where nothing is registered."""
    if name not in _gradients:
        _load_gradient(name)
    return _gradients.get(name)


def registered_gradients() -> dict[str, GradientFn | GradientRule]:
    """The registered gradients by name; what is changed in it counts."""
    declarations.load_all(declarations.OP)
    declarations.load_all(declarations.GRADIENT)
    return _gradients


def _load_gradient(name: str) -> None:
    """Imports what has a gradient of this name: its op, or a module that registers it alone."""
    if name not in _records:
        declarations.load(declarations.OP, name)
    declarations.load(declarations.GRADIENT, name)


def register_gradient(name: str, function: GradientFn | GradientRule) -> None:
    """Registers a gradient function or rule under an op type or a free name.

    Raises:
        KeyError: if the name already has a gradient.
    """
    _load_gradient(name)
    if name in _gradients:
        raise KeyError(f"Registering two gradient with name '{name}'!")
    _gradients[name] = function
    declarations.declare(declarations.GRADIENT, name)
