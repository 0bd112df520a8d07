"""The implementations that run the programs: Headwater, real TensorFlow installations, and JAX.

In JAX the steps of some programs are written by hand, in `jax_programs`.
"""

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
JAX = "jax"
AS_TENSORFLOW1 = Path(__file__).with_name("as_tensorflow1.py")
TIMING = Path(__file__).with_name("programs")
JAX_PROGRAMS = Path(__file__).with_name("jax_programs")

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
    """One implementation and the command that runs a program in it.

    Attributes:
      name: its name in the tables.
      command: runs the program whose path follows.
      python_path: PYTHONPATH for it.
      programs: the folder with programs of its own; None if it runs those of all.
    """

    name: str
    command: tuple[str, ...]
    python_path: str = ""
    programs: Path | None = None

    def has(self, program: str) -> bool:
        """Whether the peer can run a program."""
        return self.programs is None or (self.programs / f"{program}.py").exists()

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
                # For tf.nn.rnn_cell of 2.x, if tf_keras is installed.
                "TF_USE_LEGACY_KERAS": "1",
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
      The TensorFlows in `folder`, by version, then JAX and Headwater.
    """
    peers = []
    for python in sorted(folder.glob("tf-*/bin/python")) if folder else []:
        version = python.parent.parent.name.removeprefix("tf-")
        shim = (str(AS_TENSORFLOW1),) if version.startswith("2.") else ()
        peers.append(Peer(version, (str(python.absolute()), *shim)))
    peers.append(Peer(JAX, (sys.executable,), str(TIMING), JAX_PROGRAMS))
    ours = headwater_peer()
    return [*peers, ours] if ours else peers
