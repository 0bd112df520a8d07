"""ProfileContext: runs that are traced, profiled and written by themselves; profiles from files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import headwater as tf
from headwater.profiling import profile_files
from headwater.protos import config_pb2, profile_pb2, tfprof_log_pb2

builder = tf.profiler.ProfileOptionBuilder
ProfileContext = tf.contrib.tfprof.ProfileContext
GOLDEN = Path(__file__).parent.parent / "golden" / "profiles"
COLUMNS = (
    ["micros", "bytes", "params", "float_ops", "occurrence", "input_shapes", "device", "op_types"],
    ["peak_bytes", "residual_bytes", "output_bytes"],
)
QUIET = builder(builder.time_and_memory(0, 0)).with_empty_output().build()


@pytest.fixture
def total() -> Any:
    x = tf.placeholder_with_default(tf.ones([4, 3]), [4, 3], name="x")
    return tf.reduce_sum(tf.matmul(x, tf.ones([3, 2]), name="product"), name="total")


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_chosen_steps_are_profiled_and_written(
    session: tf.Session, total: Any, tmp_path: Path, capsys: Any
) -> None:
    folder = tmp_path / "new" / "profiles"
    with ProfileContext(str(folder), trace_steps=[1], dump_steps=[2], debug=True) as context:
        context.add_auto_profiling("op", QUIET, [1, 3])
        context.add_auto_profiling("scope", QUIET, [3])
        for step in range(5):
            assert session.run(total) == 24.0
            assert ("profile_2" in files(folder)) == (step >= 2)
        context.trace_next_step()
        context.dump_next_step()
        session.run(total)
        session.run(total)
    assert files(folder) == ["profile_2", "profile_5", "run_meta_1", "run_meta_3", "run_meta_5"]
    assert {step: proto.name for step, proto in context.get_profiles("op").items()} == {
        1: "_TFProfRoot",
        3: "_TFProfRoot",
    }
    assert set(context.get_profiles("scope")) == {3}
    assert "debug: profiling op step: 3\n" in capsys.readouterr().err
    with pytest.raises(ValueError, match="No autoprofiler for command: code, was run"):
        context.get_profiles("code")
    saved = tfprof_log_pb2.ProfileProto.FromString((folder / "profile_5").read_bytes())
    assert list(saved.steps) == [1, 3, 5]


def test_each_kind_of_run_is_traced_once_by_default(
    session: tf.Session, total: Any, tmp_path: Path
) -> None:
    with ProfileContext(str(tmp_path), debug=True):
        for _ in range(12):
            session.run(total)
        session.run([total, total + 1.0])
        session.run(total)
    # Ten runs of warming up, then the first of each kind.
    assert files(tmp_path)[:2] == ["run_meta_11", "run_meta_12"]


def test_options_and_metadata_of_the_caller(
    session: tf.Session, total: Any, tmp_path: Path
) -> None:
    options, metadata = config_pb2.RunOptions(timeout_in_ms=60000), config_pb2.RunMetadata()
    with ProfileContext(str(tmp_path), trace_steps=[0], dump_steps=[]):
        session.run(total, options=options, run_metadata=metadata)
    assert metadata.step_stats.dev_stats
    assert options == config_pb2.RunOptions(timeout_in_ms=60000)
    assert files(tmp_path) == []


def test_contexts_that_are_wrong(session: tf.Session, total: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Must have a directory for profile"):
        ProfileContext("")
    with ProfileContext(str(tmp_path), trace_steps=[]) as context:
        assert context.profiler is not None
        with pytest.raises(tf.errors.InternalError, match="Already in context"):
            ProfileContext(str(tmp_path)).__enter__()
        context.add_auto_profiling("wobble", QUIET, [0])
        with pytest.raises(ValueError, match="Unknown cmd: wobble"):
            session.run(total)
        session.run(total)
    with ProfileContext("", enabled=False) as nothing:
        session.run(total)
        assert nothing.profiler is None
    assert tf.Session.profile_context is None


def test_a_profile_from_a_file_has_the_same_views(
    session: tf.Session, total: Any, tmp_path: Path
) -> None:
    with ProfileContext(str(tmp_path), trace_steps=[0], dump_steps=[0]) as context:
        session.run(total)
    profile_files.read_profile(str(tmp_path / "profile_0"))
    try:
        # A profiler without a graph, as the tests of the original make one.
        read = tf.profiler.Profiler.__new__(tf.profiler.Profiler)
        for view in ("scope", "graph", "op", "code"):
            assert read.profile_view(view, QUIET) == context.profiler.profile_view(view, QUIET)
        pprof = builder(QUIET).select(["bytes"]).with_pprof_output(str(tmp_path / "pprof")).build()
        read.profile_python(pprof)
        with pytest.raises(tf.errors.FailedPreconditionError, match="has its own steps"):
            read.add_step(3, config_pb2.RunMetadata())
    finally:
        profile_files.forget_profile()
    assert (tmp_path / "pprof").exists()
    with pytest.raises(tf.errors.FailedPreconditionError, match="No profile has been read"):
        read.profile_view("op", QUIET)


def test_a_profile_of_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "profile").write_bytes(gzip.decompress((GOLDEN / "profile.gz").read_bytes()))
    profile_files.read_profile(str(tmp_path / "profile"))
    report = tmp_path / "report"
    views = []
    try:
        read = tf.profiler.Profiler.__new__(tf.profiler.Profiler)
        for view in ("scope", "graph", "op", "code"):
            for columns in COLUMNS:
                chosen = builder(builder.time_and_memory(0, 0)).with_file_output(str(report))
                options = chosen.select(columns).order_by("name").build()
                options["account_displayed_op_only"] = False
                if view == "code":
                    options["show_name_regexes"] = [".*make_profile.py.*"]
                read.profile_view(view, options)
                views.append(f"## {view}\n" + report.read_text().split("Profile:\n")[1])
    finally:
        profile_files.forget_profile()
    expected = (GOLDEN / "views.txt").read_text()
    assert "".join(views).split("\n") == expected.split("\n")


def test_damaged_profiles(tmp_path: Path) -> None:
    (tmp_path / "profile").write_bytes(profile_pb2.Profile(drop_frames=3).SerializeToString()[:1])
    with pytest.raises(tf.errors.DataLossError, match="is not a ProfileProto"):
        profile_files.read_profile(str(tmp_path / "profile"))
    with pytest.raises(tf.errors.NotFoundError):
        profile_files.read_profile(str(tmp_path / "missing"))


def test_operations_in_loops_count_each_time(session: tf.Session) -> None:
    loop = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), [0, tf.ones([5])])
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(loop[1], options=options, run_metadata=metadata)
    counted = builder(builder.float_operation()).with_empty_output().build()

    def products(run_metadata: Any) -> int:
        root = tf.profiler.profile(run_meta=run_metadata, cmd="scope", options=counted)
        (node,) = [child for child in root.children if child.name == "while/mul"]
        return int(node.float_ops)

    assert (products(None), products(metadata)) == (5, 15)
