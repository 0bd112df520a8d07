"""A FileWriter that keeps what it gets in memory, for tests."""

from __future__ import annotations

from typing import Any, ClassVar

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.protos.lazy import summary_pb2
from headwater.train.summaries import file_writer


@export("contrib.testing.FakeSummaryWriter")
class FakeSummaryWriter:
    """Stands for a FileWriter and keeps what it gets.

    Args:
        logdir: the folder that the writer would write to.
        graph: the graph that it would write.
    """

    _replaced_summary_writer: ClassVar[Any] = None

    def __init__(self, logdir: str, graph: Any = None) -> None:
        self._logdir = logdir
        self._graph = graph
        self._summaries: dict[Any, list[Any]] = {}
        self._added_graphs: list[Any] = [] if graph is None else [graph]
        self._added_meta_graphs: list[Any] = []
        self._added_session_logs: list[Any] = []
        self._added_run_metadata: dict[str, Any] = {}

    @classmethod
    def install(cls) -> None:
        """Makes `tf.summary.FileWriterCache` hand out writers of this class.

        Raises:
            ValueError: if it does so already.
        """
        if cls._replaced_summary_writer:
            raise ValueError("FakeSummaryWriter already installed.")
        cls._replaced_summary_writer = file_writer.FileWriter
        file_writer.FileWriter = cls  # type: ignore[assignment, misc]

    @classmethod
    def uninstall(cls) -> None:
        """Ends what `install` began.

        Raises:
            ValueError: if it did not.
        """
        if not cls._replaced_summary_writer:
            raise ValueError("FakeSummaryWriter not installed.")
        file_writer.FileWriter = cls._replaced_summary_writer  # type: ignore[misc]
        cls._replaced_summary_writer = None

    @property
    def summaries(self) -> dict[Any, list[Any]]:
        """The values of the summaries by step."""
        return self._summaries

    def add_summary(self, summ: Any, current_global_step: Any) -> None:
        """Keeps the values of a summary.

        Args:
            summ: a Summary, or one in serialized form.
            current_global_step: its step.
        """
        if isinstance(summ, bytes):
            summ = summary_pb2.Summary.FromString(summ)
        self._summaries.setdefault(current_global_step, []).extend(summ.value)

    def add_graph(
        self, graph: Any, global_step: TensorLike | None = None, graph_def: Any = None
    ) -> None:
        """Keeps a graph.

        Args:
            graph: the graph.
            global_step: must be None or not negative.
            graph_def: must be None.

        Raises:
            ValueError: if an argument is another one.
        """
        if global_step is not None and global_step < 0:
            raise ValueError(f"Invalid global_step {global_step}.")
        if graph_def is not None:
            raise ValueError(f"Unexpected graph_def {graph_def}.")
        self._added_graphs.append(graph)

    def add_meta_graph(self, meta_graph_def: Any, global_step: TensorLike | None = None) -> None:
        """Keeps a MetaGraphDef.

        Args:
            meta_graph_def: the proto.
            global_step: must be None or not negative.

        Raises:
            ValueError: if the step is negative.
        """
        if global_step is not None and global_step < 0:
            raise ValueError(f"Invalid global_step {global_step}.")
        self._added_meta_graphs.append(meta_graph_def)

    def add_session_log(self, session_log: Any, global_step: TensorLike | None = None) -> None:
        """Keeps a SessionLog.

        Args:
            session_log: the proto.
            global_step: has no effect.
        """
        self._added_session_logs.append(session_log)

    def add_run_metadata(
        self, run_metadata: Any, tag: str, global_step: TensorLike | None = None
    ) -> None:
        """Keeps a RunMetadata.

        Args:
            run_metadata: the proto.
            tag: its name.
            global_step: must be None or not negative.

        Raises:
            ValueError: if the step is negative.
        """
        if global_step is not None and global_step < 0:
            raise ValueError(f"Invalid global_step {global_step}.")
        self._added_run_metadata[tag] = run_metadata

    def assert_summaries(
        self,
        test_case: Any,
        expected_logdir: str | None = None,
        expected_graph: Any = None,
        expected_summaries: dict[Any, dict[str, Any]] | None = None,
        expected_added_graphs: list[Any] | None = None,
        expected_added_meta_graphs: list[Any] | None = None,
        expected_session_logs: list[Any] | None = None,
    ) -> None:
        """Checks what the writer has got; what is None is not checked.

        Args:
            test_case: a `unittest.TestCase`, whose assertions are used.
            expected_logdir: the folder.
            expected_graph: the graph of the constructor.
            expected_summaries: {step: {tag: number or the Summary value}}.
            expected_added_graphs: the graphs.
            expected_added_meta_graphs: the MetaGraphDefs.
            expected_session_logs: the SessionLogs.

        Raises:
            AssertionError: if it has got something else.
        """
        if expected_logdir is not None:
            test_case.assertEqual(expected_logdir, self._logdir)
        if expected_graph is not None:
            test_case.assertTrue(expected_graph is self._graph)
        for step, values in (expected_summaries or {}).items():
            test_case.assertIn(step, self._summaries)
            found = {value.tag: value for value in self._summaries[step]}
            test_case.assertEqual(
                dict(values),
                {
                    tag: value.simple_value if value.HasField("simple_value") else value
                    for tag, value in found.items()
                    if tag in values
                },
            )
        for expected, kept in (
            (expected_added_graphs, self._added_graphs),
            (expected_added_meta_graphs, self._added_meta_graphs),
            (expected_session_logs, self._added_session_logs),
        ):
            if expected is not None:
                test_case.assertEqual(list(expected), kept)

    def flush(self) -> None:
        """Does nothing."""

    def reopen(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""
