"""Joins the small matrix products of repeated steps into few large ones.

Each step of an unrolled or looped network multiplies small matrices with the same weights. The
gradient of the weights is a sum of one product per step: here it becomes one product of the
joined operands. Weights that steps multiply with transposed are transposed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.base.lazy import jax, jnp, lax
from headwater.engine.compiling.tracing import trace_to_end

# Fewer products of a sum are not joined, and for fewer products nothing is transposed.
_MIN_COUNT = 4
# Joined products of a loop have about so many rows; more would not make them faster.
_ROWS = 160


@dataclass(frozen=True)
class _Product:
    """A product of two matrices in a jaxpr.

    Attributes:
        equation: its equation.
        summed: the dimensions of the operands that are summed over.
    """

    equation: Any
    summed: tuple[int, int]

    @property
    def rows(self) -> int:
        """The size of the dimensions that are summed over."""
        return int(self.equation.invars[0].aval.shape[self.summed[0]])

    @property
    def is_outer(self) -> bool:
        """Whether the operands are much smaller than the result."""
        m, n = self.equation.outvars[0].aval.shape
        return bool(2 * self.rows * (m + n) < m * n)

    @property
    def key(self) -> Any:
        """What products that are joined have in common."""
        return self.summed, repr(self.equation.params)

    def operands_by_rows(self, left: Any, right: Any) -> tuple[Any, Any]:
        """The operands with the dimension that is summed over first."""
        return (left if self.summed[0] == 0 else left.T, right if self.summed[1] == 0 else right.T)

    def of_rows(self, left: Any, right: Any) -> Any:
        """The product of operands that `operands_by_rows` made, joined or not."""
        params = {**self.equation.params, "dimension_numbers": (((0,), (0,)), ((), ()))}
        return self.equation.primitive.bind(left, right, **params)


def _product(equation: Any) -> _Product | None:
    if equation.primitive.name != "dot_general":
        return None
    (left, right), batch = equation.params["dimension_numbers"]
    ranks = [len(v.aval.shape) for v in equation.invars]
    if ranks != [2, 2] or len(left) != 1 or any(map(len, batch)):
        return None
    return _Product(equation, (int(left[0]), int(right[0])))


def _is_literal(variable: Any) -> bool:
    return hasattr(variable, "val")


class _Uses:
    """The equations that make the variables of a jaxpr, and how often each is read."""

    def __init__(self, jaxpr: Any) -> None:
        self.makers = {v: e for e in jaxpr.eqns for v in e.outvars}
        read = (v for e in jaxpr.eqns for v in e.invars)
        self.counts = Counter(v for v in (*read, *jaxpr.outvars) if not _is_literal(v))

    def summands(self, total: Any) -> tuple[list[_Product], list[Any], list[Any]]:
        """Splits a sum into its summands.

        Returns:
            The products in it that nothing else reads, the other summands, and the additions.
        """
        products: list[_Product] = []
        others: list[Any] = []
        additions: list[Any] = []
        waiting = [total]
        while waiting:
            variable = waiting.pop()
            equation = None if _is_literal(variable) else self.makers.get(variable)
            if equation is None or (variable is not total and self.counts[variable] > 1):
                others.append(variable)
                continue
            product = _product(equation)
            if product is not None and product.is_outer:
                products.append(product)
            elif _is_addition(equation):
                additions.append(equation)
                waiting.extend(reversed(equation.invars))
            else:
                others.append(variable)
        return products, others, additions


def _is_addition(equation: Any) -> bool:
    shapes = {v.aval.shape for v in (*equation.invars, *equation.outvars)}
    return equation.primitive.name in ("add", "add_any") and len(shapes) == 1


class _Evaluation:
    """Evaluates the equations of a jaxpr, with replacements for some of them.

    Args:
        closed: the jaxpr.
        arguments: the values of its arguments.
        instead: replacements of equations by id; None skips the equation.
        transposed: transposed variables, which products use where they can.
    """

    def __init__(
        self,
        closed: Any,
        arguments: Iterable[Any],
        instead: Mapping[int, Callable[[_Evaluation], Any] | None],
        transposed: dict[Any, Any],
    ) -> None:
        self._values = dict(zip(closed.jaxpr.constvars, closed.consts))
        self._values.update(zip(closed.jaxpr.invars, arguments))
        self._transposed = transposed
        for equation in closed.jaxpr.eqns:
            if id(equation) not in instead:
                self._values.update(zip(equation.outvars, self._evaluated(equation)))
                continue
            other = instead[id(equation)]
            if other is not None:
                self._values[equation.outvars[0]] = other(self)

    def __getitem__(self, variable: Any) -> Any:
        return variable.val if _is_literal(variable) else self._values[variable]

    def _evaluated(self, equation: Any) -> Sequence[Any]:
        product = _product(equation) if self._transposed else None
        if product is not None:
            left, right = equation.invars
            if product.summed[1] == 1 and right in self._transposed:
                numbers = (((product.summed[0],), (0,)), ((), ()))
                params = {**equation.params, "dimension_numbers": numbers}
                operands = self[left], self._transposed[right]
                return (equation.primitive.bind(*operands, **params),)
        # Until JAX 0.9 functions and parameters, then parameters only.
        parts = equation.primitive.get_bind_params(equation.params)
        functions, params = ((), parts) if isinstance(parts, dict) else parts
        values = map(self.__getitem__, equation.invars)
        results = equation.primitive.bind(*functions, *values, **params)
        return results if equation.primitive.multiple_results else (results,)


def _transposable(equations: Iterable[Any], from_outside: Iterable[Any]) -> list[Any]:
    """The variables from outside that products of few rows read transposed, once per product."""
    outside = set(from_outside)
    found = []
    for product in filter(None, map(_product, equations)):
        left, right = product.equation.invars
        if product.summed[1] == 1 and not _is_literal(right) and right in outside:
            found.append((right, left.aval.shape[1 - product.summed[0]]))
    return [v for v, rows in found if rows < min(v.aval.shape)]


def with_joined_products(closed: Any) -> Any:
    """Joins the products of sums, and transposes weights once, in a program.

    Args:
        closed: a closed jaxpr.

    Returns:
        A closed jaxpr that computes the same; `closed` itself if there is nothing to join.
    """
    jaxpr = closed.jaxpr
    uses = _Uses(jaxpr)
    instead: dict[int, Any] = {}
    # In reverse order, so that a whole sum is found before its parts, which are then skipped.
    seen: set[int] = set()
    for equation in reversed(jaxpr.eqns):
        if id(equation) not in seen and _is_addition(equation):
            seen.update(map(id, _join(equation, uses, instead)))
    arguments = (*jaxpr.constvars, *jaxpr.invars)
    often = Counter(_transposable(jaxpr.eqns, arguments))
    wanted = [v for v, count in often.items() if count >= _MIN_COUNT]
    if not instead and not wanted:
        return closed

    def function(*values: Any) -> list[Any]:
        outside = dict(zip(arguments, (*closed.consts, *values)))
        transposed = {v: outside[v].T for v in wanted}
        evaluation = _Evaluation(closed, values, instead, transposed)
        return [evaluation[v] for v in jaxpr.outvars]

    return jax.make_jaxpr(function)(*(v.aval for v in jaxpr.invars))


def _join(addition: Any, uses: _Uses, instead: dict[int, Any]) -> list[Any]:
    """Plans to compute a sum from joined products, if it has enough of them.

    Returns:
        The additions of the sum.
    """
    total = addition.outvars[0]
    products, others, additions = uses.summands(total)
    groups: dict[Any, list[_Product]] = {}
    for product in products:
        groups.setdefault(product.key, []).append(product)
    joined = [group for group in groups.values() if len(group) >= _MIN_COUNT]
    if not joined:
        return additions
    left_over = [p for group in groups.values() if len(group) < _MIN_COUNT for p in group]
    others = [*others, *(p.equation.outvars[0] for p in left_over)]
    for product in (p for group in joined for p in group):
        instead[id(product.equation)] = None
    for inner in additions:
        instead[id(inner)] = None

    def value(evaluation: _Evaluation) -> Any:
        terms = [_joined_product(group, evaluation) for group in joined]
        terms.extend(evaluation[v] for v in others)
        return sum(terms[1:], terms[0])

    instead[id(addition)] = value
    return additions


def _joined_product(group: list[_Product], evaluation: _Evaluation) -> Any:
    operands = [
        product.operands_by_rows(*(evaluation[v] for v in product.equation.invars))
        for product in group
    ]
    return group[0].of_rows(*(jnp.concatenate(side) for side in zip(*operands)))


def while_loop(goes_on: Callable[[Any], Any], iteration: Callable[[Any], Any], start: Any) -> Any:
    """Like lax.while_loop; sums of products that grow from iteration to iteration are joined.

    Where an iteration adds a product of small matrices to a carried value that nothing else
    reads, the operands of several iterations are kept and multiplied together.
    """
    leaves, tree = jax.tree.flatten(start)
    leaves = [jnp.asarray(v) for v in leaves]

    def flat_iteration(*values: Any) -> list[Any]:
        result: list[Any] = jax.tree.leaves(iteration(jax.tree.unflatten(tree, values)))
        return result

    closed = trace_to_end(lambda f: jax.make_jaxpr(f)(*leaves), flat_iteration)
    constants = dict(zip(closed.jaxpr.constvars, closed.consts))
    # In the order of the equations: equal loops have to be the same program.
    wanted = dict.fromkeys(_transposable(closed.jaxpr.eqns, closed.jaxpr.constvars))
    transposed = {v: constants[v].T for v in wanted}
    test = jax.make_jaxpr(lambda *values: goes_on(jax.tree.unflatten(tree, values)))(*leaves)
    sums = _growing_sums(closed.jaxpr, test.jaxpr)
    # The traced equations are evaluated, not traced again, which would multiply in nested loops.
    loop = _SummingLoop(closed, test, sums, transposed)
    return jax.tree.unflatten(tree, loop.run(leaves))


def _growing_sums(body: Any, test: Any) -> dict[int, list[_Product]]:
    """The carried values to which an iteration only adds products, by position."""
    uses = _Uses(body)
    tested = _Uses(test)
    sums = {}
    for position, (before, after) in enumerate(zip(body.invars, body.outvars)):
        if uses.counts[before] != 1 or tested.counts[test.invars[position]]:
            continue
        if _is_literal(after) or uses.counts[after] != 1:
            continue
        products, others, _ = uses.summands(after)
        few_rows = all(2 * p.rows <= _ROWS for p in products)
        if products and few_rows and others == [before]:
            sums[position] = products
    return sums


class _SummingLoop:
    """A loop whose sums of products are added up for several iterations at once.

    Args:
        body: the jaxpr of an iteration.
        test: that of its predicate.
        sums: for positions of carried values the products that are added to them.
        transposed: see `_Evaluation`.
    """

    def __init__(
        self, body: Any, test: Any, sums: dict[int, list[_Product]], transposed: dict[Any, Any]
    ) -> None:
        self._body = body
        self._test = test
        self._sums = sums
        self._transposed = transposed
        self._products = [p for products in sums.values() for p in products]
        self._count = max([1, *(_ROWS // p.rows for p in self._products if p.rows)])
        self._skipped: dict[int, Any] = {}
        uses = _Uses(body.jaxpr)
        for position in sums:
            products, _, additions = uses.summands(body.jaxpr.outvars[position])
            self._skipped.update((id(p.equation), None) for p in products)
            self._skipped.update((id(a), None) for a in additions)

    def run(self, start: list[Any]) -> list[Any]:
        """Runs the loop from the given carried values to its end."""
        if not self._sums:
            result: list[Any] = lax.while_loop(self._goes_on, lambda v: self._step(v)[0], start)
            return result
        result = lax.while_loop(self._goes_on, self._several, start)
        return result

    def _goes_on(self, values: list[Any]) -> Any:
        environment = _Evaluation(self._test, values, {}, {})
        return environment[self._test.jaxpr.outvars[0]]

    def _step(self, values: list[Any]) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """One iteration without the sums, and the operands of their products."""
        evaluation = _Evaluation(self._body, values, self._skipped, self._transposed)
        after = [
            value if position in self._sums else evaluation[v]
            for position, (v, value) in enumerate(zip(self._body.jaxpr.outvars, values))
        ]
        operands = [
            p.operands_by_rows(*(evaluation[v] for v in p.equation.invars)) for p in self._products
        ]
        return after, operands

    def _several(self, values: list[Any]) -> list[Any]:
        """Runs iterations until there are enough rows or the loop ends, then adds the products."""
        shapes = jax.eval_shape(lambda v: self._step(v)[1], values)
        # Rows that are not written stay zero and add nothing.
        kept = jax.tree.map(lambda s: jnp.zeros((self._count, *s.shape), s.dtype), shapes)

        def goes_on(state: Any) -> Any:
            count, values, _ = state
            return (count < self._count) & self._goes_on(values)

        def step(state: Any) -> Any:
            count, values, kept = state
            values, operands = self._step(values)
            kept = jax.tree.map(
                lambda all_, one: lax.dynamic_update_index_in_dim(all_, one, count, 0),
                kept,
                operands,
            )
            return count + 1, values, kept

        _, values, kept = lax.while_loop(goes_on, step, (jnp.int32(0), values, kept))
        products = iter(
            product.of_rows(*(side.reshape(-1, side.shape[-1]) for side in sides))
            for product, sides in zip(self._products, kept)
        )
        for position, group in self._sums.items():
            for _ in group:
                values[position] = values[position] + next(products)
        return values
