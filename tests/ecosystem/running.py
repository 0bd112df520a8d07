"""Runs a program with a library of its time in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.ecosystem.libraries import FOLDER, Library

ROOT = FOLDER.parents[1]
TIME_LIMIT = 300.0


def install(library: Library, folder: Path, python: str = sys.executable) -> None:
    """Installs what a library needs into a folder, once.

    Args:
        library: the library.
        folder: where to; what is there already is taken as it is.
        python: the interpreter whose packages are wanted.

    Raises:
        CalledProcessError: if pip fails.
    """
    if folder.exists():
        return
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    command += ["--target", str(folder), "-r", str(library.requirements)]
    environment = {**os.environ, "PIP_CONSTRAINT": str(FOLDER / "build_constraints.txt")}
    subprocess.run(command, check=True, env=environment)


def run(library: Library, command: list[str], path: list[Path]) -> tuple[dict[str, Any], float]:
    """Runs the program of a library.

    Args:
        library: the library.
        command: what runs a file: an interpreter, or `headwater run`.
        path: the folders of PYTHONPATH.

    Returns:
        What the program prints in its last line, and the seconds that it took.

    Raises:
        AssertionError: if it fails.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder) for folder in path)}
    start = time.perf_counter()
    done = subprocess.run(
        [*command, str(library.source)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=TIME_LIMIT,
    )
    seconds = time.perf_counter() - start
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result, seconds


def run_with_headwater(library: Library, folder: Path) -> tuple[dict[str, Any], float]:
    """Runs the program of a library with `headwater run`."""
    command = [sys.executable, "-W", "ignore", "-m", "headwater", "run"]
    return run(library, command, [ROOT, folder])
