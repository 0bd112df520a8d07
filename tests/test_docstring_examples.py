"""The examples in docstrings print what they say; each of the most used functions has one.

They are written as for an interactive session: `import headwater as tf` and
`session = tf.InteractiveSession()` have run.
"""

from __future__ import annotations

import doctest
import functools
from pathlib import Path

import pytest

import headwater as tf

LIST = Path(__file__).parent / "golden" / "most_used_functions.txt"
MOST_USED = [n for n in LIST.read_text(encoding="utf-8").splitlines() if not n.startswith("#")]


@pytest.fixture(autouse=True)
def _verbosity():
    before = tf.logging.get_verbosity()
    yield
    tf.logging.set_verbosity(before)


def failures(name: str, text: str) -> str:
    """What doctest reports of a docstring, "" if all its examples hold."""
    session = tf.InteractiveSession()
    names = {"tf": tf, "session": session}
    example = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    session.close()
    return "".join(report)


@pytest.mark.parametrize("name", MOST_USED)
def test_examples_print_what_they_say(name):
    function = functools.reduce(getattr, name.split("."), tf)
    parsed = doctest.DocTestParser().get_examples(function.__doc__)
    assert any(example.want for example in parsed), f"tf.{name} has no example"
    report = failures(name, function.__doc__)
    assert not report, report


def test_wrong_examples_are_reported():
    report = failures("wrong", ">>> print(tf.constant(1).eval())\n2\n")
    assert "Expected:\n    2\nGot:\n    1\n" in report


def test_the_list_has_a_hundred_functions():
    assert len(set(MOST_USED)) >= 100
