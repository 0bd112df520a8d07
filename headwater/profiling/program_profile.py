"""Where the time of a program goes, from import to exit: a table, and a Chrome trace.

A thread samples the stacks of all others. The innermost function on a stack that is listed in
`PHASES` says what the thread does, so that the engine itself needs no clocks.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from headwater.base import logging

DEFAULT_FILE = "headwater-profile.json"
_INTERVAL_SECONDS = 0.005
# A trace with more events than this is too large for the viewers.
_MOST_EVENTS = 200_000

IMPORT = "import"
BUILDING = "graph building"
PLANNING = "planning"
TRACING = "tracing"
COMPILING = "XLA"
INTERPRETING = "interpreting"
RUNNING = "running"
PROGRAM = "the program's own"
IDLE = "idle"
ORDER = (
    IMPORT,
    BUILDING,
    PLANNING,
    TRACING,
    COMPILING,
    INTERPRETING,
    RUNNING,
    PROGRAM,
    IDLE,
)

# What a thread does inside a function: {(file of this package, function): phase}.
PHASES = {
    ("session/session.py", "_prepared_run"): PLANNING,
    ("session/session.py", "run"): INTERPRETING,
    ("engine/running/plan.py", "__init__"): PLANNING,
    ("engine/running/executor.py", "execute"): INTERPRETING,
    ("engine/running/executor.py", "call"): INTERPRETING,
    ("engine/blocks/schedule.py", "__init__"): PLANNING,
    ("engine/blocks/schedule.py", "replace"): PLANNING,
    ("engine/blocks/schedule.py", "move_to_host"): PLANNING,
    ("engine/compiling/segment.py", "_split"): PLANNING,
    ("engine/compiling/segment.py", "_compile"): TRACING,
    ("engine/compiling/segment.py", "_execute"): RUNNING,
    ("engine/compiling/program.py", "compile"): TRACING,
    ("engine/compiling/program.py", "run"): RUNNING,
    ("engine/compiling/compiler.py", "compile_program"): COMPILING,
    ("engine/kept_programs.py", "keep"): COMPILING,
    ("engine/kept_programs.py", "load"): COMPILING,
    ("engine/loops/program.py", "__init__"): TRACING,
    ("engine/loops/program.py", "run"): RUNNING,
    ("engine/state.py", "on_host"): RUNNING,
}
# A thread that stands in one of these files waits for another one.
_WAITING = ("threading.py", "queue.py", "selectors.py", "subprocess.py")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # noqa: PTH100, PTH120
_IMPORTING = ("<frozen importlib._bootstrap>", "_find_and_load")


class _Place(NamedTuple):
    """What a function says about the thread that runs it.

    Attributes:
        phase: what the thread does; None if the callers have to say it.
        is_ours: whether the function belongs to this package.
    """

    phase: str | None
    is_ours: bool


class _Event(NamedTuple):
    thread: int
    phase: str
    start: float
    end: float


class ProgramProfile:
    """Samples the threads of this process from `start` until `stop`.

    Attributes:
        seconds: the wall time of the main thread in seconds, by phase.
        cpu_seconds: the CPU time of all threads in seconds, by the phase of the main thread.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.cpu_seconds: dict[str, float] = defaultdict(float)
        self._events: list[_Event] = []
        self._open: dict[int, tuple[str, float]] = {}
        self._places: dict[CodeType, _Place] = {}
        self._main = threading.main_thread().ident
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="profile", daemon=True)
        self._wall = self._start = time.perf_counter()
        self._cpu = 0.0

    def start(self) -> None:
        """Starts to sample. All CPU time before counts as import."""
        self._cpu = time.process_time()
        self.seconds[IMPORT] = self.cpu_seconds[IMPORT] = self._cpu
        self._thread.start()

    def stop(self) -> None:
        """Ends the samples."""
        self._stopped.set()
        self._thread.join()
        for thread in list(self._open):
            self._close(thread, self._wall)

    def _sample(self) -> None:
        own = threading.get_ident()
        while not self._stopped.wait(_INTERVAL_SECONDS):
            frames = sys._current_frames()
            now, cpu = time.perf_counter(), time.process_time()
            for thread, frame in frames.items():
                if thread != own:
                    self._note(thread, self._phase(frame), now)
            for thread in self._open.keys() - frames.keys():
                self._close(thread, now)
            if self._main in self._open:
                phase, _ = self._open[self._main]
                self.seconds[phase] += now - self._wall
                self.cpu_seconds[phase] += cpu - self._cpu
            self._wall, self._cpu = now, cpu
            # Frames keep the values of their variables alive.
            del frames, frame

    def _note(self, thread: int, phase: str, now: float) -> None:
        before = self._open.get(thread)
        if before is not None and before[0] == phase:
            return
        if before is not None:
            self._close(thread, now)
        self._open[thread] = phase, now

    def _close(self, thread: int, now: float) -> None:
        phase, start = self._open.pop(thread)
        if len(self._events) < _MOST_EVENTS:
            self._events.append(_Event(thread, phase, start, now))

    def _phase(self, frame: FrameType | None) -> str:
        """What a thread does whose innermost frame is given."""
        inside = False
        while frame is not None:
            code = frame.f_code
            place = self._places.get(code)
            if place is None:
                place = self._places[code] = _place(code)
            if place.phase is not None and (place.is_ours or not inside):
                return place.phase
            inside = inside or place.is_ours
            frame = frame.f_back
        return BUILDING if inside else PROGRAM

    def table(self) -> str:
        """The times of the main thread as lines of text."""
        wall, cpu = sum(self.seconds.values()), sum(self.cpu_seconds.values())
        lines = [f"{'':<18} {'seconds':>9} {'share':>6} {'CPU s':>9}"]
        for phase in ORDER:
            seconds, cpu_seconds = self.seconds[phase], self.cpu_seconds[phase]
            share = f"{seconds / wall if wall else 0:>6.0%}"
            lines.append(f"{phase:<18} {seconds:>9.2f} {share} {cpu_seconds:>9.2f}")
        lines.append(f"{'sum':<18} {wall:>9.2f} {1:>6.0%} {cpu:>9.2f}")
        return "\n".join(lines)

    def trace(self) -> dict[str, Any]:
        """What Chrome's trace viewer shows; `otherData` has the table."""
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        events: list[dict[str, Any]] = [
            {
                "ph": "M",
                "name": "thread_name",
                "pid": 0,
                "tid": thread,
                "args": {"name": names.get(thread, f"thread {thread}")},
            }
            for thread in sorted({event.thread for event in self._events})
        ]
        events += [
            {
                "ph": "X",
                "name": event.phase,
                "pid": 0,
                "tid": event.thread,
                "ts": (event.start - self._start) * 1e6,
                "dur": (event.end - event.start) * 1e6,
            }
            for event in self._events
            if event.phase != IDLE
        ]
        times = {"seconds": self.seconds, "cpu_seconds": self.cpu_seconds}
        return {"traceEvents": events, "otherData": {k: dict(v) for k, v in times.items()}}


def _place(code: CodeType) -> _Place:
    if (code.co_filename, code.co_name) == _IMPORTING:
        return _Place(IMPORT, False)
    if not code.co_filename.startswith(_PACKAGE):
        waits = os.path.basename(code.co_filename) in _WAITING  # noqa: PTH119
        return _Place(IDLE if waits else None, False)
    file = code.co_filename[len(_PACKAGE) :].replace(os.sep, "/")
    if file == "__main__.py" or file.startswith("cli/"):
        # They call the program.
        return _Place(None, False)
    phase = IMPORT if code.co_name == "<module>" else PHASES.get((file, code.co_name))
    return _Place(phase, True)


_profile: ProgramProfile | None = None


def profile_this_process(file: str = "1") -> None:
    """Profiles the process until it exits; then prints the table and writes the trace.

    Args:
        file: where the trace goes, the value of HEADWATER_PROFILE; "1" means `DEFAULT_FILE`.
    """
    global _profile
    if _profile is not None:
        return
    _profile = ProgramProfile()
    path = Path(DEFAULT_FILE if file == "1" else file).absolute()
    atexit.register(_report, _profile, path)
    _profile.start()


def _report(profile: ProgramProfile, file: Path) -> None:
    profile.stop()
    sys.stderr.write(f"\n{profile.table()}\n")
    try:
        file.write_text(json.dumps(profile.trace()), "utf-8")
    except OSError as error:
        logging.error("The trace of the profile cannot be written: %s", error)
        return
    sys.stderr.write(f"A trace for chrome://tracing or ui.perfetto.dev is in {file}\n")
