"""The implementations that run the programs: Headwater and real TensorFlow installations."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HEADWATER = "headwater"
AS_TENSORFLOW1 = Path(__file__).with_name("as_tensorflow1.py")

# Variables that would make a run depend on the shell that it was started from.
DROPPED = (
    "HEADWATER_JIT",
    "OMP_NUM_THREADS",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "XLA_FLAGS",
)


@dataclass(frozen=True)
class Peer:
    """One implementation and the command that runs a program in it."""

    name: str
    command: tuple[str, ...]
    python_path: str = ""

    @contextmanager
    def environment(self) -> Iterator[dict[str, str]]:
        """Yields the environment of one run, with a temporary cache of compiled programs."""
        kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
        if self.python_path:
            kept["PYTHONPATH"] = self.python_path
        with tempfile.TemporaryDirectory(prefix="headwater-cache-") as cache:
            yield {
                **kept,
                "HEADWATER_CACHE_DIR": cache,
                "PYTHONWARNINGS": "ignore",
                "TF_CPP_MIN_LOG_LEVEL": "3",
            }


def headwater_peer() -> Peer | None:
    """Returns the Headwater that this Python imports, or None if there is none."""
    spec = importlib.util.find_spec("headwater")
    if spec is None or spec.origin is None:
        return None
    root = str(Path(spec.origin).resolve().parent.parent)
    return Peer(HEADWATER, (sys.executable, "-m", "headwater", "run"), root)


def find_peers(folder: Path | None) -> list[Peer]:
    """Returns the peers to time.

    Args:
      folder: holds one virtual environment for each TensorFlow, `tf-VERSION/bin/python`.

    Returns:
      The TensorFlows in `folder`, by version, then Headwater.
    """
    peers = []
    for python in sorted(folder.glob("tf-*/bin/python")) if folder else []:
        version = python.parent.parent.name.removeprefix("tf-")
        shim = (str(AS_TENSORFLOW1),) if version.startswith("2.") else ()
        peers.append(Peer(version, (str(python.absolute()), *shim)))
    ours = headwater_peer()
    return [*peers, ours] if ours else peers
