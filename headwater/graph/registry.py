"""The registry of op types: one record per op, made by `register_op` in the op's own file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from headwater.graph.schema import Schema, parse_schema

Kernel = Callable[..., Any]


class _NotDifferentiable:
    def __repr__(self) -> str:
        return "NOT_DIFFERENTIABLE"


NOT_DIFFERENTIABLE = _NotDifferentiable()


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
    """Everything that is known of one op type; see `register_op` for the fields."""

    declaration: tuple[str, str, str, str]
    shape: Callable[..., Any]
    kernel: Kernel | None = None
    reference: Kernel | None = None
    samples: Callable[[], Iterable[Sample]] | None = None
    # Makes the graph of the nodes that a node of this type stands for (graph/functions.py).
    body: Callable[..., Any] | None = None
    concrete: tuple[str, ...] = ()
    updates: tuple[str, ...] = ()
    cell: Callable[[dict[str, Any]], Any] | None = None
    resource: str = ""
    variable: bool = False
    allows_uninitialized: bool = False
    host: bool = False
    opaque: bool = False
    joins: bool = False
    heavy: bool = False
    dynamic_shape: bool = False
    host_unless_known: bool = False
    labels: bool = False
    checks: bool = False
    exchanges: bool = False
    stateful: bool = False
    commutative: bool = False
    aggregate: bool = False

    @property
    def name(self) -> str:
        """The op type."""
        return self.declaration[0]

    # Computed at first use: a program uses few op types.

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
    def concrete_positions(self) -> tuple[int, ...]:
        """The positions of the inputs in `concrete`, list inputs counted as one."""
        return self._positions(self.concrete)

    @cached_property
    def update_positions(self) -> tuple[int, ...]:
        """The positions of the inputs in `updates`."""
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
        if not self.has_list_inputs:
            return list(self.concrete_positions)
        flat: list[int] = []
        position = 0
        for i, count in enumerate(self.input_groups(attrs)):
            size = 1 if count is None else count
            if i in self.concrete_positions:
                flat.extend(range(position, position + size))
            position += size
        return flat

    def bind(self, attrs: dict[str, Any], op_name: str = "", op: Any = None) -> Callable[..., Any]:
        """The kernel with its attrs filled in: a function of (xp, flat inputs).

        A kernel with a keyword ``op_name`` gets the name of the node, one with a keyword ``op``
        the Operation (None where the kernel runs without one).
        """
        if self.kernel is None:
            raise NotImplementedError(f"No kernel is registered for op type {self.name!r}.")
        wanted = {n: attrs[n] for n in self.kernel_attrs if n in attrs}
        if "op_name" in self.kernel_attrs:
            wanted["op_name"] = op_name
        if "op" in self.kernel_attrs:
            wanted["op"] = op
        return self._bound(self.kernel, wanted, attrs)

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

        def call(xp: Any, inputs: list[Any], **extra: Any) -> Any:
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
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "cell")


_records: dict[str, OpRecord] = {}
_gradients: dict[str, Any] = {}


def register_op(
    name: str,
    *,
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
    gradient: Any = None,
    record_type: type[OpRecord] = OpRecord,
    **fields: Any,
) -> OpRecord:
    """Registers an op type.

    Args:
        name: the op type, e.g. ``"MatMul"``.
        inputs: the inputs in the op language, e.g. ``"a: T, b: T"``.
        outputs: the outputs in the op language.
        attrs: the attrs in the op language, in TensorFlow's registered order.
        gradient: function ``(op, *output_gradients)`` that builds the gradient nodes, or
            NOT_DIFFERENTIABLE; None leaves the op without a registration.
        record_type: the class of the record.
        **fields: further fields of OpRecord. ``shape`` is the shape function of one ShapeContext;
            ``kernel(xp, *inputs, *, attr, ...)`` computes the outputs with NumPy or traced;
            ``concrete`` names inputs whose values must be known when the op is compiled;
            ``updates`` names the variables that the op updates; ``cell`` makes the initial
            hidden state of a node; ``resource`` is the kind of the objects, such as tables, that
            the session keeps as hidden state under the node's container and shared name, and
            whose handles (the objects themselves) the node returns; ``variable`` marks ops whose
            output is the handle of a variable; ``allows_uninitialized`` gives the kernel None for
            a variable without a value; ``opaque`` marks host ops that only hand values on and get
            device arrays as they
            are; ``joins`` ops that run with dead inputs too; ``host``, ``heavy`` and
            ``dynamic_shape`` tell the engine where the op can run, ``labels`` that constant
            strings do not keep it from being compiled, and ``checks`` that it is there to fail
            the run on bad values;
            ``exchanges`` marks host ops that hand something to other runs or wait for it: the
            kernel may return a `Waiting`, and what the run has assigned to variables before is
            seen by others from then on;
            ``host_unless_known`` sends the op to the host where a value that it needs is not
            known when a program is compiled, instead of making a program for each value;
            ``stateful``, ``commutative`` and ``aggregate`` are as in an OpDef.

    Returns:
        The OpRecord.

    Raises:
        ValueError: if the name is taken. Texts are parsed at the first use of the op.
    """
    if name in _records:
        raise ValueError(f"op type {name!r} is registered twice")
    record = record_type((name, inputs, outputs, attrs), **fields)
    _records[name] = record
    if gradient is not None:
        _gradients[name] = gradient
    return record


def lookup(name: str) -> OpRecord:
    """The record of an op type; raises ValueError as TensorFlow does for an unknown one."""
    try:
        return _records[name]
    except KeyError:
        raise ValueError(
            f"Unable to create node of type '{name}': no such op is registered."
        ) from None


def records() -> Iterator[OpRecord]:
    """All records, sorted by op type."""
    return iter(_records[name] for name in sorted(_records))


def is_registered(name: str) -> bool:
    return name in _records


def gradient_of(name: str) -> Any:
    """The registered gradient function or NOT_DIFFERENTIABLE; None where nothing is registered."""
    return _gradients.get(name)


def register_gradient(name: str, function: Any) -> None:
    """Registers a gradient function under an op type or a free name.

    Raises:
        KeyError: if the name already has a gradient.
    """
    if name in _gradients:
        raise KeyError(f"Registering two gradient with name '{name}'!")
    _gradients[name] = function
