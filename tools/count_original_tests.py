"""Counts how many cases of TensorFlow's own test files pass in Headwater.

    python tools/count_original_tests.py FOLDER --original PYTHON [--timeout SECONDS] [--failures]

FOLDER has files named `*_test.py`, in folders of any depth; PYTHON is an interpreter with
TensorFlow 1.15.5. Each file runs once in Headwater and once in that interpreter, each time in a
process of its own. A line for each file has the cases that TensorFlow passes, how many of them
Headwater passes, and their share.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RUNNER = Path(__file__).with_name("run_original_test.py")
GOAL = 0.9


def passed_cases(
    python: str, test_file: Path, timeout: float, *, in_headwater: bool
) -> tuple[set[str], set[str]]:
    """Runs the cases of a file in a process of its own.

    Args:
        python: the interpreter.
        test_file: the file.
        timeout: seconds after which the process ends; cases that were done by then count.
        in_headwater: whether `import tensorflow` is Headwater.

    Returns:
        The names of the cases that passed, and of those that did not.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report")
        report.touch()
        command = [python, str(RUNNER), str(test_file), str(report)]
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", TEST_TMPDIR=folder)
        if in_headwater:
            command.append("--headwater")
        else:
            environment.pop("PYTHONPATH", None)
        try:
            subprocess.run(
                command,
                timeout=timeout,
                env=environment,
                cwd=folder,
                capture_output=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            sys.stdout.write(f"# {test_file}: more than {timeout:g} s in {python}\n")
        lines = [line.split("\t") for line in report.read_text(encoding="utf-8").splitlines()]
    results = {name: status for status, name in lines}
    passed = {name for name, status in results.items() if status == "ok"}
    skipped = {name for name, status in results.items() if status == "skip"}
    return passed, set(results) - passed - skipped


def main() -> int:
    """Prints the table; returns 1 if a file is below the goal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--original", required=True, help="an interpreter with TensorFlow 1.15.5")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for a file")
    parser.add_argument("--failures", action="store_true", help="also print the failing cases")
    arguments = parser.parse_args()
    sys.stdout.write("file\ttensorflow\theadwater\tshare\n")
    all_passed = all_expected = below = 0
    for test_file in sorted(arguments.folder.resolve().rglob("*_test.py")):
        expected, _ = passed_cases(
            arguments.original, test_file, arguments.timeout, in_headwater=False
        )
        passed, failed = passed_cases(
            sys.executable, test_file, arguments.timeout, in_headwater=True
        )
        both = expected & passed
        share = len(both) / len(expected) if expected else 1.0
        below += share < GOAL
        all_expected += len(expected)
        all_passed += len(both)
        name = test_file.relative_to(arguments.folder.resolve())
        sys.stdout.write(f"{name}\t{len(expected)}\t{len(both)}\t{share:.2f}\n")
        if arguments.failures:
            for case in sorted(expected - passed):
                state = "failed" if case in failed else "did not run"
                sys.stdout.write(f"#   {case} {state}\n")
        sys.stdout.flush()
    sys.stdout.write(
        f"all\t{all_expected}\t{all_passed}\t{all_passed / max(all_expected, 1):.2f}\n"
    )
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
