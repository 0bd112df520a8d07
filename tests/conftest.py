"""Fixtures of every test: a fresh default graph, seeded random numbers, reported skips."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
import textwrap
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

import headwater
from headwater.engine.compiling import compile_policy
from headwater.graph import stacks

JIT_MODES = ("auto", "always", "never")

# No test depends on the speed of the machine, and the same code gives the same result every time:
# `pytest --hypothesis-profile=random` looks for new examples.
_ANY_SPEED = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("suite", derandomize=True, **_ANY_SPEED)
hypothesis.settings.register_profile("random", **_ANY_SPEED)
hypothesis.settings.load_profile("suite")


LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run the tests marked slow as well")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = 0
    mode = os.environ.get("HEADWATER_JIT", "auto")
    if mode not in JIT_MODES:
        raise pytest.UsageError(f"HEADWATER_JIT must be one of {JIT_MODES}. Received: {mode!r}")
    # Every change of the sources makes kept programs useless, so JAX keeps its own between runs of
    # the suite. `HEADWATER_CACHE_DIR=DIR pytest` keeps those of Headwater.
    os.environ.setdefault("HEADWATER_CACHE_DIR", "")
    cache = config.rootpath / ".pytest_cache" / "compiled"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.02")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
    # Shells start background jobs with SIGINT ignored, which our subprocesses would inherit.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    oracles = os.environ.get("HEADWATER_ORACLES", "none")
    return f"headwater: HEADWATER_JIT={os.environ.get('HEADWATER_JIT', 'auto')}, oracles: {oracles}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not os.environ.get("HEADWATER_ORACLES"):
        skip = pytest.mark.skip(reason="needs a real TensorFlow: set HEADWATER_ORACLES=DIR")
        for item in items:
            if item.get_closest_marker("oracle"):
                item.add_marker(skip)
    if not runs_slow_tests(config):
        left_out = [item for item in items if is_slow(item)]
        config.stash[LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_slow(item)]


def is_slow(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("slow", "browser", "ecosystem"))


def runs_slow_tests(config: pytest.Config) -> bool:
    """Whether all tests are requested, or single ones by name, or some by their markers."""
    return bool(config.option.all or config.option.markexpr or any("::" in a for a in config.args))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes over the count of a worker of pytest-xdist; they all collect the same tests."""
    left_out = getattr(node, "workeroutput", {}).get("left_out", 0)
    node.config.stash[LEFT_OUT] = max(node.config.stash[LEFT_OUT], left_out)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if count := config.stash[LEFT_OUT]:
        noun = "test" if count == 1 else "tests"
        terminalreporter.write_line(f"{count} {noun} left out; pytest --all runs everything")


def pytest_runtest_setup(item: pytest.Item) -> None:
    wants_gpu = item.get_closest_marker("gpu")
    wants_many = item.get_closest_marker("multi_device")
    if not (wants_gpu or wants_many):
        return
    import jax  # loading it in every worker would cost a second per run

    if wants_gpu and jax.default_backend() != "gpu":
        pytest.skip(f"needs a GPU, the default backend is {jax.default_backend()}")
    if wants_many and jax.device_count() < 2:
        pytest.skip("needs more than one device")


def seed_of(request: pytest.FixtureRequest) -> int:
    return zlib.crc32(request.node.name.encode())


@pytest.fixture(autouse=True)
def _seeded_numpy(request: pytest.FixtureRequest) -> None:
    np.random.seed(seed_of(request))


@pytest.fixture(autouse=True)
def _compiled_soon() -> Iterator[None]:
    """What runs twice is compiled, though the graphs of tests are too small to be worth it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile_policy, "LATEST_RUN", 2)
        patch.setattr(compile_policy, "LATEST_LOOP_RUN", 2)
        patch.setattr(compile_policy, "LATEST_ITERATION", 2)
        patch.setattr(compile_policy, "LATER_SHAPES", 1)
        yield


@pytest.fixture(autouse=True)
def _fresh_defaults() -> Iterator[None]:
    """An empty default graph and no default session, whatever the previous test has left."""
    for stack in (stacks.graphs, stacks.sessions):
        stack.reset()
        stack.enforce_nesting = True
    headwater.InteractiveSession._active_session_count = 0
    headwater.reset_default_graph()
    yield
    stacks.graphs.items.clear()
    stacks.sessions.items.clear()
    headwater.reset_default_graph()


@pytest.fixture(autouse=True)
def _no_kept_programs(request: pytest.FixtureRequest) -> None:
    """Programs are compiled in tests that change how: keys do not stand for such changes."""
    function = getattr(request.node, "function", None)
    if function is not None and "monkeypatch" in inspect.signature(function).parameters:
        request.getfixturevalue("monkeypatch").setenv("HEADWATER_CACHE_DIR", "")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A NumPy generator seeded from the name of the test."""
    return np.random.default_rng(seed_of(request))


@pytest.fixture
def session() -> Iterator[headwater.Session]:
    """A session on the test's default graph, closed after the test."""
    with headwater.Session() as opened:
        yield opened


@pytest.fixture
def oracle() -> Callable[..., str]:
    """A function that runs Python source in a real TensorFlow and returns what it prints."""
    folder = Path(os.environ["HEADWATER_ORACLES"])

    def run(source: str, *arguments: str, version: str = "1.15.5") -> str:
        python = folder / f"tf-{version}" / "bin" / "python"
        result = subprocess.run(
            [python, "-c", source, *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore"},
            timeout=100,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


# Runs the setup; then, for each request on a line of stdin, a program in a fork of this process.
FORK_SERVER = """
import json, os, sys, tempfile, traceback
def _run(_body, _arguments, _environment, _folder):
    sys.argv[1:] = _arguments
    os.environ.clear()
    os.environ.update(_environment)
    os.chdir(_folder)
    try:
        exec(_body, globals())
    except SystemExit as exit:
        if isinstance(exit.code, int | None):
            return exit.code or 0
        print(exit.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
exec(sys.argv.pop())
if 'headwater' in sys.modules:
    # As in the tests themselves.
    from headwater.engine.compiling import compile_policy as _policy
    _policy.LATEST_RUN = _policy.LATEST_LOOP_RUN = _policy.LATEST_ITERATION = 2
    _policy.LATER_SHAPES = 1
for _line in sys.stdin:
    with tempfile.TemporaryFile('w+') as _out, tempfile.TemporaryFile('w+') as _err:
        _child = os.fork()
        if not _child:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(_out.fileno(), 1)
            os.dup2(_err.fileno(), 2)
            _code = _run(*json.loads(_line))
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(_code)
        _code = os.waitstatus_to_exitcode(os.waitpid(_child, 0)[1])
        _texts = [_file.seek(0) or _file.read() for _file in (_out, _err)]
    print(json.dumps([_code, *_texts]), flush=True)
"""


class ForkServer:
    """A process that has run a setup, such as an import, and is forked to run programs."""

    def __init__(self, setup: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", FORK_SERVER, setup],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *request: Any) -> subprocess.CompletedProcess[str]:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        code, out, err = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess([], code, out, err)

    def kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()


@pytest.fixture(scope="session")
def fork() -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """A function that runs a program in a process of its own, which need not import Headwater.

    It takes the source, which may be indented, and the command-line arguments, and as keywords the
    setup that programs share (an import takes a second; `import headwater` by default), changes of
    the environment, and the working directory. Like `python -c`, the program has a returncode,
    stdout and stderr; it has to succeed unless `fails` says that it does not.
    """
    servers: dict[str, ForkServer] = {}

    def run(
        body: str,
        *arguments: str,
        setup: str = "import headwater",
        environment: dict[str, str] | None = None,
        folder: str | Path = ".",
        fails: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        server = servers.pop(setup, None) or ForkServer(setup)
        body = textwrap.dedent(body)
        changed = {**os.environ, **(environment or {})}
        try:
            done = server.run(body, arguments, changed, str(Path(folder).resolve()))
        except BaseException:
            # After a timeout, the program may still run.
            server.kill()
            raise
        servers[setup] = server
        assert (done.returncode != 0) == fails, done.stderr or done.stdout
        return done

    yield run
    for server in servers.values():
        server.kill()


@pytest.fixture(scope="session")
def forks(
    fork: Callable[..., subprocess.CompletedProcess[str]],
) -> Callable[[str, list[tuple[str, list[str]]]], list[str]]:
    """A function that runs programs in processes of their own and returns what they print.

    It takes the setup that they share, and a list of (source, command-line arguments).
    """

    def run(setup: str, programs: list[tuple[str, list[str]]]) -> list[str]:
        done = [fork(body, *arguments, setup=setup) for body, arguments in programs]
        assert [result.returncode for result in done] == [0] * len(programs), done
        return [result.stdout for result in done]

    return run


@pytest.fixture(scope="session")
def op_types(forks: Callable[[str, list[tuple[str, list[str]]]], list[str]]) -> set[str]:
    """The op types of the library, from another process: tests and gradients register more."""
    listing = "print(*[record.name for record in graph.records()])"
    (names,) = forks("import headwater.graph as graph", [(listing, [])])
    return set(names.split())
