"""Calls public functions with bad arguments; what they raise has to be an error for callers.

    python tests/fuzz/api/fuzz_api.py [--seed 0] [--each 4] [--only REGEX] [--oracle PYTHON]

Valid calls (`calls.tsv`, recorded by `record_calls.py`) are mutated (`mutations.py`) and run in
processes of their own (`worker.py`), with limits of time and memory. A call that ends with an error
of `FAULTS`, with a crash or too late is printed, unless TensorFlow does the same (`--oracle`, the
Python of TensorFlow 1.15.5).
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE))

import mutations  # noqa: E402

# Classes of errors that tell a caller nothing about an argument.
FAULTS = {
    "AssertionError",
    "InternalError",
    "Late",
    "MemoryError",
    "NameError",
    "OverflowError",
    "RecursionError",
    "SystemError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "ZeroDivisionError",
    "crash",
    "hang",
}
# TensorFlow raises these wherever it converts numbers and asks shapes for dimensions: the class of
# the error, its text, and the place that raises it.
ORIGINAL = (
    ("OverflowError", r"Python int too large to convert to C (unsigned )?long", ""),
    ("OverflowError", r"cannot convert float infinity to integer", ""),
    ("OverflowError", r"int too large to convert to float", ""),
    ("AssertionError", r"tf\.range has no rule for the types .*", ""),
    ("IndexError", r"list index out of range", r"/tensor_shape\.py:\d+ __getitem__"),
)
# These do not say which argument is wrong.
BARE = (
    ("IndexError", r"(list|tuple|string) (assignment )?index out of range"),
    ("IndexError", r"index -?\d+ is out of bounds for axis \d+ with size \d+"),
    ("IndexError", r"(invalid index to scalar variable|pop from empty list|arrays used as ).*"),
    ("IndexError", r"(too many indices for array|only integers, slices).*"),
    ("KeyError", r"[^ ]*"),
)
# A worker that says nothing for so long hangs.
_SILENT_SECONDS = 60
# Calls of one process.
_BATCH = 400

Call = tuple[int, str]
Outcome = list[Any]


def recorded_calls() -> dict[str, list[str]]:
    """The valid calls of each name."""
    found: dict[str, list[str]] = {}
    for line in (HERE / "calls.tsv").read_text(encoding="utf-8").splitlines():
        name, source = line.split("\t", 1)
        found.setdefault(name, []).append(source)
    return found


def mutated_calls(seed: str, each: int, only: str = "") -> list[str]:
    """Calls with bad arguments: `each` of every recorded call whose name matches `only`."""
    return [
        mutant
        for name, sources in recorded_calls().items()
        if re.search(only, name)
        for i, source in enumerate(sources)
        for mutant in mutations.mutants(source, f"{seed}:{name}:{i}", each)
    ]


def outcomes(calls: list[str], python: str = "", processes: int = 2) -> list[Outcome]:
    """What each call ends with: ["ok"], or the class of the error, its text and its place.

    Args:
        calls: the calls.
        python: the Python of a real TensorFlow; "" runs them under Headwater.
        processes: how many run at the same time.
    """
    found: list[Outcome] = [[] for _ in calls]
    batches: queue.Queue[list[Call]] = queue.Queue()
    numbered = list(enumerate(calls))
    for start in range(0, len(numbered), _BATCH):
        batches.put(numbered[start : start + _BATCH])

    def work() -> None:
        while True:
            try:
                batch = batches.get_nowait()
            except queue.Empty:
                return
            while batch:
                for number, outcome in _run_batch(batch, python):
                    found[number] = outcome
                batch = [call for call in batch if not found[call[0]]]

    threads = [threading.Thread(target=work) for _ in range(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _run_batch(batch: list[Call], python: str) -> Iterator[tuple[int, Outcome]]:
    """Runs calls in one process up to the first one that ends it."""
    command = [python or sys.executable, str(HERE / "worker.py")]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "TF_CPP_MIN_LOG_LEVEL": "3"}
    if python:
        command.append("--tensorflow")
        environment.pop("PYTHONPATH", None)
    else:
        environment["PYTHONPATH"] = str(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        worker = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env=environment,
        )
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(json.dumps(batch))
        worker.stdin.close()
        begun, hangs = None, False
        while line := _line(worker):
            number, outcome = json.loads(line)
            if outcome is None:
                begun = number
            else:
                begun = None
                yield number, outcome
        hangs = line is None
        worker.kill()
        status = worker.wait()
        worker.stdout.close()
        if begun is not None:
            yield begun, ["hang" if hangs else "crash", f"exit status {status}", ""]
        elif status not in (0, -9):
            raise RuntimeError(f"{' '.join(command)} ended with status {status}")


def _line(worker: subprocess.Popen[str]) -> str | None:
    """The next line of a worker: "" at the end, None if there is none for long."""
    assert worker.stdout is not None
    timer = threading.Timer(_SILENT_SECONDS, worker.kill)
    timer.start()
    line = worker.stdout.readline()
    silent = not timer.is_alive()
    timer.cancel()
    return None if silent and not line else line


def is_fault(outcome: Outcome) -> bool:
    """Whether a call ended with an error that tells its caller nothing."""
    if outcome == ["ok"]:
        return False
    kind, text, place = outcome

    def is_any(errors: Sequence[tuple[str, str]]) -> bool:
        return any(kind == k and re.fullmatch(t, text, re.DOTALL) for k, t in errors)

    if is_any([(k, t) for k, t, where in ORIGINAL if re.search(where, place)]):
        return False
    return is_any(BARE) if kind in ("IndexError", "KeyError") else kind in FAULTS


def faults(calls: list[str], python: str = "") -> Iterator[tuple[str, Outcome]]:
    """The calls that end with an error of FAULTS, and what they end with.

    Args:
        calls: the calls.
        python: the Python of a real TensorFlow; what ends there with the same error is no fault.
    """
    bad = [(c, o) for c, o in zip(calls, outcomes(calls)) if is_fault(o)]
    expected = outcomes([c for c, _ in bad], python) if python else [["ok"] for _ in bad]
    for (call, outcome), original in zip(bad, expected):
        if original[0] != outcome[0] or not python:
            yield call, outcome + [original[0]]


def main() -> int:
    """Runs the fuzzer; the exit status is 1 if there are faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="0", help="other seeds make other calls")
    parser.add_argument("--each", type=int, default=4, help="mutants of each valid call")
    parser.add_argument("--only", default="", help="a regular expression for names of functions")
    parser.add_argument("--oracle", default="", help="the Python of TensorFlow 1.15.5")
    options = parser.parse_args()
    calls = mutated_calls(options.seed, options.each, options.only)
    sys.stdout.write(f"{len(calls)} calls\n")
    count = 0
    for call, outcome in faults(calls, options.oracle):
        count += 1
        sys.stdout.write(json.dumps([call, *outcome]) + "\n")
    sys.stdout.write(f"{count} faults\n")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
