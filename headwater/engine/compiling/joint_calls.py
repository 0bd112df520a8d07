"""Calls of equal ops on different values, made as one call.

A model with many columns has the same op for each of them: a table is asked, rows of a variable are
updated. Some ops do that for several inputs at once (`several` of their record), which takes fewer
and longer steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from headwater.engine.analysis.purity import is_pure
from headwater.engine.compiling.calls import Branch, Call
from headwater.engine.nodes.node import KERNEL_ERRORS, raise_located


class _Group:
    """Calls that can be made when the last of them is due.

    Args:
        several: makes them as one.
    """

    def __init__(self, several: Callable[..., Any]) -> None:
        self.several = several
        self.calls: list[Call] = []
        self._reads: set[int] = set()
        self._makes: set[int] = set()

    def add(self, call: Call) -> None:
        """Adds a call that does not depend on the others."""
        self.calls.append(call)
        self._reads.update(call.reads)
        self._makes.update(call.makes)

    def is_bound_to(self, call: Call) -> bool:
        """Whether a later call needs the results of these, or changes what they take."""
        makes = self._makes
        return not (
            makes.isdisjoint(call.reads)
            and makes.isdisjoint(call.makes)
            and self._reads.isdisjoint(call.makes)
        )


class JointCall:
    """Several calls as one function of all their inputs.

    Args:
        calls: the calls.
        several: the function ``([inputs of a call, ...]) -> [results of a call, ...]``; it may
            return None for values that do not fit together.
    """

    def __init__(self, calls: Sequence[Call], several: Callable[..., Any]) -> None:
        self._calls = list(calls)
        self._several = several
        ends = [0]
        for call in calls:
            ends.append(ends[-1] + len(call.inputs))
        self._slices = [slice(*bounds) for bounds in pairwise(ends)]

    def __call__(self, *values: Any) -> list[Any]:
        inputs = [values[part] for part in self._slices]
        try:
            results = self._several(inputs)
        except KERNEL_ERRORS:
            # The calls one by one tell whose error it is.
            results = None
        if results is None:
            results = [self._single(call, given) for call, given in zip(self._calls, inputs)]
        flat: list[Any] = []
        for result in results:
            flat.extend(result if isinstance(result, (tuple, list)) else (result,))
        return flat

    @staticmethod
    def _single(call: Call, values: Sequence[Any]) -> Any:
        try:
            return call.function(*values)
        except KERNEL_ERRORS as error:
            raise_located(error, call.op)


def joined_calls(calls: Sequence[Call]) -> list[Call]:
    """The calls, with those of equal ops joined that do not depend on each other."""
    groups: dict[Any, _Group] = {}
    result: list[Call] = []

    def end(keys: list[Any]) -> None:
        for key in keys:
            group = groups.pop(key)
            result.extend([_joint(group)] if len(group.calls) > 1 else group.calls)

    for call in calls:
        key = _key(call)
        # An op with effects of its own may change what others find.
        has_effect = key is None and not is_pure(call.op._record)
        end([k for k, group in groups.items() if has_effect or group.is_bound_to(call)])
        if key is None:
            result.append(call)
        else:
            groups.setdefault(key, _Group(_several(call))).add(call)
    end(list(groups))
    return result


def _key(call: Call) -> Any:
    """What calls that can be joined have in common; None if this one cannot."""
    record = call.op._record
    if record.several is None or call.branch.guards or call.branch.alive or call.branch.members:
        return None
    wanted = _wanted(call)
    return record.name, len(call.inputs), len(call.outputs), tuple(map(repr, wanted.items()))


def _wanted(call: Call) -> dict[str, Any]:
    record, attrs = call.op._record, call.op._attrs
    return {name: attrs[name] for name in record.kernel_attrs if name in attrs}


def _several(call: Call) -> Callable[..., Any]:
    several, wanted = call.op._record.several, _wanted(call)
    assert several is not None
    return lambda inputs: several(inputs, **wanted)


def _joint(group: _Group) -> Call:
    calls = group.calls
    inputs = tuple(place for call in calls for place in call.inputs)
    outputs = tuple(place for call in calls for place in call.outputs)
    function = JointCall(calls, group.several)
    branch = Branch(members=tuple(calls))
    return Call(calls[0].op, function, inputs, -1, outputs, branch=branch)
