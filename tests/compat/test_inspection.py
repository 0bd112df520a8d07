from __future__ import annotations

import functools
import importlib
import sys

import pytest

from headwater.compat import install as hook


def several(a, b, c=1, *d, **e):
    pass


class Example:
    def method(self, x, y=2):
        pass

    def __call__(self, z):
        pass


@pytest.fixture
def tensorflow_python():
    hook.install()
    try:
        yield lambda name: importlib.import_module(f"tensorflow.python.{name}")
    finally:
        hook.uninstall()


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (several, (["a", "b", "c"], "d", "e", (1,))),
        (Example().method, (["self", "x", "y"], None, None, (2,))),
        (Example(), (["self", "z"], None, None, None)),
        (functools.partial(several, 1), (["b", "c"], "d", "e", (1,))),
    ],
    ids=["function", "method", "object", "partial"],
)
def test_getargspec(tensorflow_python, target, expected):
    found = tensorflow_python("util.tf_inspect").getargspec(target)
    assert found == expected
    assert found.keywords == expected[2]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (several, ("a", "b", "c")),
        (Example().method, ("x", "y")),
        (Example(), ("z",)),
        (functools.partial(several, 1, c=3), ("b",)),
    ],
    ids=["function", "method", "object", "partial"],
)
def test_fn_args(tensorflow_python, target, expected):
    assert tensorflow_python("util.function_utils").fn_args(target) == expected


def test_fn_args_of_no_function(tensorflow_python):
    with pytest.raises(TypeError, match=r"^unsupported callable$"):
        tensorflow_python("util.function_utils").fn_args(3)


def test_small_ones(tensorflow_python):
    assert tensorflow_python("tf2").enabled() is False
    assert tensorflow_python("util.tf_inspect").isfunction(several)
    all_util = tensorflow_python("util.all_util")
    all_util.remove_undocumented(__name__, ["several"])
    names = all_util.make_all("string")
    assert "Template" in names
    assert not any(name.startswith("_") for name in names)
    assert "several" in vars(sys.modules[__name__])
