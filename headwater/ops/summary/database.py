"""Summaries in a SQLite database, with the tables that TensorFlow 1.15 writes."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.io.tensor_proto import MakeNdarray, make_tensor_proto
from headwater.protos.lazy import graph_pb2, summary_pb2

if TYPE_CHECKING:
    from headwater.protos.event_pb2 import Event
    from headwater.protos.summary_pb2 import Summary

sqlite3: Any = LazyModule("sqlite3")

# Table -> (columns, {index: (columns, condition)}).
_TABLES: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "Ids": ("id INTEGER PRIMARY KEY", {}),
    "Descriptions": ("id INTEGER PRIMARY KEY, description TEXT", {}),
    "Tensors": (
        "rowid INTEGER PRIMARY KEY, series INTEGER, step INTEGER, dtype INTEGER, "
        "computed_time REAL, shape TEXT, data BLOB",
        {"TensorSeriesStepIndex": ("series, step", "series IS NOT NULL AND step IS NOT NULL")},
    ),
    "TensorStrings": (
        "rowid INTEGER PRIMARY KEY, tensor_rowid INTEGER NOT NULL, idx INTEGER NOT NULL, data BLOB",
        {"TensorStringIndex": ("tensor_rowid, idx", "")},
    ),
    "Tags": (
        "rowid INTEGER PRIMARY KEY, run_id INTEGER, tag_id INTEGER NOT NULL, "
        "inserted_time DOUBLE, tag_name TEXT, display_name TEXT, plugin_name TEXT, "
        "plugin_data BLOB",
        {
            "TagIdIndex": ("tag_id", ""),
            "TagRunNameIndex": (
                "run_id, tag_name",
                "run_id IS NOT NULL AND tag_name IS NOT NULL",
            ),
        },
    ),
    "Runs": (
        "rowid INTEGER PRIMARY KEY, experiment_id INTEGER, run_id INTEGER NOT NULL, "
        "inserted_time REAL, started_time REAL, finished_time REAL, run_name TEXT",
        {
            "RunIdIndex": ("run_id", ""),
            "RunNameIndex": ("experiment_id, run_name", "run_name IS NOT NULL"),
        },
    ),
    "Experiments": (
        "rowid INTEGER PRIMARY KEY, user_id INTEGER, experiment_id INTEGER NOT NULL, "
        "inserted_time REAL, started_time REAL, is_watching INTEGER, experiment_name TEXT",
        {
            "ExperimentIdIndex": ("experiment_id", ""),
            "ExperimentNameIndex": ("user_id, experiment_name", "experiment_name IS NOT NULL"),
        },
    ),
    "Users": (
        "rowid INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, inserted_time REAL, "
        "user_name TEXT, email TEXT",
        {
            "UserIdIndex": ("user_id", ""),
            "UserNameIndex": ("user_name", "user_name IS NOT NULL"),
            "UserEmailIndex": ("email", "email IS NOT NULL"),
        },
    ),
    "Graphs": (
        "rowid INTEGER PRIMARY KEY, run_id INTEGER, graph_id INTEGER NOT NULL, "
        "inserted_time REAL, graph_def BLOB",
        {
            "GraphIdIndex": ("graph_id", ""),
            "GraphRunIndex": ("run_id", "run_id IS NOT NULL"),
        },
    ),
    "Nodes": (
        "rowid INTEGER PRIMARY KEY, graph_id INTEGER NOT NULL, node_id INTEGER NOT NULL, "
        "node_name TEXT, op TEXT, device TEXT, node_def BLOB",
        {
            "NodeIdIndex": ("graph_id, node_id", ""),
            "NodeNameIndex": ("graph_id, node_name", "node_name IS NOT NULL"),
        },
    ),
    "NodeInputs": (
        "rowid INTEGER PRIMARY KEY, graph_id INTEGER NOT NULL, node_id INTEGER NOT NULL, "
        "idx INTEGER NOT NULL, input_node_id INTEGER NOT NULL, input_node_idx INTEGER, "
        "is_control INTEGER",
        {"NodeInputsIndex": ("graph_id, node_id, idx", "")},
    ),
}
# Numbers are short at first, so that they take little room.
_ID_BITS = (23, 32, 44, 47)


class DatabaseFile:
    """A run of an experiment of a user in a SQLite database.

    The run begins with the first event. What it has is committed by `flush`.

    Args:
        path: the file.
        experiment_name: the name of the experiment; "" for none.
        run_name: the name of the run; "" for none, and then there are no tags either.
        user_name: the name of the user; "" for none.

    Raises:
        InvalidArgumentError: if the file cannot be opened.
        OpError: of another class, if it is no database.
    """

    def __init__(self, path: str, experiment_name: str, run_name: str, user_name: str) -> None:
        self._names = {"user": user_name, "experiment": experiment_name, "run": run_name}
        # Runs in several threads write, one at a time: SummaryWriter holds a lock.
        try:
            self._base = sqlite3.connect(path, check_same_thread=False)
        except sqlite3.Error as error:
            _fail(path, error)
        self._lock = threading.Lock()
        self._path = path
        self._run_id: int | None = None
        self._experiment_id: int | None = None
        self._started: float | None = None
        self._tags: dict[str, int] = {}
        self._make_tables()

    def _make_tables(self) -> None:
        try:
            for table, (columns, indexes) in _TABLES.items():
                self._base.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
                for index, (keys, condition) in indexes.items():
                    where = f" WHERE {condition}" if condition else ""
                    self._base.execute(
                        f"CREATE UNIQUE INDEX IF NOT EXISTS {index} ON {table} ({keys}){where}"
                    )
            self._base.commit()
        except sqlite3.Error as error:
            self._base.close()
            _fail(self._path, error)

    def write(self, event: Event) -> None:
        """Adds what an event has: a graph, or the values of a summary."""
        with self._lock:
            try:
                self._write(event)
            except sqlite3.Error as error:
                _fail(self._path, error)

    def flush(self) -> None:
        """Commits what was written."""
        with self._lock:
            try:
                self._base.commit()
            except sqlite3.Error as error:
                _fail(self._path, error)

    def close(self) -> None:
        """Commits, notes the end of the run, and closes the file."""
        with self._lock:
            try:
                end = (time.time(), self._run_id)
                self._base.execute("UPDATE Runs SET finished_time = ? WHERE run_id = ?", end)
                self._base.commit()
            except sqlite3.Error as error:
                _fail(self._path, error)
            finally:
                self._base.close()

    # Rows

    def _write(self, event: Event) -> None:
        kind = event.WhichOneof("what")
        if kind in ("graph_def", "summary"):
            self._begin(event.wall_time)
        if kind == "graph_def":
            self._write_graph(event)
        elif kind == "summary":
            for value in event.summary.value:
                self._write_value(event, value)

    def _insert(self, table: str, **columns: Any) -> int:
        names = ", ".join(columns)
        marks = ", ".join("?" * len(columns))
        text = f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})"
        return int(self._base.execute(text, tuple(columns.values())).lastrowid or 0)

    def _new_id(self) -> int:
        """A random number that no other row of the database has."""
        for bits in (_ID_BITS[min(i // 5, len(_ID_BITS) - 1)] for i in range(40)):
            number = random.SystemRandom().randrange(1, 2**bits)
            try:
                self._base.execute("INSERT INTO Ids (id) VALUES (?)", (number,))
            except sqlite3.IntegrityError:
                continue
            return number
        raise errors.InternalError(None, None, "No unused number was found in the database.")

    def _known(self, table: str, key: str, **columns: Any) -> int | None:
        where = " AND ".join(f"{name} IS ?" for name in columns)
        query = f"SELECT {key} FROM {table} WHERE {where}"
        row = self._base.execute(query, tuple(columns.values())).fetchone()
        return None if row is None else int(row[0])

    def _new_run(self, started: float) -> int | None:
        """The number of a new run; None if it has no name."""
        now = time.time()
        user, experiment, run = (self._names[key] for key in ("user", "experiment", "run"))
        user_id = None
        if user:
            user_id = self._known("Users", "user_id", user_name=user)
            if user_id is None:
                user_id = self._new_id()
                self._insert("Users", user_id=user_id, inserted_time=now, user_name=user)
        if experiment:
            found = {"user_id": user_id, "experiment_name": experiment}
            self._experiment_id = self._known("Experiments", "experiment_id", **found)
            if self._experiment_id is None:
                self._experiment_id = self._new_id()
                self._insert(
                    "Experiments",
                    **found,
                    experiment_id=self._experiment_id,
                    inserted_time=now,
                    started_time=started,
                    is_watching=0,
                )
        if not run:
            return None
        run_id = self._new_id()
        # A run takes the place of an earlier one of its name.
        self._insert(
            "Runs",
            experiment_id=self._experiment_id,
            run_id=run_id,
            inserted_time=now,
            started_time=started,
            run_name=run,
        )
        return run_id

    def _begin(self, wall_time: float) -> None:
        """Makes the run; it began with its earliest event."""
        if self._started is None:
            self._run_id = self._new_run(wall_time)
        elif wall_time >= self._started:
            return
        self._started = wall_time
        for table, key, number in (
            ("Runs", "run_id", self._run_id),
            ("Experiments", "experiment_id", self._experiment_id),
        ):
            self._base.execute(
                f"UPDATE {table} SET started_time = ? WHERE {key} = ? AND started_time > ?",
                (wall_time, number, wall_time),
            )

    def _write_value(self, event: Event, value: Summary.Value) -> None:
        tensor, metadata = _as_tensor(value)
        if value.tag not in self._tags:
            tag_id = self._tags[value.tag] = self._new_id()
            self._insert("Descriptions", id=tag_id, description=metadata.summary_description)
            self._insert(
                "Tags",
                run_id=self._run_id,
                tag_id=tag_id,
                inserted_time=time.time(),
                tag_name=value.tag,
                display_name=metadata.display_name,
                plugin_name=metadata.plugin_data.plugin_name,
                plugin_data=metadata.plugin_data.content,
            )
        array = MakeNdarray(tensor)
        is_text = array.dtype == object
        row = self._insert(
            "Tensors",
            series=self._tags[value.tag],
            step=event.step,
            dtype=tensor.dtype,
            computed_time=event.wall_time,
            shape=",".join(map(str, array.shape)),
            data=None if is_text else array.tobytes(),
        )
        if is_text:
            for i, data in enumerate(array.reshape(-1).tolist()):
                self._insert("TensorStrings", tensor_rowid=row, idx=i, data=data)

    def _write_graph(self, event: Event) -> None:
        graph = graph_pb2.GraphDef.FromString(event.graph_def)
        nodes = list(graph.node)
        del graph.node[:]
        graph_id = self._new_id()
        self._insert(
            "Graphs",
            run_id=self._run_id,
            graph_id=graph_id,
            inserted_time=time.time(),
            graph_def=graph.SerializeToString(),
        )
        numbers = {node.name: i for i, node in enumerate(nodes)}
        for number, node in enumerate(nodes):
            for i, text in enumerate(node.input):
                name, _, slot = text.removeprefix("^").partition(":")
                if name not in numbers:
                    raise errors.DataLossError(None, None, f"Could not find node: {name}")
                self._insert(
                    "NodeInputs",
                    graph_id=graph_id,
                    node_id=number,
                    idx=i,
                    input_node_id=numbers[name],
                    input_node_idx=int(slot or 0),
                    is_control=int(text.startswith("^")),
                )
            columns = {"node_name": node.name, "op": node.op, "device": node.device}
            for field in ("name", "op", "device", "input"):
                node.ClearField(field)
            data = node.SerializeToString()
            self._insert("Nodes", graph_id=graph_id, node_id=number, **columns, node_def=data)


def _as_tensor(value: Summary.Value) -> tuple[Any, Any]:
    """What a value has as a tensor, and its metadata: values of the first era are converted."""
    kind = value.WhichOneof("value")
    metadata = summary_pb2.SummaryMetadata()
    metadata.CopyFrom(value.metadata)
    plugin = ""
    tensor: Any = value.tensor
    if kind == "simple_value":
        plugin, tensor = "scalars", make_tensor_proto(np.float32(value.simple_value))
    elif kind == "histo":
        limits = list(value.histo.bucket_limit)
        # The first bucket begins at the smallest positive double, as in TensorFlow.
        rows = zip([float(np.finfo(np.float64).tiny), *limits], limits, value.histo.bucket)
        plugin, tensor = "histograms", make_tensor_proto(np.array(list(rows), np.float64))
    elif kind == "image":
        image = value.image
        parts = [str(image.width).encode(), str(image.height).encode(), image.encoded_image_string]
        plugin, tensor = "images", make_tensor_proto(np.array(parts, object))
    elif kind == "audio":
        plugin = "audio"
        tensor = make_tensor_proto(np.array([[value.audio.encoded_audio_string, b""]], object))
    if plugin and not metadata.plugin_data.plugin_name:
        metadata.plugin_data.plugin_name = plugin
    return tensor, metadata


def _fail(path: str, error: Exception) -> NoReturn:
    text = f"Sqlite::Open({path}) failed: {error}"
    raise errors.InvalidArgumentError(None, None, text) from error
