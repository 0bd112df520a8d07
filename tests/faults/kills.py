"""Writers that are killed (SIGKILL) at random moments: what they leave can be read and is whole.

A process that has built the graph is forked for each kill. The child saves as fast as it can; what
it leaves is read, and the next child continues in the same folder.
"""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import headwater as tf
from headwater.serving.saved_model.files import get_variables_path

# The sizes of the variables in elements: some share a block of a table, some do not.
_SIZES = (3, 1000, 65_536, 262_144, 262_144)
_TEMPORARY = re.compile(r"\.tmp|_temp_|-of-9\d{4}$|\.new$")
# Within so many seconds after its first save a child is killed.
_LONGEST_LIFE = 0.15


@dataclass
class Outcome:
    """What came of a series of kills.

    Attributes:
        kills: how many writers were killed.
        within: how many of them left a temporary file, and so were killed within a save.
        lost: what could not be read, or was of several steps.
        left: temporary files that the next save has not removed.
        last_step: the newest step that was read.
    """

    kills: int = 0
    within: int = 0
    lost: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    last_step: int = 0


class _Model:
    """Variables that all hold the number of the step."""

    def __init__(self, version: int, sharded: bool) -> None:
        self.step = tf.placeholder(tf.float32, [])
        assigned = []
        for i, size in enumerate(_SIZES):
            with tf.device(f"/cpu:{i % 2}" if sharded else ""):
                v = tf.get_variable(f"v{i}", initializer=np.zeros(size, np.float32))
                assigned.append(v.assign(tf.fill([size], self.step)))
        self.assigned = tf.group(*assigned)
        self.saver = tf.train.Saver(max_to_keep=3, write_version=version, sharded=sharded)


def _checkpoints(version: int, sharded: bool, numbered: bool) -> Callable[[], _Kind]:
    return lambda: _Checkpoints(_Model(version, sharded), numbered)


class _Kind:
    """Something that is written again and again, and read after a kill."""

    def save(self, session: tf.Session, folder: Path, step: int) -> None:
        """Writes the state of a step."""
        raise NotImplementedError

    def read(self, folder: Path) -> int:
        """The newest step; AssertionError or an OpError if it is not whole."""
        raise NotImplementedError


class _Checkpoints(_Kind):
    def __init__(self, model: _Model, numbered: bool) -> None:
        self._model = model
        self._numbered = numbered

    def save(self, session: tf.Session, folder: Path, step: int) -> None:
        session.run(self._model.assigned, {self._model.step: step})
        number = step if self._numbered else None
        self._model.saver.save(session, str(folder / "model"), number)

    def read(self, folder: Path) -> int:
        latest = tf.train.latest_checkpoint(str(folder))
        if latest is None:
            assert not (folder / "checkpoint").exists(), "the newest checkpoint is not complete"
            return 0
        step = _step_of(latest)
        name = re.sub(r"-\?{5}-of-\d{5}$", "", latest)
        assert not self._numbered or name.endswith(f"-{step}"), latest
        return step


class _SavedModels(_Kind):
    def __init__(self) -> None:
        self._model = _Model(tf.train.SaverDef.V2, sharded=False)

    def save(self, session: tf.Session, folder: Path, step: int) -> None:
        session.run(self._model.assigned, {self._model.step: step})
        # A folder of that number may be left by a killed writer.
        path = folder / f"{step:06d}-{os.getpid()}"
        builder = tf.saved_model.Builder(str(path))
        builder.add_meta_graph_and_variables(session, ["serve"])
        builder.save()

    def read(self, folder: Path) -> int:
        newest = 0
        for path in sorted(folder.iterdir())[-20:]:
            if tf.saved_model.contains_saved_model(str(path)):
                newest = _step_of(get_variables_path(str(path)))
                assert newest == int(path.name[:6]), path.name
        return newest


class _Events(_Kind):
    """Each child writes a file of its own."""

    def __init__(self) -> None:
        self._writer: tf.summary.FileWriter | None = None

    def save(self, session: tf.Session, folder: Path, step: int) -> None:
        if self._writer is None:
            self._writer = tf.summary.FileWriter(str(folder), filename_suffix=f".{os.getpid()}")
        value = tf.Summary.Value(tag="step" * 500, simple_value=step)
        self._writer.add_summary(tf.Summary(value=[value]), step)
        if step % 10 == 0:
            self._writer.flush()

    def read(self, folder: Path) -> int:
        newest = 0
        for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[-20:]:
            steps = []
            try:
                for event in tf.train.summary_iterator(str(path)):
                    if event.summary.value:
                        assert event.summary.value[0].simple_value == event.step
                        steps.append(event.step)
            except tf.errors.DataLossError as error:
                # The last record of a killed writer may end too early.
                assert error.message.startswith("truncated record"), error
            assert steps == list(range(steps[0], steps[0] + len(steps))) if steps else True
            newest = max([newest, *steps])
        return newest


def _step_of(prefix: str) -> int:
    """The step of a checkpoint, which all its variables must hold."""
    reader = tf.train.load_checkpoint(prefix)
    found = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    assert sorted(found) == [f"v{i}" for i in range(len(_SIZES))], sorted(found)
    steps = {int(step) for value in found.values() for step in (value.min(), value.max())}
    assert len(steps) == 1, f"variables of the steps {sorted(steps)}"
    return steps.pop()


_V1, _V2 = tf.train.SaverDef.V1, tf.train.SaverDef.V2
KINDS: dict[str, Callable[[], _Kind]] = {
    "V1": _checkpoints(_V1, sharded=False, numbered=True),
    "V2": _checkpoints(_V2, sharded=False, numbered=True),
    "V2, sharded": _checkpoints(_V2, sharded=True, numbered=True),
    "V1, sharded": _checkpoints(_V1, sharded=True, numbered=True),
    "V1, one name": _checkpoints(_V1, sharded=False, numbered=False),
    "V2, one name": _checkpoints(_V2, sharded=False, numbered=False),
    "V1, sharded, one name": _checkpoints(_V1, sharded=True, numbered=False),
    "V2, sharded, one name": _checkpoints(_V2, sharded=True, numbered=False),
    "SavedModel": _SavedModels,
    "events": _Events,
}


def _child(kind: _Kind, folder: Path, first: int, saves: int | None, ready: int) -> None:
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Session(config=config) as session:
        step = first
        while saves is None or step < first + saves:
            kind.save(session, folder, step)
            if step == first:
                os.write(ready, b"!")
            step += 1


def _forked(kind: _Kind, folder: Path, first: int, saves: int | None, life: float | None) -> int:
    """Lets a child save; kills it after `life` seconds, if it does not end. Returns its status."""
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        try:
            _child(kind, folder, first, saves, writable)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writable)
    try:
        os.read(readable, 1)
        if life is not None:
            time.sleep(life)
            os.kill(child, signal.SIGKILL)
    finally:
        os.close(readable)
        _, status = os.waitpid(child, 0)
    return status


def _temporary(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if _TEMPORARY.search(path.name)
    )


def kill_writers(name: str, kills: int, folder: Path, seed: int = 0) -> Outcome:
    """Kills writers of one kind and reads what each of them leaves.

    Args:
        name: a key of `KINDS`.
        kills: how many.
        folder: an empty folder.
        seed: of the moments.

    Returns:
        What came of it.
    """
    moments = random.Random(f"{name}{seed}")
    os.environ["HEADWATER_JIT"] = "never"  # no threads of JAX before a fork
    outcome = Outcome()
    with tf.Graph().as_default():
        kind = KINDS[name]()
        for _ in range(kills):
            life = moments.uniform(0, _LONGEST_LIFE)
            status = _forked(kind, folder, outcome.last_step + 1, None, life)
            assert os.WIFSIGNALED(status), f"the writer has failed: {status}"
            outcome.kills += 1
            before = _temporary(folder)
            outcome.within += bool(before)
            try:
                step = kind.read(folder)
                assert step >= outcome.last_step, f"step {step} after {outcome.last_step}"
                outcome.last_step = step
            except (AssertionError, tf.errors.OpError, ValueError) as error:
                outcome.lost.append(f"after kill {outcome.kills}: {error}")
                outcome.last_step += 1000
        status = _forked(kind, folder, outcome.last_step + 1, 1, None)
        assert status == 0, f"the last writer has failed: {status}"
    # What was not finished in a SavedModel stays in a folder that nothing takes for one.
    if name != "SavedModel":
        outcome.left = _temporary(folder)
    return outcome
