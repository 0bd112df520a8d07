"""Sessions and hooks of the debugger, driven by scripts."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater import debug as tf_debug
from headwater.debug.cli import cli_shared
from headwater.debug.lib import source_utils


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes lines of text the stdin."""

    def read(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(line + "\n" for line in lines)))

    return read


@pytest.fixture
def net(session: tf.Session) -> tuple[Any, Any, Any]:
    x = tf.placeholder(tf.float32, [2], name="x")
    v = tf.Variable([1.0, 2.0], name="v")
    y = tf.log(tf.multiply(x, v, name="product"), name="y")
    session.run(v.initializer)
    return x, v, y


def local(session: Any, tmp_path: Path) -> Any:
    return tf_debug.LocalCLIDebugWrapperSession(
        session,
        dump_root=str(tmp_path / "dump"),
        ui_type="readline",
        config_file_path=str(tmp_path / "config"),
    )


def test_commands_around_a_run(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x, _, y = net
    wrapped = local(session, tmp_path)
    script("pf x:0", "run", "lt -f has_inf_or_nan", "pt y:0", "ni -t y", "li y", "run -n")
    values = wrapped.run(y, {x: np.array([0, 2], np.float32)})
    np.testing.assert_allclose(values, [-np.inf, 1.3862944], rtol=1e-6)
    out = capsys.readouterr().out
    assert 'Tensor "x:0 (feed)":' in out
    assert '1 dumped tensor(s) passing filter "has_inf_or_nan":' in out
    assert "-inf, 1.386294" in out
    assert "test_sessions.py" in out
    assert "|- (1) product" in out
    assert not (tmp_path / "dump").exists()
    # The second run is the one without watches that the last command has asked for.
    np.testing.assert_allclose(wrapped.run(y, {x: [1, 1]}), [0, 0.6931472], rtol=1e-6)


def test_runs_go_on_until_a_filter_passes(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x, _, y = net
    wrapped = local(session, tmp_path)
    wrapped.add_tensor_filter("large", lambda d, t: d.node_name == "product" and t.max() > 10)
    script("run -f large", "run -n")
    for feed in ([1, 1], [2, 2], [9, 9]):
        wrapped.run(y, {x: feed})
    out = capsys.readouterr().out
    assert 'passing filter "large":' in out
    assert "run-end: run #3" in out
    assert "run-end: run #2" not in out


def test_only_the_last_of_several_runs_is_watched(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x, _, y = net
    wrapped = local(session, tmp_path)
    script("run -t 3", "run -n")
    for _ in range(3):
        wrapped.run(y, {x: [1, 1]})
    out = capsys.readouterr().out
    assert [n for n in (1, 2, 3) if f"run-end: run #{n}" in out] == [3]


def test_an_error_is_shown_with_its_op(
    session: tf.Session, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x = tf.placeholder(tf.float32, name="x")
    y = tf.reshape(tf.negative(x, name="minus"), [3], name="y")
    wrapped = local(session, tmp_path)
    script("run", "lt -n minus", "run -n")
    assert wrapped.run(y, {x: [1.0, 2.0]}) is None
    out = capsys.readouterr().out
    assert "Op name:    y" in out
    assert "Input to reshape is a tensor with 2 values, but the requested shape has 3" in out
    assert "1 dumped tensor(s):" in out


def test_exit_ends_the_program(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x, _, y = net
    script("exit")
    with pytest.raises(SystemExit):
        local(session, tmp_path).run(y, {x: [1, 1]})
    assert "user exited from debugger CLI" in capsys.readouterr().err


@pytest.mark.parametrize("run", ["run", "run -p"])
def test_exit_after_a_run_leaves_its_result(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, run: str
) -> None:
    x, _, y = net
    wrapped = local(session, tmp_path)
    script(run, "exit")
    np.testing.assert_allclose(wrapped.run(y, {x: [1, 1]}), [0, 0.6931472], rtol=1e-6)
    with pytest.raises(SystemExit):
        wrapped.run(y, {x: [1, 1]})


def test_one_element_is_shown_as_a_number(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x, _, y = net
    script("run", "pt product:0[1]", "run -n")
    local(session, tmp_path).run(y, {x: [1, 4]})
    assert 'Tensor "product:0:DebugIdentity[1]":\n\n8.0\n' in capsys.readouterr().out


def test_errors_of_commands(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x, _, y = net
    script("wobble", "run -f missing", "invoke_stepper", "help run > /nowhere/a", "run -n")
    local(session, tmp_path).run(y, {x: [1, 1]})
    out = capsys.readouterr().out
    assert 'ERROR: Invalid command prefix "wobble"' in out
    assert 'ERROR: tensor filter "missing" does not exist.' in out
    assert "Headwater has no stepper" in out
    assert "ERROR: Failed to write output to /nowhere/a" in out


def test_output_goes_to_a_file(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x, _, y = net
    path = tmp_path / "saved.txt"
    script("run", f"pt product:0 > {path}", "run -n")
    local(session, tmp_path).run(y, {x: [1, 1]})
    assert f"Wrote output to {path}\n" in capsys.readouterr().out
    assert path.read_text().startswith('Tensor "product:0:DebugIdentity":\n')


def test_outputs_of_nodes_are_counted_for_source_files(
    session: tf.Session, net: Any, tmp_path: Path
) -> None:
    x, _, y = net
    tf.group(tf.unique([1, 2, 1], name="pair"), name="none")
    tf_debug.DumpingDebugWrapperSession(session, str(tmp_path)).run(y, {x: [1, 1]})
    dump = tf_debug.DebugDumpDir(str(next(tmp_path.iterdir())))
    dump.set_python_graph(session.graph)

    def counts(nodes: str) -> list[tuple[int, ...]]:
        files = source_utils.list_source_files_against_dump(dump, ".*test_sessions.py$", nodes)
        return [row[2:5] for row in files]

    assert counts("product$") == [(1, 1, 1)]
    assert counts("pair$") == [(1, 2, 0)]
    assert counts("none$") == [(1, 0, 0)]


def test_times_of_nodes(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    x, _, y = net
    script("run -p", "lp -n product", "run -n")
    local(session, tmp_path).run(y, {x: [1, 1]})
    out = capsys.readouterr().out
    assert "Device Total" in out
    assert "test_sessions.py:" in out


def test_each_run_has_a_folder(session: tf.Session, net: Any, tmp_path: Path) -> None:
    x, _, y = net
    root = tmp_path / "root"
    options = tf_debug.WatchOptions(node_name_regex_whitelist="product|y$")
    wrapped = tf_debug.DumpingDebugWrapperSession(
        session, str(root), watch_fn=lambda fetches, feeds: options
    )
    for _ in range(2):
        wrapped.run(y, {x: [1, 1]})
    runs = sorted(root.iterdir())
    assert [name.name.rpartition("_")[2] for name in runs] == ["0", "1"]
    dump = tf_debug.DebugDumpDir(str(runs[1]))
    assert {datum.node_name for datum in dump.dumped_tensor_data} == {"product", "y"}
    assert dump.run_fetches_info == repr(y)
    assert dump.run_feed_keys_info == repr({x: 1}.keys())
    with pytest.raises(ValueError, match="session_root path points to a non-empty directory"):
        tf_debug.DumpingDebugWrapperSession(session, str(root))
    with pytest.raises(TypeError, match="watch_fn is not callable"):
        tf_debug.DumpingDebugWrapperSession(session, str(tmp_path / "b"), watch_fn=3)
    with pytest.raises(TypeError, match="Expected type"):
        tf_debug.DumpingDebugWrapperSession("x", str(tmp_path / "b"))
    with pytest.raises(NotImplementedError, match="partial_run_setup is not implemented"):
        wrapped.partial_run_setup([y])


def test_hooks_of_monitored_sessions(tmp_path: Path, script: Any, capsys: Any) -> None:
    v = tf.get_variable("v", initializer=1.0)
    add = tf.assign_add(v, 1.0, name="add")
    dumping = tf_debug.DumpingDebugHook(str(tmp_path / "runs"))
    with tf.train.MonitoredSession(hooks=[dumping]) as monitored:
        assert monitored.run(add) == 2.0
    run = next((tmp_path / "runs").iterdir())
    dump = tf_debug.DebugDumpDir(str(run))
    assert dump.get_tensors("add", 0, "DebugIdentity") == [2.0]
    script("run", "pt add:0", "run -n")
    hook = tf_debug.LocalCLIDebugHook("readline", config_file_path=str(tmp_path / "config"))
    with tf.train.MonitoredSession(hooks=[hook]) as monitored:
        assert monitored.run(add) == 2.0
    assert "array(2., dtype=float32)" in capsys.readouterr().out


def test_the_command_shows_a_dump(
    session: tf.Session, net: Any, tmp_path: Path, script: Any, capsys: Any
) -> None:
    from headwater.cli.command_line import main

    x, _, y = net
    root = tmp_path / "root"
    tf_debug.DumpingDebugWrapperSession(session, str(root)).run(y, {x: [1, 1]})
    run = next(root.iterdir())
    script("pt product:0", "exit")
    assert main(["debug", str(run)]) == 0
    assert "array([1., 2.], dtype=float32)" in capsys.readouterr().out
    assert main(["debug", f"--dump_dir={run}", "--ui_type=readline", "--validate_graph=false"]) == 0
    assert main(["debug", str(root)]) == 1
    assert f"Its runs are: {run.name}" in capsys.readouterr().err


def test_the_gradient_of_a_tensor(session: tf.Session) -> None:
    x = tf.constant(3.0)
    square = tf.square(x, name="square")
    y = tf.multiply(square, 2.0, name="y")
    debugger = tf_debug.GradientsDebugger()
    with debugger.watch_gradients_by_tensor_names(tf.get_default_graph(), "square:0$"):
        gradient = tf.gradients(y, x)[0]
    assert session.run([gradient, debugger.gradient_tensor("square:0")]) == [12.0, 2.0]
    with pytest.raises(LookupError, match="has not received any gradient tensor for x-tensor q:0"):
        debugger.gradient_tensor("q:0")


def test_old_module_paths(fork: Any) -> None:
    result = fork(
        """
import headwater
headwater.install()
from tensorflow.python import debug as tf_debug
from tensorflow.python.debug.cli import analyzer_cli, debugger_cli_common
from tensorflow.python.debug.lib.debug_data import DebugDumpDir
from tensorflow.python.debug.wrappers.hooks import DumpingDebugHook
assert DebugDumpDir is tf_debug.DebugDumpDir and DumpingDebugHook is tf_debug.DumpingDebugHook
print(tf_debug.LocalCLIDebugWrapperSession.__name__, analyzer_cli.DebugAnalyzer.__name__)
"""
    )
    assert result.stdout.strip() == "LocalCLIDebugWrapperSession DebugAnalyzer", result.stderr


def test_texts_about_runs() -> None:
    x = tf.placeholder(tf.float32, name="x")
    describe = cli_shared.get_run_short_description
    assert describe(12, [], None) == "run #12: 0 fetch; 0 feeds"
    assert describe(12, x, {x: 1}) == "run #12: 1 fetch (x:0); 1 feed (x:0)"
    assert describe(12, [x, x.op], {}) == "run #12: 2 fetches; 0 feeds"
    lines = cli_shared._recommend_command("help", "do help", indent=4)
    assert lines.lines == ["    help:", "      do help"]
