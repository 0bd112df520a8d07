"""ProfileContext: profiles the runs of all sessions in a with block, step by step."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any

from headwater.base import errors
from headwater.base.export import export
from headwater.graph import Graph, get_default_graph
from headwater.io.file_io import FileIO
from headwater.io.file_io import recursive_create_dir_v2 as make_folders
from headwater.io.files import join_path
from headwater.profiling.options import Options
from headwater.profiling.profiler import Profiler
from headwater.profiling.traced_graph import TracedGraph
from headwater.protos.lazy import config_pb2
from headwater.session.fetches import FetchMap
from headwater.session.session import BaseSession

WARMUP_STEPS = 10
MAX_TRACED_STEPS = 100
# Runs that are seen again are traced at random while fewer of the nodes have been traced.
_ENOUGH_COVERAGE = 0.5
_RANDOM_SHARE = 0.2
_FULL_TRACE = 3


@export("contrib.tfprof.ProfileContext", "contrib.tfprof.model_analyzer.ProfileContext")
class ProfileContext:
    """A with block in which runs are traced, profiled and written to files.

    Runs are counted from 0. Without `trace_steps`, each kind of run is traced once after the first
    ten runs.

    Args:
        profile_dir: the folder of the files ``profile_<step>``, each a ProfileProto.
        trace_steps: the steps to trace; None for the default.
        dump_steps: the steps after which a file is written; step 100 if None.
        enabled: whether anything is done at all.
        debug: whether RunMetadata is written as well, to ``run_meta_<step>``, and stderr tells
            what happens.

    Raises:
        ValueError: if there is no folder.
    """

    def __init__(
        self,
        profile_dir: str,
        trace_steps: Collection[int] | None = None,
        dump_steps: Collection[int] | None = None,
        enabled: bool = True,
        debug: bool = False,
    ) -> None:
        self._enabled = enabled
        if not enabled:
            return
        if not profile_dir:
            raise ValueError("Must have a directory for profile.\n")
        self._profile_dir = profile_dir
        self._debug = debug
        self._picks_steps = trace_steps is None
        self._trace_steps = set(trace_steps or ())
        self._dump_steps = {MAX_TRACED_STEPS} if dump_steps is None else set(dump_steps)
        self._random = random.Random(111)
        self._seen: set[tuple[str, ...]] = set()
        self._auto_profiles: list[tuple[str, Options, set[int]]] = []
        self._profiles: dict[str, dict[int, Any]] = {}
        self._profiler: Profiler | None = None
        self._traced: TracedGraph | None = None
        self._step = 0
        self._traced_steps = 0
        self._trace_next = self._dump_next = False
        self._lock = threading.Lock()

    @property
    def profiler(self) -> Profiler | None:
        """The Profiler of the traced runs; None if nothing is done."""
        if not self._enabled:
            return None
        if self._profiler is None:
            self._profiler = Profiler(get_default_graph())
        return self._profiler

    def get_profiles(self, cmd: str) -> dict[int, Any]:
        """Returns the automatic profiles of a view, by step.

        Args:
            cmd: the view.

        Returns:
            {step: the proto of the view}.

        Raises:
            ValueError: if there was none.
        """
        if cmd not in self._profiles:
            raise ValueError(f"No autoprofiler for command: {cmd}, was run")
        return self._profiles[cmd]

    def add_auto_profiling(self, cmd: str, options: Options, profile_steps: Sequence[int]) -> None:
        """Traces and profiles some steps.

        Args:
            cmd: the view: "scope", "graph", "op" or "code".
            options: a dict of options, as ProfileOptionBuilder makes them.
            profile_steps: the steps.

        Returns:
            None.
        """
        if self._enabled:
            self._auto_profiles.append((cmd, options, set(profile_steps)))
            self._trace_steps.update(profile_steps)

    def trace_next_step(self) -> None:
        """Traces the next run.

        Returns:
            None.
        """
        if self._enabled:
            self._trace_next = True

    def dump_next_step(self) -> None:
        """Writes a file after the next run.

        Returns:
            None.
        """
        if self._enabled:
            self._dump_next = True

    def __enter__(self) -> ProfileContext:
        if self._enabled:
            if BaseSession.profile_context is not None:
                raise errors.InternalError(None, None, "Already in context or context not cleaned.")
            BaseSession.profile_context = self
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._enabled:
            BaseSession.profile_context = None

    def run(
        self,
        graph: Graph,
        fetches: Any,
        run: Callable[[Any, Any], Any],
        options: Any,
        run_metadata: Any,
    ) -> Any:
        """A run of a session; called by the session.

        Args:
            graph: its graph.
            fetches: what it fetches.
            run: runs it with RunOptions and a RunMetadata.
            options: its RunOptions, or None.
            run_metadata: its RunMetadata, or None.

        Returns:
            What `run` returns.
        """
        # Runs at the same time as another one only count.
        if not self._lock.acquire(blocking=False):
            self._step += 1
            return run(options, run_metadata)
        try:
            if self._is_traced(graph, fetches):
                result = self._run_traced(graph, run, options, run_metadata)
            else:
                result = run(options, run_metadata)
            self._write_files()
            self._profile()
            return result
        finally:
            self._step += 1
            self._trace_next = self._dump_next = False
            self._lock.release()

    def _is_traced(self, graph: Graph, fetches: Any) -> bool:
        if self._traced_steps > MAX_TRACED_STEPS:
            return False
        if self._step in self._trace_steps or self._trace_next:
            return True
        if not self._picks_steps or self._step <= WARMUP_STEPS:
            return False
        names = sorted({tensor.name for tensor in FetchMap(graph, fetches, None).tensors})
        self._tell(f"trace fetches: {'-'.join(names)}")
        if tuple(names) not in self._seen:
            self._seen.add(tuple(names))
            return True
        return (
            self._step < MAX_TRACED_STEPS
            and self._traced is not None
            and self._random.random() < _RANDOM_SHARE
            and self._traced.coverage() < _ENOUGH_COVERAGE
        )

    def _run_traced(
        self, graph: Graph, run: Callable[[Any, Any], Any], options: Any, run_metadata: Any
    ) -> Any:
        self._tell(f"tracing step: {self._step}")
        self._traced_steps += 1
        traced = config_pb2.RunOptions()
        if options is not None:
            traced.CopyFrom(options)
        traced.trace_level = _FULL_TRACE
        if run_metadata is None:
            run_metadata = config_pb2.RunMetadata()
        result = run(traced, run_metadata)
        if self._debug:
            self._write(str(run_metadata), f"run_meta_{self._step}")
        profiler = self.profiler
        if profiler is None or profiler._traced is None:
            raise AssertionError("a context that traces has the profiler of a graph")
        if profiler._traced.graph is not graph:
            self._profiler = profiler = Profiler(graph)
        profiler.add_step(self._step, run_metadata)
        self._traced = profiler._traced
        return result

    def _write_files(self) -> None:
        is_due = self._step in self._dump_steps or self._dump_next
        if is_due and self.profiler is not None:
            self._write(self.profiler.serialize_to_string(), f"profile_{self._step}")

    def _profile(self) -> None:
        for cmd, options, steps in self._auto_profiles:
            if self._step not in steps:
                continue
            self._tell(f"profiling {cmd} step: {self._step}")
            if self.profiler is not None:
                made = self.profiler.profile_view(cmd, options)
                self._profiles.setdefault(cmd, {})[self._step] = made

    def _write(self, content: str | bytes, name: str) -> None:
        make_folders(self._profile_dir)
        path = join_path(self._profile_dir, name)
        with FileIO(path, "w" if isinstance(content, str) else "wb") as file:
            file.write(content)

    def _tell(self, text: str) -> None:
        if self._debug:
            sys.stderr.write(f"debug: {text}\n")
