"""The op types that apply a gradient: for reference and resource variables, dense and by rows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from headwater.base import errors, native
from headwater.base.checks import are_distinct, fail, in_range, require
from headwater.base.overwriting import changeable, may_overwrite
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape
from headwater.graph import Sample, ShapeContext, register_op, shapes
from headwater.ops.state.handle import handle_shape

_GRADIENTS = ("grad", "delta")
# Values of the inputs in samples; 0.1 for the others.
_SAMPLE_NUMBERS = {
    "rho": 0.9,
    "momentum": 0.8,
    "beta": 0.9,
    "beta1": 0.9,
    "beta2": 0.99,
    "beta1_power": 0.81,
    "beta2_power": 0.98,
    "epsilon": 1e-3,
    "lr_power": -0.5,
    "logbase": 1.0,
    "alpha": 0.5,
}


def register_apply_ops(
    *names: str,
    variables: str,
    inputs: str,
    kernel: Callable[..., Any],
    attrs: str = "",
    native_rows: str = "",
) -> None:
    """Registers op types that apply gradients by the same formula.

    Args:
        *names: the op types, e.g. ``"ApplyAdam", "ResourceApplyAdam"``. Those that begin with
            ``Resource`` take handles of variables, the others reference variables.
        variables: names of the variables that are updated, e.g. ``"var m v"``.
        inputs: names of the further inputs in order. They have the type T, ``global_step`` int64.
            If ``indices`` is among them, they say to which rows of the variables the gradient
            belongs.
        kernel: ``kernel(xp, *variables, **inputs and attrs)`` computes the new value of each
            variable, in order. It works element by element.
        attrs: attrs after ``use_locking``, in the op language.
        native_rows: the native function that updates rows by the same formula, if there is one.
    """
    updates, further = variables.split(), inputs.split()
    several = None
    if "indices" in further:
        by_rows = _by_rows(kernel, updates, further, native_rows)
        several = _rows_of_several(kernel, by_rows, updates, further, native_rows)
        kernel = by_rows
    for name in names:
        _register(name, updates, further, kernel, several, attrs)


def _register(
    name: str,
    updates: list[str],
    inputs: list[str],
    kernel: Callable[..., Any],
    several: Callable[..., Any] | None,
    attrs: str,
) -> None:
    resource = name.startswith("Resource")
    held = [f"{n}: {'resource' if resource else 'Ref(T)'}" for n in updates]
    types = {"indices": "Tindices", "global_step": "int64"}
    more = [f"{n}: {types.get(n, 'T')}" for n in inputs]
    index_type = ["Tindices: {int32, int64}"] if "indices" in inputs else []
    all_attrs = ["T: numbertype", *index_type, "use_locking: bool = false", *attrs.split(", ")]
    register_op(
        name,
        inputs=", ".join([*held, *more]),
        outputs="" if resource else "out: Ref(T)",
        attrs=", ".join(attr for attr in all_attrs if attr),
        shape=functools.partial(_shape, updates, inputs),
        kernel=_checked(kernel, updates, inputs),
        several=several,
        updates=tuple(updates),
        stateful=resource,
        samples=None if resource else functools.partial(_samples, updates, inputs, attrs),
    )


def _shape(updates: list[str], inputs: list[str], c: ShapeContext) -> Shape | Sequence[Shape]:
    """Variables and gradient have one shape, numbers are scalars."""
    resource = c.record.stateful
    shape: Shape = None
    for i in range(len(updates)):
        held = handle_shape(c.inputs[i]) if resource else c.inputs[i]._shape
        # Most shapes are equal, and merging takes time.
        if held != shape:
            shape = c.merge(shape, held)
    for name in inputs:
        if name in _GRADIENTS:
            grad = c.shape(name)
            if "indices" in inputs:
                (count,) = c.with_rank("indices", 1)
                if grad:
                    c.merge_dims(count, grad[0])
                    grad = (None, *grad[1:])
            if grad != shape:
                shape = c.merge(shape, grad)
        elif name != "indices":
            c.with_rank(name, 0)
    return [] if resource else shape


# The checks of an op type are remembered for so many shapes of its inputs.
_MOST_SHAPES = 4096


def _checked(
    kernel: Callable[..., Any], updates: list[str], inputs: list[str]
) -> Callable[..., Any]:
    """The kernel with a check of its input shapes, which may be known only at run time."""
    count = len(updates)
    by_rows = "indices" in inputs
    place = count + inputs.index("indices") if by_rows else -1
    known: set[tuple[Any, ...]] = set()

    @functools.wraps(kernel)
    def checked(xp: ArrayModule, *values: Any, **wanted: Any) -> tuple[Array, ...]:
        found = tuple([value.shape for value in values])
        if found not in known:
            check(values)
            if len(known) >= _MOST_SHAPES:
                known.clear()
            known.add(found)
        return kernel(xp, *values, **wanted)

    def check(values: Sequence[Any]) -> None:
        var = values[0].shape
        for name, value in zip(updates[1:], values[1:count]):
            if value.shape != var:
                _fail(f"var and {name} do not have the same shape", var, value.shape)
        for name, value in zip(inputs, values[count:]):
            shape = value.shape
            if name in _GRADIENTS:
                if by_rows:
                    _check_rows_of(shape, var)
                    if shape[:1] != values[place].shape:
                        fail("grad must be the same size as indices in the first dimension.")
                elif shape != var:
                    _fail(f"var and {name} do not have the same shape", var, shape)
            elif shape and name != "indices":
                _fail(f"{name} is not a scalar: ", shape)

    return checked


def _check_rows_of(grad: Sequence[int], var: Sequence[int]) -> None:
    if len(grad) != len(var):
        _fail("var and grad do not have the same rank", var, grad)
    for i in range(1, len(var)):
        if grad[i] != var[i]:
            _fail(f"var and grad must match in dimension {i}")


def _fail(text: str, *found: Any) -> NoReturn:
    shown = " ".join(shapes.show(shape) for shape in found)
    raise errors.InvalidArgumentError(None, None, text + shown)


def _by_rows(
    kernel: Callable[..., Any], updates: list[str], inputs: list[str], native_rows: str = ""
) -> Callable[..., Any]:
    """The kernel on the rows that `indices` names; the other rows stay as they are.

    Repeated rows are updated one after the other. Programs leave that to the host: optimizers add
    up the gradients of repeated rows before.
    """
    count = len(updates)
    place = count + inputs.index("indices")

    def by_rows(xp: ArrayModule, *values: Any, **wanted: Any) -> tuple[Array, ...]:
        if xp is np and native_rows:
            updated = _updated_natively(native_rows, values, count, wanted)
            if updated is not None:
                return updated
        held, indices = values[:count], values[place]
        _check_indices(xp, indices, held[0])
        numbers = {n: v for n, v in zip(inputs, values[count:]) if n != "indices"}
        if xp is not np:
            require(xp, _are_distinct(xp, indices, held[0].shape[0]), _repeated)
            return _updated(xp, held, indices, numbers, wanted)
        turns = _turns(indices, len(held[0]))
        if turns is None:
            return _updated(xp, held, indices, numbers, wanted)
        for turn in range(int(turns.max()) + 1):
            now = turns == turn
            part = {n: v[now] if n in _GRADIENTS else v for n, v in numbers.items()}
            held = _updated(xp, held, indices[now], part, wanted)
        return held

    def _updated(
        xp: ArrayModule,
        held: Sequence[Array],
        indices: Array,
        numbers: dict[str, Any],
        wanted: dict[str, bool],
    ) -> tuple[Array, ...]:
        take = (lambda v: v.take(indices, 0)) if xp is np else (lambda v: v[indices])
        rows = [take(variable) for variable in held]
        results = kernel(xp, *rows, **numbers, **wanted)
        return tuple(_put_rows(v, indices, r) for v, r in zip(held, results))

    # The registry reads from the signature which attrs a kernel takes.
    parameters = inspect.signature(kernel).parameters.values()
    by_rows.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    )
    return by_rows


def _updated_natively(
    name: str, values: Sequence[Any], count: int, wanted: dict[str, bool]
) -> tuple[Array, ...] | None:
    """The first `count` values, which are variables, with rows updated by a native function."""
    overwrites = all(map(may_overwrite, values[:count]))
    updated = getattr(native.host(), name)(*values, *wanted.values(), overwrites)
    return None if updated is None else tuple(updated)


# So many elements are computed together: more of them leave the caches of the processor.
_MOST_TOGETHER = 1 << 12


def _rows_of_several(
    kernel: Callable[..., Any],
    by_rows: Callable[..., Any],
    updates: list[str],
    inputs: list[str],
    native_rows: str,
) -> Callable[..., Any]:
    """As `by_rows` for several sets of variables, whose rows are computed together."""
    count = len(updates)
    place = count + inputs.index("indices")
    gradient = count + next(i for i, name in enumerate(inputs) if name in _GRADIENTS)
    numbers = {
        name: count + i
        for i, name in enumerate(inputs)
        if name != "indices" and name not in _GRADIENTS
    }

    def several(calls: Sequence[Sequence[Any]], **wanted: Any) -> list[tuple[Array, ...]] | None:
        if native_rows:
            first = _updated_natively(native_rows, calls[0], count, wanted)
            if first is not None:
                return [first, *(by_rows(np, *values, **wanted) for values in calls[1:])]
        if not all(fit(values, calls[0]) for values in calls):
            return None
        size = sum(values[gradient].size for values in calls) // len(calls)
        step = min(len(calls), _MOST_TOGETHER // max(size, 1))
        if step < 2:
            return None
        found: list[tuple[Array, ...]] = []
        for start in range(0, len(calls), step):
            found.extend(together(calls[start : start + step], wanted))
        return found

    def together(
        calls: Sequence[Sequence[Any]], wanted: dict[str, Any]
    ) -> Iterator[tuple[Array, ...]]:
        first = calls[0]
        rows = [
            np.concatenate([values[i].take(values[place], 0) for values in calls])
            for i in range(count)
        ]
        named = {name: first[i] for name, i in numbers.items()}
        named[inputs[gradient - count]] = np.concatenate([values[gradient] for values in calls])
        results = kernel(np, *rows, **named, **wanted)
        end = 0
        for values in calls:
            indices = values[place]
            start, end = end, end + len(indices)
            yield tuple([_put_rows(v, indices, r[start:end]) for v, r in zip(values, results)])

    def fit(values: Sequence[Any], first: Sequence[Any]) -> bool:
        indices, grad, shape = values[place], values[gradient], values[0].shape
        return (
            all(values[i] is first[i] and not first[i].ndim for i in numbers.values())
            and all(value.shape == shape for value in values[1:count])
            and shape[1:] == first[0].shape[1:]
            and indices.ndim == 1
            and grad.shape == (len(indices), *shape[1:])
            and in_range(indices, shape[0])
            and are_distinct(indices, shape[0])
        )

    return several


def _check_indices(xp: ArrayModule, indices: Array, variable: Array) -> None:
    """Checks that all indices are rows of a variable."""
    rows = variable.shape[0]
    inside = in_range(indices, rows)

    def error() -> errors.InvalidArgumentError:
        inside = (indices >= 0) & (indices < rows)
        first = int(np.argmin(inside))
        return errors.InvalidArgumentError(
            None, None, f"Index {int(indices[first])} at offset {first} in indices is out of range"
        )

    require(xp, inside, error)


def _turns(indices: np.ndarray, rows: int) -> np.ndarray | None:
    """How often each index has occurred before its position; None if none is repeated."""
    if are_distinct(indices, rows):
        return None
    order = np.argsort(indices, kind="stable")
    found = indices[order]
    first = np.ones(len(found), bool)
    np.not_equal(found[1:], found[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    turns = np.empty(len(found), np.int64)
    turns[order] = np.arange(len(found)) - starts[np.cumsum(first) - 1]
    return turns


# Up to this many rows per index, a flag per row costs less than sorting the indices.
_ROWS_PER_INDEX = 16


def _are_distinct(xp: ArrayModule, indices: Array, rows: int) -> Array:
    """Whether no index is repeated, as a traced value."""
    count = indices.shape[0]
    if count < 2:
        return np.True_
    if rows > _ROWS_PER_INDEX * count:
        found = xp.sort(indices)
        return found[1:] != found[:-1]
    numbers = np.arange(count, dtype=np.int32)
    marks = xp.zeros(rows, np.int32).at[indices].set(numbers)
    return marks[indices] == numbers


def _repeated() -> errors.InternalError:
    return errors.InternalError(None, None, "Rows are repeated")


def _put_rows(variable: Array, indices: Array, rows: Array) -> Array:
    """A variable with some rows replaced: a copy unless it may be overwritten."""
    if isinstance(variable, np.ndarray):
        replaced = native.host().put(variable, indices, rows, may_overwrite(variable))
        if replaced is not None:
            return replaced
        result = changeable(variable)
        if rows.dtype == result.dtype and rows.size:
            # A row is one element: NumPy sets the elements of each row one by one otherwise.
            row = f"V{rows.itemsize * (rows.size // len(rows))}"
            _as_elements(result, row)[indices] = _as_elements(rows, row)
        else:
            result[indices] = rows
        return result
    return variable.at[indices].set(rows)


def _as_elements(rows: np.ndarray, dtype: str) -> np.ndarray:
    """The rows of an array as a vector."""
    if rows.size == len(rows):
        return rows.reshape(-1)
    return np.ascontiguousarray(rows).reshape(len(rows), -1).view(dtype).reshape(-1)


def _samples(updates: list[str], inputs: list[str], attrs: str) -> Iterator[Sample]:
    """Attrs of samples: every value of the boolean attrs."""
    flags = [attr.partition(":")[0] for attr in attrs.split(", ") if attr]
    for dtype in (np.float32, np.float64):
        var: np.ndarray = np.array([[1.0, -2.0], [0.5, 3.0], [-0.1, 0.7]], dtype)
        # Positive: most slots are sums of squares.
        held = [var, *(np.full_like(var, 0.5 * i) + var * var for i in range(1, len(updates)))]
        values = [_sample_input(name, "indices" in inputs, dtype) for name in inputs]
        yield Sample(*held, *values, gradient=())
        for flag in flags:
            for value in (False, True):
                yield Sample(*held, *values, gradient=(), **{flag: value})


def _sample_input(name: str, by_rows: bool, dtype: DTypeLike) -> Array:
    if name in _GRADIENTS:
        grad = np.array([[0.1, -0.2], [0.0, 0.4], [-3.0, 1.5]], dtype)
        return grad[:2] if by_rows else grad
    if name == "indices":
        return np.array([2, 0], np.int32)
    if name == "global_step":
        return np.int64(3)
    return dtype(_SAMPLE_NUMBERS.get(name, 0.1))
