"""tensorflow.python.framework.combinations: tests that run for all combinations of arguments."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from absl.testing import parameterized

from headwater.graph.graph import Graph

__all__ = ["NamedObject", "combine", "generate", "times"]

Combination = OrderedDict[str, Any]

# Arguments that tell how a test runs, and the only value with which it runs here.
_MODES = {"mode": "graph", "tf_api_version": 1}


def combine(**kwargs: Any) -> list[Combination]:
    """Returns all combinations of values.

    Args:
      **kwargs: a list of values, or one value, by name of the argument.
    """
    names = sorted(kwargs)
    choices = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names]
    return [OrderedDict(zip(names, values)) for values in itertools.product(*choices)]


def times(*combined: list[Combination]) -> list[Combination]:
    """Returns the combinations of combinations.

    Args:
      *combined: lists of combinations without a name in common.

    Raises:
      ValueError: if a name is in two of the lists.
    """
    results = []
    for parts in itertools.product(*combined):
        joined = OrderedDict(item for part in parts for item in part.items())
        if len(joined) < sum(map(len, parts)):
            keys = " vs ".join(str(part.keys()) for part in parts)
            raise ValueError(f"Keys need to not overlap: {keys}")
        results.append(joined)
    return results


class NamedObject:
    """An object with a name for tests.

    Args:
      name: what stands in the names of tests.
      obj: the object, whose attributes and calls it has.
    """

    def __init__(self, name: str, obj: Any) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __repr__(self) -> str:
        return self._name


def generate(combinations: Sequence[Combination]) -> Callable[[Any], Any]:
    """Returns a decorator of a test, or of a class of tests, that runs it for each combination.

    Combinations with `mode="eager"` or `tf_api_version=2` are skipped.

    Args:
      combinations: what `combine` or `times` returns.
    """
    named = [
        OrderedDict([*combination.items(), ("testcase_name", _test_name(combination))])
        for combination in combinations
    ]

    def decorate(target: Any) -> Any:
        if not isinstance(target, type):
            return parameterized.named_parameters(*named)(_for_combination(target))
        for name, method in list(vars(target).items()):
            if name.startswith("test") and inspect.isfunction(method):
                delattr(target, name)
                for combination in named:
                    test = functools.partialmethod(_for_combination(method), **combination)
                    test_name = name + test.keywords.pop("testcase_name")
                    setattr(target, test_name, _named_method(test, test_name, method.__doc__))
        return target

    return decorate


def _named_method(test: functools.partialmethod[Any], name: str, doc: str | None) -> Any:
    def method(self: Any) -> None:
        test.func(self, **test.keywords)

    method.__name__ = name
    method.__doc__ = doc
    return method


def _test_name(combination: Combination) -> str:
    texts = []
    for position, pair in enumerate(combination.items()):
        for part in pair:
            text = re.sub("0[xX][0-9a-fA-F]+", str(position), str(part))
            texts.append("_" + "".join(filter(str.isalnum, text)))
    return "_test" + "".join(texts)


def _for_combination(test: Callable[..., None]) -> Callable[..., None]:
    wanted = inspect.signature(test).parameters

    @functools.wraps(test)
    def decorated(self: Any, **kwargs: Any) -> None:
        for name, value in _MODES.items():
            if kwargs.get(name, value) != value:
                self.skipTest(f"Tests run with {name}={value!r}.")
            if name not in wanted:
                kwargs.pop(name, None)
        with Graph().as_default():
            test(self, **kwargs)

    del decorated.__wrapped__  # absl looks at the signature
    return decorated
