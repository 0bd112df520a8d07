from __future__ import annotations

import logging

import pytest

from headwater.base.decorators import make_decorator, rewrap, unwrap
from headwater.base.deprecated_api import (
    DeprecatedNamesAlreadySet,
    deprecated,
    deprecated_alias,
    deprecated_arg_values,
    deprecated_args,
    deprecated_argument_lookup,
    deprecated_endpoints,
    silence,
)


@pytest.fixture
def notices(caplog):
    caplog.set_level(logging.WARNING, "tensorflow")
    return lambda: [record.getMessage().partition(": ")[2] for record in caplog.records]


def test_function(notices):
    @deprecated("2016-07-04", "use g")
    def f(x):
        """Does f.

        Args:
          x: it.
        """
        return x

    assert f.__doc__ == (
        "Does f. (deprecated)\n\n"
        "Warning: THIS FUNCTION IS DEPRECATED. It will be removed after 2016-07-04.\n"
        "Instructions for updating:\nuse g\n\nArgs:\n  x: it."
    )
    assert (f(1), f(2)) == (1, 2)
    text = (
        f"f (from {__name__}) is deprecated and will be removed after 2016-07-04.\n"
        "Instructions for updating:\nuse g"
    )
    assert notices() == [text]


def test_function_without_docstring(notices):
    @deprecated(None, "use g")
    def f(x):
        return x

    assert f.__doc__ == (
        "DEPRECATED FUNCTION\n\n"
        "Warning: THIS FUNCTION IS DEPRECATED. It will be removed in a future version.\n"
        "Instructions for updating:\nuse g"
    )
    with silence():
        f(1)
    assert notices() == []


def test_arguments(notices):
    @deprecated_args("2016-07-04", "use g", "y", ("z", None))
    def f(x, y=1, z=None):
        """Does f."""
        return x

    assert "SOME ARGUMENTS ARE DEPRECATED: `(y, z)`." in f.__doc__
    f(1)
    f(1, z=None)
    assert notices() == []
    f(1, 2)
    f(1, z=3)
    assert [text.partition(" is deprecated")[0] for text in notices()] == [
        f"calling f (from {__name__}) with y",
        f"calling f (from {__name__}) with z",
    ]


def test_values(notices):
    @deprecated_arg_values("2016-07-04", "use g", y=True)
    def f(x, y=True):
        """Does f."""
        return x

    assert "SOME ARGUMENT VALUES ARE DEPRECATED: `(y=True)`." in f.__doc__
    f(1)
    f(1, y=False)
    assert notices() == []
    f(1, True)
    assert notices()[0].startswith(f"calling f (from {__name__}) with y=True is deprecated")


def test_alias(notices):
    class K:
        """Klass."""

        def __init__(self, a):
            self.a = a

    old = deprecated_alias("tf.OldK", "tf.K", K)
    assert isinstance(old(3), K) and old(4).a == 4
    assert notices() == ["The name tf.OldK is deprecated. Please use tf.K instead.\n"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: deprecated("20", "x"), r"^Date must be YYYY-MM-DD\.$"),
        (lambda: deprecated(None, ""), "^Don't deprecate things without conversion instructions!$"),
        (lambda: deprecated(None, "x")(3), "^3 is not a function. If this is a property, make"),
        (lambda: deprecated_args(None, "x"), r"^Specify which argument is deprecated\.$"),
        (
            lambda: deprecated_args(None, "x", "nope")(lambda x: x),
            r"not present in the function signature: \['nope'\]\. Found next arguments: "
            r"\['x', None, None\]\.$",
        ),
        (lambda: deprecated_arg_values(None, "x"), r"^Specify which argument values are"),
        (lambda: deprecated_argument_lookup("n", 2, "o", 3), "^Cannot specify both 'o' and 'n'$"),
    ],
)
def test_misuse(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_decorators_can_be_taken_apart():
    def target(a):
        return a

    def other(a):
        return -a

    def doubled(*args):
        return 2 * doubled.__wrapped__(*args)

    made = make_decorator(target, doubled, "double", "Doubles.")
    assert (made.__name__, made.__doc__, made(3)) == ("target", "Doubles.", 6)
    decorators, below = unwrap(made)
    assert below is target
    assert [found.decorator_name for found in decorators] == ["double"]
    rewrap(made, target, other)
    assert made(3) == -6 and unwrap(made)[1] is other


def test_warnings_have_their_parts_as_arguments(caplog):
    @deprecated_args("2016-07-04", "use g", "b")
    @deprecated_arg_values(None, "use h", c=True)
    def f(a, b=0, c=False):
        return a

    assert f.__doc__.startswith("DEPRECATED FUNCTION ARGUMENT VALUES (deprecated arguments)")
    caplog.set_level(logging.WARNING, "tensorflow")
    f(1, 2, True)
    first, second = [record.args for record in caplog.records]
    assert first[1:] == ("f", __name__, "b", "after 2016-07-04", "use g")
    assert second[1:] == ("f", __name__, "c", True, "in a future version", "use h")


def test_names_are_marked_once():
    @deprecated_endpoints("old", "older")
    def f():
        return 1

    with pytest.raises(DeprecatedNamesAlreadySet, match=r"for f to \('oldest',\)\. Deprecated"):
        deprecated_endpoints("oldest")(f)
