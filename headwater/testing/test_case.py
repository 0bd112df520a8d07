"""tf.test.TestCase."""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from headwater.base import errors
from headwater.graph.device import canonical_name
from headwater.testing import running
from headwater.testing.proto_comparison import ProtoTestCase
from headwater.testing.values import ValueTestCase


class CheckedThread:
    """A thread whose errors fail the test that joins it.

    Args:
      testcase: the test case.
      target: what the thread runs.
      args: its positional arguments.
      kwargs: its keyword arguments.
    """

    def __init__(
        self,
        testcase: TestCase,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self._testcase = testcase
        self._call = lambda: target(*(args or ()), **(kwargs or {}))
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._is_thread_joined = False

    def _run(self) -> None:
        try:
            self._call()
        except BaseException as error:  # the test must see every exception
            self._error = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the thread; fails the test if it raised an error."""
        self._is_thread_joined = True
        self._thread.join()
        if self._error is not None:
            self._testcase.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Tells whether the thread runs."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fails the test if the thread was not joined."""
        if not self._is_thread_joined:
            self._testcase.fail("A checked thread was not joined.")


class CapturedWrites:
    """What was written to a stream; see `TestCase.captureWritesToStream`.

    Args:
      capture_location: the file that holds it.
    """

    def __init__(self, capture_location: str) -> None:
        self.capture_location = capture_location

    def contents(self) -> str:
        """Returns the captured text."""
        with open(self.capture_location, encoding="utf-8") as captured:  # noqa: PTH123
            return captured.read()


def _searched_text(error: BaseException) -> str:
    """The text of an error; for an OpError, also the names of the original ops."""
    if not isinstance(error, errors.OpError):
        return str(error)
    text, op = str(error.message), error.op
    while op is not None:
        text += f"\nCaused by: {op.name}"
        op = getattr(op, "_original_op", None)
    return text


class TestCase(ValueTestCase, ProtoTestCase):
    """A test case for graphs: sessions, assertions about arrays, protos and errors.

    Each test begins with an empty default graph and the same seeds.

    Args:
      methodName: the method to run.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._tempdir: str | None = None

    def run(self, result: Any = None) -> Any:
        """Runs the test; `test_session` is not a test in spite of its prefix."""
        if self._testMethodName == "test_session":
            setattr(self, self._testMethodName, lambda: self.skipTest("Not a test."))
        return super().run(result)

    def tearDown(self) -> None:
        """Checks that all threads were joined and closes the cached session."""
        for thread in self._threads:
            thread.check_termination()
        super().tearDown()

    def get_temp_dir(self) -> str:
        """Returns a folder for the files of this test, the same at every call."""
        if self._tempdir is None:
            self._tempdir = tempfile.mkdtemp(dir=running.get_temp_dir())
        return self._tempdir

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """A with block that keeps what is written to a stream, by C code too.

        Args:
          stream: `sys.stdout`, `sys.stderr`, or another stream with a file descriptor.

        Yields:
          An object whose method `contents` returns the text.
        """
        stream.flush()
        descriptor = stream.fileno()
        saved = os.dup(descriptor)
        file, path = tempfile.mkstemp(dir=self.get_temp_dir())
        os.dup2(file, descriptor)
        os.close(file)
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.dup2(saved, descriptor)
            os.close(saved)

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> CheckedThread:
        """Makes a thread that has to be joined and whose errors fail the test.

        Args:
          target: what the thread runs.
          args: its positional arguments.
          kwargs: its keyword arguments.

        Returns:
          The thread; it waits for `start`.
        """
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread

    def assertStartsWith(self, actual: str, expected_start: str, msg: Any = None) -> None:
        """Asserts that a text begins with another."""
        if not actual.startswith(expected_start):
            note = "" if msg is None else f": {msg}"
            self.fail(f"{actual!r} does not start with {expected_start!r}{note}")

    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self,
        exception_type: Any,
        expected_err_re_or_predicate: Any,
        callable_obj: Callable[..., Any] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> AbstractContextManager[None] | None:
        """Asserts that an exception is raised which fits.

        Args:
          exception_type: its class.
          expected_err_re_or_predicate: a regular expression for its text (for an OpError also
            for the names of the ops that it comes from), or a function of the exception.
          callable_obj: what raises it; None for the body of a with block.
          *args: arguments of `callable_obj`.
          **kwargs: keyword arguments of `callable_obj`.

        Returns:
          The context manager of the with block, or None.

        Raises:
          AssertionError: if nothing, or something else, is raised.
        """
        block = self._raises(exception_type, expected_err_re_or_predicate)
        if callable_obj is None:
            return block
        with block:
            callable_obj(*args, **kwargs)
        return None

    @contextmanager
    def _raises(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Iterator[None]:
        if callable(expected_err_re_or_predicate):
            fits = expected_err_re_or_predicate
        else:

            def fits(error: BaseException) -> bool:
                return bool(re.search(expected_err_re_or_predicate, _searched_text(error)))

        try:
            yield
            self.fail(f"{exception_type.__name__} not raised")
        except Exception as error:
            if not isinstance(error, exception_type) or not fits(error):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error

    def assertRaisesOpError(
        self, expected_err_re_or_predicate: Any
    ) -> AbstractContextManager[None]:
        """`assertRaisesWithPredicateMatch` of `tf.errors.OpError`."""
        return self._raises(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesRegexp(
        self, expected_exception: Any, expected_regex: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """The older name of `assertRaisesRegex`."""
        return self.assertRaisesRegex(expected_exception, expected_regex, *args, **kwargs)

    def assertRegexpMatches(self, text: Any, expected_regex: Any, msg: Any = None) -> None:
        """The older name of `assertRegex`."""
        self.assertRegex(text, expected_regex, msg)

    def assertNotRegexpMatches(self, text: Any, unexpected_regex: Any, msg: Any = None) -> None:
        """The older name of `assertNotRegex`."""
        self.assertNotRegex(text, unexpected_regex, msg)

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """The older name of `assertCountEqual`."""
        self.assertCountEqual(first, second, msg)

    def assertEquals(self, first: Any, second: Any, msg: Any = None) -> None:
        """The older name of `assertEqual`."""
        self.assertEqual(first, second, msg)

    def assertNotEquals(self, first: Any, second: Any, msg: Any = None) -> None:
        """The older name of `assertNotEqual`."""
        self.assertNotEqual(first, second, msg)

    def assertAlmostEquals(self, *args: Any, **kwargs: Any) -> None:
        """The older name of `assertAlmostEqual`."""
        self.assertAlmostEqual(*args, **kwargs)

    def assertNotAlmostEquals(self, *args: Any, **kwargs: Any) -> None:
        """The older name of `assertNotAlmostEqual`."""
        self.assertNotAlmostEqual(*args, **kwargs)

    def assert_(self, expr: Any, msg: Any = None) -> None:
        """The older name of `assertTrue`."""
        self.assertTrue(expr, msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Asserts that two device names mean the same device."""
        device1, device2 = canonical_name(device1), canonical_name(device2)
        note = "" if msg is None else f" {msg}"
        self.assertEqual(device1, device2, f"Devices {device1} and {device2} are not equal.{note}")
