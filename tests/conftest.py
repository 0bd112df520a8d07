"""What every test runs under: a fresh default graph, seeded random numbers, honest skips."""

from __future__ import annotations

import os
import subprocess
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import headwater
from headwater.graph import stacks

JIT_MODES = ("auto", "always", "never")

# No test depends on how fast the machine is.
hypothesis.settings.register_profile(
    "suite", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    mode = os.environ.get("HEADWATER_JIT", "auto")
    if mode not in JIT_MODES:
        raise pytest.UsageError(f"HEADWATER_JIT must be one of {JIT_MODES}. Received: {mode!r}")
    # Compiled programs are kept between runs of the suite, away from those of the user.
    cache = config.rootpath / ".pytest_cache" / "compiled"
    os.environ.setdefault("HEADWATER_CACHE_DIR", str(cache))


def pytest_report_header() -> str:
    oracles = os.environ.get("HEADWATER_ORACLES", "none")
    return f"headwater: HEADWATER_JIT={os.environ.get('HEADWATER_JIT', 'auto')}, oracles: {oracles}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("HEADWATER_ORACLES"):
        return
    skip = pytest.mark.skip(reason="needs a real TensorFlow: set HEADWATER_ORACLES=DIR")
    for item in items:
        if item.get_closest_marker("oracle"):
            item.add_marker(skip)


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
def _fresh_defaults() -> Iterator[None]:
    """An empty default graph and no default session, whatever the test before has left."""
    for stack in (stacks.graphs, stacks.sessions):
        stack.reset()
        stack.enforce_nesting = True
    headwater.InteractiveSession._active_session_count = 0
    headwater.reset_default_graph()
    yield
    stacks.graphs.items.clear()
    stacks.sessions.items.clear()
    headwater.reset_default_graph()


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
