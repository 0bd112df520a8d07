"""Starts the tasks of a cluster on this machine, all running one program."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, NamedTuple

from headwater.distributed.local_cluster import free_ports

HELP = "run a program as a cluster of processes on this machine"

# How long a task may take to end after it has been asked to.
_GRACE_SECONDS = 5.0
_INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater launch`."""
    parser.add_argument("--ps", type=int, default=0, help="the number of parameter servers")
    parser.add_argument("--workers", type=int, default=1, help="the number of workers")
    parser.add_argument("--chief", action="store_true", help="add a chief beside the workers")
    parser.add_argument("--evaluator", action="store_true", help="add an evaluator")
    parser.add_argument("program", help="a file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")


def execute(arguments: argparse.Namespace) -> int:
    """Runs the tasks until all but the parameter servers have ended, or one has failed."""
    try:
        source = Path(arguments.program).read_text(errors="replace")
    except OSError as error:
        sys.stderr.write(f"headwater: {error}\n")
        return 2
    counts = {"ps": arguments.ps, "worker": arguments.workers, "chief": int(arguments.chief)}
    hosts = addresses_of(counts)
    tasks = [Task(job, index) for job, found in hosts.items() for index in range(len(found))]
    if arguments.evaluator:
        tasks.append(Task("evaluator", 0))
    # Where workers meet that train together.
    os.environ["HEADWATER_COORDINATOR"] = f"localhost:{free_ports(1)[0]}"
    launched: list[_Launched] = []
    # Whoever ends this process ends the tasks.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        launched.extend(_Launched(task, arguments, hosts, source) for task in tasks)
        return _wait(launched)
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        _end(launched)


class Task(NamedTuple):
    """One task of the cluster."""

    job: str
    number: int

    def __str__(self) -> str:
        return f"{self.job}:{self.number}"


def addresses_of(counts: dict[str, int]) -> dict[str, list[str]]:
    """Free addresses on this machine for the tasks of each job that has some."""
    ports = iter(free_ports(sum(counts.values())))
    hosts = {job: [f"localhost:{next(ports)}" for _ in range(n)] for job, n in counts.items()}
    return {job: found for job, found in hosts.items() if found}


def flags_of(task: Task, hosts: dict[str, list[str]], source: str, given: list[str]) -> list[str]:
    """The flags of distributed programs, as far as the program knows them.

    Args:
        task: the task.
        hosts: the addresses by job.
        source: the text of the program; a flag whose name is not in it is not passed.
        given: the arguments of the user, which have precedence.
    """
    values = {
        "job_name": task.job,
        "task_index": str(task.number),
        "task_id": str(task.number),
        **{f"{job}_hosts": ",".join(found) for job, found in hosts.items()},
    }
    names = {word.lstrip("-").partition("=")[0] for word in given if word.startswith("-")}
    return [
        f"--{name}={value}"
        for name, value in values.items()
        if name not in names
        and (f'"{name}"' in source or f"'{name}'" in source or f"--{name}" in source)
    ]


class _Launched:
    """The process of a task; its output is copied with the name of the task."""

    def __init__(
        self,
        task: Task,
        arguments: argparse.Namespace,
        hosts: dict[str, list[str]],
        source: str,
    ) -> None:
        self.task = task
        words = [*arguments.arguments, *flags_of(task, hosts, source, arguments.arguments)]
        config = {"cluster": hosts, "task": {"type": task.job, "index": task.number}}
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "headwater", "run", arguments.program, *words],
            env={**os.environ, "TF_CONFIG": json.dumps(config)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # Ctrl-C in the terminal is for this process, which ends the tasks.
            start_new_session=True,
        )
        self._copies = [
            threading.Thread(target=self._copy, args=pair, daemon=True)
            for pair in ((self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr))
        ]
        for copy in self._copies:
            copy.start()

    def _copy(self, source: IO[str], out: IO[str]) -> None:
        for line in source:
            out.write(f"[{self.task}] {line.rstrip()}\n")
            out.flush()

    def end(self) -> None:
        """Kills the process if it has not ended, and copies the rest of its output."""
        try:
            self.process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for copy in self._copies:
            copy.join(_GRACE_SECONDS)


def _wait(launched: list[_Launched]) -> int:
    """Waits until a task fails, or all but the parameter servers have ended."""
    while True:
        running = False
        for each in launched:
            status = each.process.poll()
            if status:
                sys.stderr.write(f"headwater: {each.task} failed with exit status {status}\n")
                return status if status > 0 else 128 - status
            running = running or (status is None and each.task.job != "ps")
        if not running:
            return 0
        time.sleep(0.05)


def _end(launched: list[_Launched]) -> None:
    for each in launched:
        if each.process.poll() is None:
            each.process.send_signal(signal.SIGTERM)
    for each in launched:
        each.end()
