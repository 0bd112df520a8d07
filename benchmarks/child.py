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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers import Peer

PROGRAMS = Path(__file__).with_name("programs")
MARK = "@benchmark "
KIBIBYTES_PER_UNIT = 1 / 1024 if sys.platform == "darwin" else 1  # of ru_maxrss


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
    """Runs a program in a peer.

    Args:
      program: the name of a file in `programs`, without its ending.
      peer: who runs it.
      seconds: how long each steady measure lasts, at least.
      timeout: after so many seconds the process is killed.

    Returns:
      The reports of the process.
    """

    command = [*peer.command, str(PROGRAMS / f"{program}.py")]
    with (
        peer.environment() as environment,
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
        tempfile.TemporaryDirectory() as folder,
    ):
        environment["BENCHMARK_SECONDS"] = str(seconds)
        environment["BENCHMARK_STARTED"] = repr(time.time())
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
        process.returncode = os.waitstatus_to_exitcode(status)
        killer.cancel()
        output.seek(0)
        run = Run(peak_mib=usage.ru_maxrss * KIBIBYTES_PER_UNIT / 1024)
        for line in output:
            if line.startswith(MARK):
                figures = json.loads(line[len(MARK) :])
                run.reports[figures.pop("name")] = figures
        if process.returncode:
            errors.seek(0)
            lines = errors.read().strip().splitlines() or [""]
            run.error = f"exit status {process.returncode}: {lines[-1].strip()}"
        return run
