"""Large programs as sequences of calls of smaller programs.

XLA would compile each of twenty unrolled steps. Here the equations of one step are compiled once
and called twenty times; the equations between the steps become a few further programs. And the time
that XLA takes grows faster than the program: no program has more than a few thousand equations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base.lazy import jax, jax_core
from headwater.engine.compiling.compiler import compile_parts
from headwater.engine.compiling.equation_order import Group, groups_of, size_of
from headwater.engine.compiling.footprint import MemoryUse, bytes_needed
from headwater.engine.compiling.products import with_joined_products
from headwater.engine.compiling.repeats import find_repeats
from headwater.engine.compiling.tracing import trace_to_end

# Programs of fewer equations compile fast enough as a whole.
_MIN_EQUATIONS = 300
# The least share of the equations that must be in repeats.
_MIN_SHARE = 0.5
_MAX_CALLS = 150
# Where there are more calls, each has to stand for so many equations.
_MIN_EQUATIONS_PER_CALL = 100
# Programs of more equations are cut into chunks: with gradients, XLA takes 2 s for 4,000 equations,
# 5 s for 8,000, 57 s for 17,000.
_MOST_EQUATIONS = 4000
_CHUNK_EQUATIONS = 2000
# Programs of fewer equations do not concatenate many pieces.
_MIN_CHUNKED = 64
# Between small arrays, a fusion saves little: without any, chunks that pass on hundreds of values
# are compiled in half the time. Between larger ones, steps would take twice the time.
_SMALL_BYTES = 1 << 12


class _Part:
    """Equations that are compiled together.

    Attributes:
        repeat: the number of the repeat of which this is an instance; None between repeats.
        fuses: whether XLA may fuse ops.
        inputs: the variables that they take, in the order of their first use.
        made: all variables that they make, in order.
        outputs: those that other parts or the result need.
    """

    def __init__(self, equations: Sequence[Any], repeat: int | None, fuses: bool = True) -> None:
        self.equations = equations
        self.repeat = repeat
        self.fuses = fuses
        self.made = [v for e in equations for v in e.outvars]
        inside = set(self.made)
        operands = (v for e in equations for v in e.invars if not _is_literal(v))
        self.inputs = list(dict.fromkeys(v for v in operands if v not in inside))
        self.outputs: list[Any] = []

    def lowered(self, whole: Any, donations: tuple[int, ...]) -> Any:
        """The equations of the jaxpr `whole`, lowered: from `inputs` to `outputs`."""
        nameless = whole.debug_info._replace(
            arg_names=("",) * len(self.inputs), result_paths=("",) * len(self.outputs)
        )
        jaxpr = whole.replace(
            constvars=[],
            invars=self.inputs,
            outvars=self.outputs,
            eqns=self.equations,
            debug_info=nameless,
        )
        function = jax.jit(
            jax_core.jaxpr_as_fun(jax_core.ClosedJaxpr(jaxpr, ())),
            donate_argnums=donations,
            keep_unused=True,
        )
        shapes = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in self.inputs]
        return function.lower(*shapes)


def _is_literal(variable: Any) -> bool:
    return hasattr(variable, "val")


def _literal(variable: Any) -> np.ndarray:
    return np.asarray(variable.val, variable.aval.dtype)


class CallSequence:
    """A function of trees of arrays, compiled in parts.

    Args:
        closed: the traced function, a closed jaxpr.
        shapes: the tree of what it returns.
        parts: all equations, in an order in which they can be executed.
        donated: which of the flat arguments are donated.
    """

    def __init__(
        self, closed: Any, shapes: Any, parts: list[_Part], donated: Sequence[bool]
    ) -> None:
        jaxpr = closed.jaxpr
        self.out_info = shapes
        self._tree = jax.tree.structure(shapes)
        self._shapes = [v.aval.shape for v in jaxpr.invars]
        places: dict[Any, int] = {}
        for v in (*jaxpr.invars, *jaxpr.constvars, *(v for part in parts for v in part.made)):
            places.setdefault(v, len(places))
        self._constants = [jax.device_put(c) for c in closed.consts]
        self._size = len(places)
        self._results = [_literal(v) if _is_literal(v) else places[v] for v in jaxpr.outvars]
        self._literal = [_is_literal(v) for v in jaxpr.outvars]
        _set_outputs(parts, jaxpr.outvars)
        taken_over = _donations(parts, {v for v, d in zip(jaxpr.invars, donated) if d}, jaxpr)
        lowered: dict[Any, tuple[Any, bool]] = {}
        keys = []
        for position, (part, donations) in enumerate(zip(parts, taken_over)):
            keys.append(position if part.repeat is None else (part.repeat, donations))
            if keys[-1] not in lowered:
                lowered[keys[-1]] = part.lowered(jaxpr, donations), part.fuses
        compiled = dict(zip(lowered, compile_parts(list(lowered.values()))))
        self._steps: list[tuple[Any, list[int], list[int], list[int]]] = []
        for key, part in zip(keys, parts):
            step = ([places[v] for v in part.inputs], [places[v] for v in part.outputs])
            self._steps.append((compiled[key], *step, []))
        results = {r for r, literal in zip(self._results, self._literal) if not literal}
        needed = set(results)
        for _, inputs, outputs, released in reversed(self._steps):
            for place in dict.fromkeys((*inputs, *outputs)):
                if place not in needed:
                    released.append(place)
                    needed.add(place)
        self._use = self._memory_use(
            {places[v]: size_of(v) for part in parts for v in part.outputs}
        )

    def _memory_use(self, sizes: dict[int, int]) -> MemoryUse:
        """What the parts allocate at most; `sizes` has the bytes of what they make, by place."""
        live = most = 0
        held: dict[int, int] = {}
        known: dict[Any, tuple[int, int]] = {}
        for function, _, outputs, released in self._steps:
            if function not in known:
                known[function] = bytes_needed(function)
            needed, left = known[function]
            most = max(most, live + needed)
            live += left
            made = sum(sizes[place] for place in outputs)
            share = left / made if made else 0.0
            held.update((place, int(share * sizes[place])) for place in outputs)
            live -= sum(held.pop(place, 0) for place in released)
        return MemoryUse(max(0, most - live), live)

    def memory_analysis(self) -> MemoryUse:
        """What a call allocates, as compiled programs say it."""
        return self._use

    def __call__(self, *arguments: Any) -> Any:
        """Calls the parts one after the other.

        Raises:
            TypeError: if the arguments have other shapes; nothing has been donated then.
        """
        leaves = jax.tree.leaves(arguments)
        if [v.shape for v in leaves] != self._shapes:
            raise TypeError("the program is for other shapes")
        values: list[Any] = [None] * self._size
        values[: len(leaves)] = leaves
        values[len(leaves) : len(leaves) + len(self._constants)] = self._constants
        for function, inputs, outputs, released in self._steps:
            for place, value in zip(outputs, function(*[values[i] for i in inputs])):
                values[place] = value
            for place in released:
                values[place] = None
        results = [r if literal else values[r] for r, literal in zip(self._results, self._literal)]
        return jax.tree.unflatten(self._tree, results)


def call_sequence(
    function: Callable[..., Any], arguments: tuple[Any, ...], donated: Iterable[int] = ()
) -> CallSequence | None:
    """Compiles a function in parts, if enough of it repeats.

    Args:
        function: the function, to be traced.
        arguments: trees of arrays or of what has their shapes and types.
        donated: positions of the donated arguments.
    """
    closed, shapes = trace_to_end(
        lambda f: jax.make_jaxpr(f, return_shape=True)(*arguments), function
    )
    if len(closed.jaxpr.eqns) < _MIN_EQUATIONS or closed.jaxpr.effects:
        return None
    closed = with_joined_products(closed)
    equations = closed.jaxpr.eqns
    weights = _weights(equations)
    repeats = find_repeats(equations)
    flags = donation_flags(arguments, donated)
    if sum(r.length * len(r.starts) for r in repeats) < _MIN_SHARE * len(equations):
        return in_chunks(closed, shapes, flags)
    units: list[_Part] = []
    starts = {start: (i, r.length) for i, r in enumerate(repeats) for start in r.starts}
    place = 0
    while place < len(equations):
        repeat, length = starts.get(place, (None, 1))
        units.append(_Part(equations[place : place + length], repeat))
        place += length
    parts = [chunk for part in _in_stages(units) for chunk in _chunks(part)]
    if len(parts) > max(_MAX_CALLS, sum(weights) // _MIN_EQUATIONS_PER_CALL):
        return in_chunks(closed, shapes, flags)
    return CallSequence(closed, shapes, parts, flags)


def donation_flags(arguments: tuple[Any, ...], donated: Iterable[int]) -> list[bool]:
    """For each flat argument, whether it is donated."""
    wanted = set(donated)
    return [i in wanted for i, a in enumerate(arguments) for _ in jax.tree.leaves(a)]


def in_chunks(closed: Any, shapes: Any, donated: Sequence[bool]) -> CallSequence | None:
    """Compiles a closed jaxpr as several programs, if one would take XLA long.

    That is so if it is large, or concatenates many small pieces. For the arguments see
    CallSequence.
    """
    equations = [e for e in closed.jaxpr.eqns if not _is_dead(e)]
    weights = _weights(equations)
    is_large = sum(weights) > _MOST_EQUATIONS
    if closed.jaxpr.effects or (not is_large and len(equations) < _MIN_CHUNKED):
        return None
    groups = groups_of(equations, closed.jaxpr.outvars, weights)
    if len(groups) > _MAX_CALLS:
        groups = [Group([e for group in groups for e in group.equations], True)]
    if not is_large and all(group.fuses for group in groups):
        return None
    chunks = [c for g in groups for c in _chunks(_Part(g.equations, None, g.fuses))]
    return CallSequence(closed, shapes, chunks, donated)


def _is_dead(equation: Any) -> bool:
    """Whether an equation does nothing; JAX marks variables that nobody reads."""
    unread = all(type(variable).__name__ == "DropVar" for variable in equation.outvars)
    return unread and not equation.effects


def _chunks(part: _Part) -> list[_Part]:
    """A part as parts of bounded size; instances of a repeat are bounded already."""
    weights = _weights(part.equations)
    if part.repeat is not None or sum(weights) <= _MOST_EQUATIONS:
        return [part]
    chunks: list[list[Any]] = [[]]
    size = 0
    for equation, weight in zip(part.equations, weights):
        if chunks[-1] and size + weight > _CHUNK_EQUATIONS:
            chunks.append([])
            size = 0
        chunks[-1].append(equation)
        size += weight
    return [_Part(chunk, None, part.fuses and not _is_small(chunk)) for chunk in chunks]


def _is_small(equations: Sequence[Any]) -> bool:
    """Whether equations work on so little that fusing them is not worth the time to compile."""
    made = [v for e in equations for v in e.outvars]
    return sum(map(size_of, made)) <= _SMALL_BYTES * len(made)


def _weights(equations: Sequence[Any]) -> list[int]:
    """How many equations each equation stands for, with those of the functions that it calls."""
    known: dict[int, int] = {}

    def weight(equation: Any) -> int:
        total = 1
        for value in equation.params.values():
            for item in value if isinstance(value, (tuple, list)) else (value,):
                inner = getattr(getattr(item, "jaxpr", item), "eqns", None)
                if inner is not None:
                    if id(inner) not in known:
                        known[id(inner)] = sum(map(weight, inner))
                    total += known[id(inner)]
        return total

    return [weight(equation) for equation in equations]


def _in_stages(units: list[_Part]) -> list[_Part]:
    """Reorders the units so that the equations between repeats form few parts."""
    makers = {v: i for i, unit in enumerate(units) for v in unit.made}
    before = [{makers[v] for v in unit.inputs if v in makers} for unit in units]
    after: list[list[int]] = [[] for _ in units]
    leads_to_repeat = [unit.repeat is not None for unit in units]
    for i in reversed(range(len(units))):
        for source in before[i]:
            after[source].append(i)
            leads_to_repeat[source] |= leads_to_repeat[i]
    waits = [len(sources) for sources in before]
    # The ready units by class: needed by a repeat, repeats, the rest.
    ready: tuple[list[int], list[int], list[int]] = ([], [], [])

    def make_ready(i: int) -> None:
        ready[1 if units[i].repeat is not None else 0 if leads_to_repeat[i] else 2].append(i)

    for i, count in enumerate(waits):
        if not count:
            make_ready(i)
    parts: list[_Part] = []
    while any(ready):
        turn = next(i for i in range(3) if ready[i])
        stage: list[int] = []
        # The list grows during the iteration.
        for i in ready[turn]:
            stage.append(i)
            for follower in sorted(after[i]):
                waits[follower] -= 1
                if not waits[follower]:
                    make_ready(follower)
        ready[turn].clear()
        if turn == 1:
            parts.extend(units[i] for i in stage)
        else:
            parts.append(_Part([e for i in stage for e in units[i].equations], None))
    return parts


def _set_outputs(parts: list[_Part], wanted_last: Iterable[Any]) -> None:
    """Sets the outputs of parts: all instances of a repeat return what any of them must."""
    wanted = {v for part in parts for v in part.inputs}
    wanted.update(v for v in wanted_last if not _is_literal(v))
    positions: dict[int, set[int]] = {}
    for part in parts:
        found = {i for i, v in enumerate(part.made) if v in wanted}
        if part.repeat is None:
            part.outputs = [part.made[i] for i in sorted(found)]
        else:
            positions.setdefault(part.repeat, set()).update(found)
    for part in parts:
        if part.repeat is not None:
            part.outputs = [part.made[i] for i in sorted(positions[part.repeat])]


def _donations(parts: list[_Part], allowed: set[Any], jaxpr: Any) -> list[tuple[int, ...]]:
    """For each part the positions of arguments that it may overwrite: no other part reads them."""
    uses: dict[Any, int] = {}
    for v in (*jaxpr.outvars, *(v for part in parts for v in part.inputs)):
        if not _is_literal(v):
            uses[v] = uses.get(v, 0) + 1
    return [
        tuple(i for i, v in enumerate(part.inputs) if v in allowed and uses[v] == 1)
        for part in parts
    ]
