"""Runs one program in one peer, in a process of its own, and reads what it reports."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers import Peer

PROGRAMS = Path(__file__).with_name("programs")
MARK = "@benchmark "
KIBIBYTES_PER_UNIT = 1 / 1024 if sys.platform == "darwin" else 1  # of ru_maxrss


@dataclass(frozen=True)
class Ended:
    """A process that has ended: what it wrote, why it failed, and what it took.

    Attributes:
      output: its standard output.
      error: why it failed; empty if it did not.
      wall: its wall time in seconds.
      cpu: its CPU time in seconds.
      peak_mib: its largest resident set in MiB.
    """

    output: str
    error: str
    wall: float
    cpu: float
    peak_mib: float


@dataclass
class Run:
    """The result of one process: its reports by measure, its peak memory, or why it failed."""

    reports: dict[str, dict[str, Any]] = field(default_factory=dict)
    peak_mib: float = 0.0
    error: str = ""


def program_names() -> list[str]:
    """Returns the names of all programs."""
    helper = PROGRAMS / "timing.py"
    return sorted(path.stem for path in PROGRAMS.glob("*.py") if path != helper)


def run_program(program: str, peer: Peer, *, seconds: float, timeout: float) -> Run:
    """Runs a program in a peer, with an empty cache of compiled programs.

    Args:
      program: the name of a file in `programs`, without its ending.
      peer: who runs it.
      seconds: how long each steady measure lasts, at least.
      timeout: after so many seconds the process is killed.

    Returns:
      The reports of the process.
    """
    with peer.environment() as environment:
        environment["BENCHMARK_SECONDS"] = str(seconds)
        environment["BENCHMARK_STARTED"] = repr(time.time())
        path = (peer.programs or PROGRAMS) / f"{program}.py"
        ended = run_process([*peer.command, str(path)], environment, timeout)
    run = Run(peak_mib=ended.peak_mib, error=ended.error)
    for line in ended.output.splitlines():
        if line.startswith(MARK):
            figures = json.loads(line[len(MARK) :])
            run.reports[figures.pop("name")] = figures
    return run


def run_process(command: Sequence[str], environment: dict[str, str], timeout: float) -> Ended:
    """Runs a command in an empty folder, and kills it with its children after `timeout` seconds."""
    with (
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
        tempfile.TemporaryDirectory() as folder,
    ):
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )

        def kill() -> None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        killer = threading.Timer(timeout, kill)
        killer.start()
        # Popen.wait does not report resource usage, wait4 does.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        killer.cancel()
        output.seek(0)
        errors.seek(0)
        lines = errors.read().strip().splitlines() or [""]
        failed = f"exit status {process.returncode}: {lines[-1].strip()}"
        return Ended(
            output=output.read(),
            error=failed if process.returncode else "",
            wall=wall,
            cpu=usage.ru_utime + usage.ru_stime,
            peak_mib=usage.ru_maxrss * KIBIBYTES_PER_UNIT / 1024,
        )
