from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from headwater.compat import install as hook
from headwater.compat import python_modules

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

PROGRAM = """
import headwater
headwater.install()
import base64, configparser, fractions, html.parser, inspect, os, threading, time, unittest
from collections import Mapping, Iterable, OrderedDict

assert isinstance({}, Mapping) and isinstance([], Iterable)
def f(a, b=2, *c, **d): pass
spec = inspect.getargspec(f)
assert tuple(spec) == (["a", "b"], "c", "d", (2,)) and spec.keywords == "d"
try:
    inspect.getargspec(lambda a, *, b: None)
except ValueError:
    pass
else:
    raise AssertionError
assert fractions.gcd(12, -18) == -6
assert base64.decodestring(base64.encodestring(b"abc")) == b"abc"
assert configparser.SafeConfigParser().sections() == []
assert html.parser.HTMLParser().unescape("&lt;a") == "<a"
assert os.errno.ENOENT == 2
assert not threading.Thread().isAlive()
assert time.clock() > 0
unittest.TestCase().assertEquals(1, 1)
unittest.TestCase().assertRaisesRegexp(ValueError, "a", lambda: int("a"))
from distutils.version import LooseVersion, StrictVersion
assert LooseVersion("1.15.5") > LooseVersion("1.4") and StrictVersion("1.2b1") < "1.2"
import imp
assert imp.new_module("m").__name__ == "m"
"""


def test_lost_names_are_there():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_names_are_taken_back():
    import collections
    import inspect

    before = dict(vars(collections)), dict(vars(inspect)), list(sys.meta_path)
    hook.install()
    assert collections.Mapping is collections.abc.Mapping
    hook.uninstall()
    assert (dict(vars(collections)), dict(vars(inspect)), list(sys.meta_path)) == before


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [("1.4", "1.15.5"), ("1.9.0", "1.10"), ("1.0", "1.0.1"), ("2.2.5", "2.2.5a")],
)
def test_loose_versions(smaller, larger):
    assert python_modules.LooseVersion(smaller) < python_modules.LooseVersion(larger)
    assert python_modules.LooseVersion(smaller) < larger
    assert python_modules.LooseVersion(larger) >= smaller
    assert str(python_modules.LooseVersion(larger)) == larger


def test_strict_versions():
    versions = ["0.4", "0.4.1", "0.5a1", "0.5b3", "0.5", "1.0"]
    assert python_modules.StrictVersion("0.5") > "0.5b3"
    assert sorted(versions, key=python_modules.StrictVersion) == versions
    assert python_modules.StrictVersion("0.4") == "0.4.0"
    with pytest.raises(ValueError, match=r"invalid version number '1\.15\.5\.1'"):
        python_modules.StrictVersion("1.15.5.1")


def test_modules_that_left_the_library(tmp_path):
    spec = python_modules.finder.find_spec("distutils.util")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (module.strtobool("Yes"), module.strtobool("off")) == (1, 0)
    with pytest.raises(ValueError, match="invalid truth value 'maybe'"):
        module.strtobool("maybe")
    (tmp_path / "part.py").write_text("x = 3")
    spec = python_modules.finder.find_spec("imp")
    imp = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(imp)
    assert imp.load_source("part_of_program", str(tmp_path / "part.py")).x == 3
    del sys.modules["part_of_program"]
    assert python_modules.finder.find_spec("json") is None
