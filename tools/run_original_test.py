"""Runs the cases of one test file and reports each as soon as it ends.

    python tools/run_original_test.py FILE REPORT [--headwater]

The report has a line "ok", "fail" or "skip", tab, name for each case. Python 3.6 runs this file
too, because interpreters with TensorFlow 1 do.
"""

import importlib.util
import sys
import unittest
from pathlib import Path


class _Reporter(unittest.TestResult):
    """Writes a line for each case."""

    def __init__(self, report):
        super().__init__()
        self._report = report
        self._status = {}

    def startTest(self, test):
        super().startTest(test)
        self._status[test.id()] = "ok"

    def stopTest(self, test):
        super().stopTest(test)
        self._report.write(f"{self._status[test.id()]}\t{test.id()}\n")
        self._report.flush()

    def addError(self, test, err):
        super().addError(test, err)
        self._fail(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fail(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._fail(test, err)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._status[test.id()] = "fail"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._status[test.id()] = "skip"

    def _fail(self, test, err):
        # An error of setUpClass has no case that was started.
        self._status[test.id()] = "fail"
        sys.stderr.write(f"{test.id()}\n{self._exc_info_to_string(err, test)}\n")


def _parse_flags():
    """Parses no flags, for the test case classes that read theirs."""
    import tensorflow as tf

    tf.app.flags.FLAGS(sys.argv[:1])


def main():
    """Runs the cases of the file."""
    path, report_path = sys.argv[1:3]
    if "--headwater" in sys.argv[3:]:
        import headwater

        headwater.install()
    del sys.argv[1:]
    spec = importlib.util.spec_from_file_location("original_test", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    _parse_flags()
    cases = unittest.defaultTestLoader.loadTestsFromModule(module)
    with Path(report_path).open("w", encoding="utf-8") as report:
        cases.run(_Reporter(report))


if __name__ == "__main__":
    main()
