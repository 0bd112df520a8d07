"""Running a test program, its folders, and stubs for attributes."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from typing import Any
from unittest import mock

from absl import flags
from absl.testing import absltest

from headwater.testing import benchmark

__all__ = ["StubOutForTesting", "get_temp_dir", "main", "mock", "test_src_dir_path"]


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the tests of the program, or with `--benchmarks=PATTERN` its benchmarks, and exits.

    Args:
      argv: the command line, by default `sys.argv`.
    """
    arguments = list(sys.argv if argv is None else argv)
    patterns = [word.partition("=")[2] for word in arguments if word.startswith("--benchmarks=")]
    if patterns:
        flags.FLAGS(arguments, known_only=True)
        benchmark.run_benchmarks(patterns[-1])
    else:
        absltest.main(argv=arguments)


def get_temp_dir() -> str:
    """Returns a folder for files of this program; it is removed when the program ends."""
    return _temp_dir()


@functools.cache
def _temp_dir() -> str:
    values = flags.FLAGS
    parent = None
    if "test_tmpdir" in values:
        parent = values.test_tmpdir if values.is_parsed() else values["test_tmpdir"].default
    if parent is not None:
        os.makedirs(parent, exist_ok=True)  # noqa: PTH103
    path = tempfile.mkdtemp(dir=parent)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def test_src_dir_path(relative_path: str) -> str:
    """Returns where a file of the source tree lies in a test.

    Args:
      relative_path: its path, beginning below the root of the source tree.

    Returns:
      The path below the folder that the environment variable TEST_SRCDIR names.
    """
    return os.path.join(os.environ["TEST_SRCDIR"], "org_tensorflow", relative_path)  # noqa: PTH118


class StubOutForTesting:
    """Replaces attributes temporarily; restores them at the end of a with block or on request."""

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any, bool]] = []
        self._smartly: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Restores everything."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replaces an attribute where it is defined: in the object, its class or a base class.

        Args:
          obj: a module, class or object.
          attr_name: the name of the attribute.
          new_attr: its new value.

        Raises:
          AttributeError: if there is no such attribute.
        """
        owner: Any = None
        if not isinstance(obj, type) and attr_name in getattr(obj, "__dict__", {}):
            owner = obj
        else:
            for candidate in (obj if isinstance(obj, type) else type(obj)).__mro__:
                if attr_name in vars(candidate):
                    owner = candidate
                    break
        if owner is None:
            raise AttributeError("Attribute not found.")
        # vars() and not getattr(): a static method must come back as one.
        self._smartly.append((owner, attr_name, vars(owner)[attr_name]))
        setattr(owner, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Undoes all `SmartSet`."""
        while self._smartly:
            setattr(*self._smartly.pop())

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces an attribute.

        Args:
          parent: a module, class or object.
          child_name: the name of the attribute.
          new_child: its new value.
        """
        own = vars(parent) if hasattr(parent, "__dict__") else {}
        old = own.get(child_name, getattr(parent, child_name))
        self._replaced.append((parent, child_name, old, child_name in own))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Undoes all `Set`."""
        while self._replaced:
            parent, name, old, was_own = self._replaced.pop()
            if was_own or not hasattr(parent, "__dict__"):
                setattr(parent, name, old)
            else:
                delattr(parent, name)
