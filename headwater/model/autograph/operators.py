"""What converted control flow calls: a tensor becomes nodes, everything else runs in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, nest
from headwater.graph import Tensor, build, constant_node, convert_to_tensor, shape_tensor
from headwater.graph.composite_specs import CompositeTensor
from headwater.model.autograph.jumps import RESULT, RETURNED
from headwater.model.variables.variable import Variable
from headwater.ops.array.fill import zeros
from headwater.ops.control.cond import cond
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop

State = tuple[Any, ...]
GetState = Callable[[], State]
SetState = Callable[[State], None]


class Undefined:
    """The value of a name that has none; using it is an error."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<undefined {self._name}>"

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise UnboundLocalError(f"local variable {self._name!r} referenced before assignment")


def undefined(name: str) -> Undefined:
    """The value of a name before its first assignment."""
    return Undefined(name)


def undefined_result() -> Undefined:
    """What a function returns before it comes to a `return`."""
    return Undefined(RESULT)


def result(value: Any) -> Any:
    """What a function returns: None if no `return` was met."""
    return None if isinstance(value, Undefined) else value


def attribute(read: Callable[[], Any], name: str) -> Any:
    """The value of an attribute, which may not exist."""
    try:
        return read()
    except AttributeError:
        return Undefined(name)


# Logic


def and_(*operands: Callable[[], Any]) -> Any:
    """`and` of values that are computed when they are needed."""
    value = operands[0]()
    if len(operands) == 1:
        return value
    if isinstance(value, Tensor):
        return cond(value, lambda: _as_bool(and_(*operands[1:])), lambda: value)
    return and_(*operands[1:]) if value else value


def or_(*operands: Callable[[], Any]) -> Any:
    """`or` of values that are computed when they are needed."""
    value = operands[0]()
    if len(operands) == 1:
        return value
    if isinstance(value, Tensor):
        return cond(value, lambda: value, lambda: _as_bool(or_(*operands[1:])))
    return value if value else or_(*operands[1:])


def not_(value: Any) -> Any:
    """`not` of a value."""
    return build.LogicalNot(value) if isinstance(value, Tensor) else not value


def if_exp(test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """`body if test else orelse`."""
    if isinstance(test, Tensor):
        return cond(test, body, orelse)
    return body() if test else orelse()


def _as_bool(value: Any) -> Tensor:
    return convert_to_tensor(value, dtypes.as_dtype(bool))


# if


def if_stmt(
    test: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    outputs: int,
) -> None:
    """An `if`.

    Args:
        test: the condition.
        body: the statements.
        orelse: those of `else`.
        get_state: the values of the names that either assigns.
        set_state: assigns them.
        names: the names.
        outputs: how many of them, from the first, are read later.

    Raises:
        ValueError: if a name that is read later has a value after one branch only.
        TypeError: if the branches give it values of different types.
    """
    if not isinstance(test, Tensor):
        if test:
            body()
        else:
            orelse()
        return
    before = get_state()
    first: list[_Leaves] = []
    second: list[_Leaves] = []

    def traced_body() -> list[Any]:
        set_state(before)
        body()
        first.extend(map(_Leaves, get_state()))
        return [0, *(t for leaves in first for t in leaves.tensors())]

    def traced_orelse() -> list[Any]:
        set_state(before)
        orelse()
        second.extend(map(_Leaves, get_state()))
        found: list[Any] = [0]
        for name, one, other in zip(names, first, second):
            found.extend(_tensors_like(name, one, other))
        return found

    tensors = iter(cond(test, traced_body, traced_orelse, strict=True)[1:])
    joined = [_joined(name, one, other, tensors) for name, one, other in zip(names, first, second)]
    for name, value, one in list(zip(names, joined, first))[:outputs]:
        if isinstance(value, Undefined):
            _refuse_one_branch(name, isinstance(one.value, Undefined), names)
    set_state(tuple(joined))


class _Leaves:
    """A value of a name, and the parts of its structure."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.leaves = nest.flatten(value)

    def tensors(self) -> list[Any]:
        """The parts that nodes can carry, as tensors."""
        return [_as_tensor(leaf) for leaf in self.leaves if _is_tensor_like(leaf)]

    def matches(self, other: _Leaves) -> bool:
        """Whether two values have the same structure."""
        try:
            nest.assert_same_structure(self.value, other.value)
        except (TypeError, ValueError):
            return False
        return True


def _is_tensor_like(leaf: Any) -> bool:
    kinds = (Tensor, CompositeTensor, TensorArray, Variable, np.ndarray, np.generic)
    return isinstance(leaf, (*kinds, bool, int, float, complex))


def _as_tensor(leaf: Any) -> Any:
    return leaf if isinstance(leaf, (CompositeTensor, TensorArray)) else convert_to_tensor(leaf)


def _tensors_like(name: str, one: _Leaves, other: _Leaves) -> list[Any]:
    """What the second branch returns where the first one returns tensors."""
    found = []
    partners = other.leaves if one.matches(other) else [None] * len(one.leaves)
    for leaf, partner in zip(one.leaves, partners):
        if not _is_tensor_like(leaf):
            continue
        wanted = _as_tensor(leaf)
        if not _is_tensor_like(partner):
            found.append(_stand_in(wanted))
            continue
        tensor = _as_tensor(partner)
        if tensor.dtype.base_dtype != wanted.dtype.base_dtype:
            raise TypeError(
                f'"{name}" has dtype {wanted.dtype.base_dtype.name} in the TRUE branch, but dtype='
                f"{tensor.dtype.base_dtype.name} in the FALSE branch. TensorFlow control flow "
                "requires that they are the same."
            )
        found.append(tensor)
    return found


def _stand_in(wanted: Any) -> Any:
    """A value for a branch that has none, of which nothing is read."""
    if not isinstance(wanted, Tensor):
        return wanted
    shape = [size or 0 for size in wanted.shape.as_list()] if wanted.shape.ndims is not None else []
    return zeros(shape, wanted.dtype.base_dtype)


def _joined(name: str, one: _Leaves, other: _Leaves, tensors: Iterator[Any]) -> Any:
    """The value of a name after both branches."""
    mine = [next(tensors) if _is_tensor_like(leaf) else leaf for leaf in one.leaves]
    if one.value is other.value:
        return one.value
    if not one.matches(other):
        # The result of a branch that goes on is not read: the flag says so.
        undefined_else = name == RESULT and isinstance(other.value, Undefined)
        return nest.pack_sequence_as(one.value, mine) if undefined_else else Undefined(name)
    leaves = []
    for leaf, partner, tensor in zip(one.leaves, other.leaves, mine):
        tensor_like = _is_tensor_like(leaf), _is_tensor_like(partner)
        if leaf is partner or (_is_python(leaf) and _is_python(partner) and leaf == partner):
            leaves.append(leaf)
        elif all(tensor_like) or (tensor_like[0] and name == RESULT and partner is not None):
            leaves.append(tensor)
        else:
            return Undefined(name)
    return nest.pack_sequence_as(one.value, leaves)


def _is_python(leaf: Any) -> bool:
    return isinstance(leaf, (bool, int, float, complex, str, bytes, type(None)))


def _refuse_one_branch(name: str, missing_first: bool, names: Sequence[str]) -> None:
    branch = "main" if missing_first else "else"
    if name == RESULT:
        raise ValueError(
            f"A value must also be returned from the {branch} branch. If a value is returned from "
            "one branch of a conditional a value must be returned from all branches."
        )
    raise ValueError(
        f"The following symbols must also be initialized in the {branch} branch: ({name!r},). "
        "Alternatively, you may initialize them before the if statement."
    )


# Loops


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    """A `while`.

    Args:
        test: the condition.
        body: the statements.
        get_state: the values of the names that the body assigns.
        set_state: assigns them.
        names: the names.

    Raises:
        ValueError: if a name of a loop of tensors has no value before it.
        TypeError: if it changes its type.
    """
    value = test()
    while not isinstance(value, Tensor) and value:
        body()
        value = test()
    if isinstance(value, Tensor):
        _tensor_loop(lambda _: test(), lambda _: body(), get_state, set_state, names)


def for_stmt(
    iterated: Any,
    go_on: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    """A `for`.

    Args:
        iterated: a tensor, whose rows are the items, a dataset, or what Python iterates over.
        go_on: whether the loop goes on, asked before each item; None for always.
        body: the statements, a function of the item.
        get_state: the values of the names that the body assigns.
        set_state: assigns them.
        names: the names.

    Raises:
        ValueError: if a name of a loop of tensors has no value before it, or the tensor is a
            scalar.
        TypeError: if a name changes its type.
    """
    if isinstance(iterated, Tensor):
        iterated.shape.with_rank_at_least(1)
        count = iterated.shape[0].value if iterated.shape.ndims is not None else None
        limit = shape_tensor(iterated)[0] if count is None else count
        _tensor_loop(
            lambda i: and_(lambda: i < limit, *([] if go_on is None else [go_on])),
            lambda i: body(iterated[i]),
            get_state,
            set_state,
            names,
        )
    elif hasattr(iterated, "_variant_tensor") and hasattr(iterated, "reduce"):
        _over_dataset(iterated, go_on, body, get_state, set_state, names)
    else:
        _over_items(iterated, go_on, body, get_state, set_state, names)


def _over_items(
    items: Any,
    go_on: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    for item in items:
        going = True if go_on is None else go_on()
        if isinstance(going, Tensor):
            if_stmt(going, functools.partial(body, item), _nothing, get_state, set_state, names, 0)
        elif not going:
            break
        else:
            body(item)


def _nothing() -> None:
    """A branch without statements."""


def _over_dataset(
    dataset: Any,
    go_on: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    loop = _LoopState(get_state, set_state, names)

    def step(state: Any, item: Any) -> Any:
        loop.enter(state[1:])
        if go_on is None:
            body(item)
        else:
            if_stmt(go_on(), lambda: body(item), _nothing, get_state, set_state, names, 0)
        return (state[0], *loop.tensors_after())

    loop.leave(dataset.reduce((constant_node(0, dtypes.int32), *loop.start), step)[1:])


def _tensor_loop(
    test: Callable[[Any], Any],
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    """A loop whose condition and statements are functions of the number of the iteration."""
    loop = _LoopState(get_state, set_state, names)

    def traced_test(i: Tensor, *values: Any) -> Any:
        loop.enter(values)
        return test(i)

    def traced_body(i: Tensor, *values: Any) -> list[Any]:
        loop.enter(values)
        body(i)
        return [i + 1, *loop.tensors_after()]

    start = [constant_node(0, dtypes.int32), *loop.start]
    loop.leave(while_loop(traced_test, traced_body, start, return_same_structure=True)[1:])


class _LoopState:
    """The names that a loop of tensors changes, as loop variables."""

    def __init__(self, get_state: GetState, set_state: SetState, names: Sequence[str]) -> None:
        self._get_state, self._set_state, self._names = get_state, set_state, names
        self._before = [_Leaves(value) for value in get_state()]
        missing = [n for n, v in zip(names, self._before) if isinstance(v.value, Undefined)]
        if RESULT in missing or RETURNED in names:
            raise ValueError("return statements are not supported within a TensorFlow loop.")
        if missing:
            text = ", ".join(map(repr, missing)) + ("," if len(missing) == 1 else "")
            raise ValueError(
                "TensorFlow requires that the following symbols must be defined before the loop: "
                f"({text})"
            )
        self.start = [tensor for value in self._before for tensor in value.tensors()]

    def enter(self, tensors: Sequence[Any]) -> None:
        """Gives the names the values of an iteration."""
        given = iter(tensors)
        values = [
            nest.pack_sequence_as(
                value.value,
                [next(given) if _is_tensor_like(leaf) else leaf for leaf in value.leaves],
            )
            for value in self._before
        ]
        self._set_state(tuple(values))

    leave = enter

    def tensors_after(self) -> list[Any]:
        """The loop variables after an iteration."""
        found = []
        for name, before, value in zip(self._names, self._before, self._get_state()):
            after = _Leaves(value)
            if not before.matches(after):
                raise TypeError(
                    f'"{name}" does not have the same nested structure after one iteration.'
                )
            for old, new in zip(before.leaves, after.leaves):
                if _is_tensor_like(old):
                    found.append(_same_type(name, old, new))
                elif old is not new and not (_is_python(old) and old == new):
                    raise ValueError(
                        f'"{name}" is {old!r} before the loop and changes in it: in a loop of '
                        "tensors, it must be a tensor or a number before the loop."
                    )
        return found


def _same_type(name: str, old: Any, new: Any) -> Any:
    before, after = _as_tensor(old), _as_tensor(new)
    if before.dtype.base_dtype != after.dtype.base_dtype:
        raise TypeError(
            f'"{name}" has dtype {before.dtype.base_dtype.name} before the loop, but dtype '
            f"{after.dtype.base_dtype.name} after one iteration. TensorFlow control flow requires "
            "it stays the same."
        )
    return after
