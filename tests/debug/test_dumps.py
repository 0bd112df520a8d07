"""Watched runs and their dumps, ours and TensorFlow's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater import debug as tf_debug
from headwater.debug.cli import (
    analyzer_cli,
    cli_config,
    cli_test_utils,
    command_parser,
    debugger_cli_common,
)
from headwater.model.defun import Defun

GOLDEN = Path(__file__).parent.parent / "golden" / "debug_dumps"
COMMANDS = json.loads((GOLDEN / "commands.json").read_text())


def watched(fetches: Any, feeds: Any, folder: Path, session: Any, **options: Any) -> Any:
    """The values of a run, and its dump."""
    run_options = tf.RunOptions()
    tf_debug.watch_graph(run_options, session.graph, debug_urls=f"file://{folder}", **options)
    values = session.run(fetches, feeds, options=run_options)
    return values, tf_debug.DebugDumpDir(str(folder))


def of(dump: Any, tensor: str) -> list[Any]:
    node, slot = tensor.split(":")
    return [v.tolist() for v in dump.get_tensors(node, int(slot), "DebugIdentity")]


def test_values_are_those_of_the_run(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    v = tf.Variable([1.0, 2.0], name="v")
    product = tf.multiply(x, v, name="product")
    update = tf.assign_add(v, product, name="update")
    noise = tf.random_normal([2], seed=3, name="noise")
    session.run(v.initializer)
    for run in range(3):  # compiled from the second run on, if it were not watched
        before = session.run(v)
        values, dump = watched([update, noise], {x: [3, 4]}, tmp_path / str(run), session)
        assert of(dump, "v:0") == of(dump, "v/read:0") == [before.tolist()]
        assert of(dump, "_arg_x_0_0:0") == [[3, 4]]
        assert of(dump, "product:0") == [(before * [3, 4]).tolist()]
        assert of(dump, "update:0") == [values[0].tolist()]
        assert of(dump, "noise:0") == [values[1].tolist()]
    np.testing.assert_array_equal(session.run(v), values[0])


def test_every_iteration_of_a_loop_is_dumped(session: tf.Session, tmp_path: Path) -> None:
    count = tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name="add"), [0])
    value, dump = watched(count, None, tmp_path / "dump", session)
    assert value == 3
    assert of(dump, "while/add:0") == of(dump, "while/NextIteration:0") == [1, 2, 3]
    assert of(dump, "while/Merge:0") == [0, 1, 2, 3]
    assert of(dump, "while/Merge:1") == [0, 1, 1, 1]
    assert of(dump, "while/Switch:1") == of(dump, "while/Identity:0") == [0, 1, 2]
    assert of(dump, "while/LoopCond:0") == [True, True, True, False]
    assert of(dump, "while/Switch:0") == of(dump, "while/Exit:0") == [3]
    assert of(dump, "while/Enter:0") == [0]


def test_bodies_of_functions_are_dumped(session: tf.Session, tmp_path: Path) -> None:
    @Defun(tf.float32, func_name="inner")
    def inner(a: tf.Tensor) -> tf.Tensor:
        return tf.square(a, name="square")

    @Defun(tf.float32, func_name="outer")
    def outer(a: tf.Tensor) -> tf.Tensor:
        return tf.add(inner(a), 1.0, name="sum")

    x = tf.placeholder(tf.float32, [], name="x")
    called = outer(x)
    fetches = [called, tf.identity(called, name="out")]
    values, dump = watched(fetches, {x: 3.0}, tmp_path, session)
    assert values == [10, 10]
    assert "outer" not in dump.nodes()
    for name, value in {"outer/inner/square": 9, "outer/sum": 10, "out": 10}.items():
        assert of(dump, f"{name}:0") == [value]
    assert dump.node_inputs("out") == ["outer/sum"]
    assert dump.node_inputs("outer/inner/square") == ["_arg_x_0_0"]


def test_loops_in_functions_are_dumped(session: tf.Session, tmp_path: Path) -> None:
    @Defun(tf.int32, func_name="count_to")
    def count_to(end: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda i: i < end, lambda i: tf.add(i, 1, name="add"), [0])

    _, dump = watched(count_to(tf.constant(3)), None, tmp_path, session)
    assert of(dump, "count_to/while/add:0") == [1, 2, 3]
    assert of(dump, "count_to/while/LoopCond:0") == [True, True, True, False]


def test_only_the_branch_that_is_taken_is_dumped(session: tf.Session, tmp_path: Path) -> None:
    x = tf.constant(2.0, name="x")
    taken = tf.cond(x > 1.0, lambda: tf.square(x, name="a"), lambda: tf.exp(x, name="b"))
    _, dump = watched(taken, None, tmp_path / "dump", session)
    assert of(dump, "cond/a:0") == [4.0]
    assert dump.watch_key_to_data("cond/b:0:DebugIdentity") == []


def test_a_run_that_fails_leaves_what_was_computed(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, name="x")
    half = tf.multiply(x, 0.5, name="half")
    y = tf.reshape(half, [3], name="y")
    options = tf.RunOptions()
    tf_debug.watch_graph(options, session.graph, debug_urls=f"file://{tmp_path}")
    with pytest.raises(tf.errors.InvalidArgumentError, match="node y"):
        session.run(y, {x: [1.0, 2.0]}, options=options)
    dump = tf_debug.DebugDumpDir(str(tmp_path))
    assert of(dump, "half:0") == [[0.5, 1.0]]
    assert of(dump, "y/shape:0") == [[3]]
    assert dump.watch_key_to_data("y:0:DebugIdentity") == []


def test_a_variable_without_a_value(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable([1.0], name="v")
    _, dump = watched(v.initializer, None, tmp_path / "dump", session)
    value = dump.get_tensors("v", 0, "DebugIdentity")[0]
    assert not value.initialized
    assert of(dump, "v/Assign:0") == [[1.0]]


def test_debug_ops(session: tf.Session, tmp_path: Path) -> None:
    y = tf.constant([[1, 2], [3, np.nan]], tf.float32, name="y")
    summary = "DebugNumericSummary(lower_bound=2;upper_bound=2.5)"
    _, dump = watched(y, None, tmp_path / "a", session, debug_ops=["DebugNanCount", summary])
    assert dump.get_tensors("y", 0, "DebugNanCount")[0].tolist() == [1]
    # What 1.15.5 says.
    expected = [1, 4, 1, 2, 0, 0, 0, 1, 1, 3, 2, 2 / 3, 1, 2, 2, 2]
    np.testing.assert_allclose(dump.get_tensors("y", 0, "DebugNumericSummary")[0], expected)
    healthy = tf.constant([1, 2], name="healthy")
    mute = "DebugNumericSummary(mute_if_healthy=true)"
    _, dump = watched(healthy, None, tmp_path / "b", session, debug_ops=[mute])
    assert dump.watch_key_to_data("healthy:0:DebugNumericSummary") == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"debug_ops": ["NoSuch"]}, "Failed to create debug node NoSuch for tensor s:0, due to: F"),
        (
            {"debug_ops": ["DebugIdentity(foo=3)"]},
            r"due to: 1 attribute key\(s\) were not valid for debug node "
            "__dbg_s:0_0_DebugIdentity: foo",
        ),
        (
            {"debug_ops": ["DebugNanCount"]},
            "Failed to find kernel definition for debug op DebugNanCount on watched tensor s:0",
        ),
        ({"node_name": "*"}, r'output_slot is expected to be -1 for wildcard node name \("\*"\)'),
        ({"output_slot": -1}, "A negative output_slot in DebugTensorWatch is valid only for the"),
    ],
)
def test_errors_of_watches(session: tf.Session, tmp_path: Path, options: Any, text: str) -> None:
    s = tf.constant(["a"], name="s")
    run_options = tf.RunOptions()
    options = {"node_name": "s", **options}
    tf_debug.add_debug_tensor_watch(run_options, debug_urls=f"file://{tmp_path}", **options)
    with pytest.raises(tf.errors.FailedPreconditionError, match=text):
        session.run(s, options=run_options)


def test_an_op_that_does_not_fit_may_be_tolerated(session: tf.Session, tmp_path: Path) -> None:
    s = tf.constant(["a"], name="s")
    options = tf.RunOptions()
    tf_debug.add_debug_tensor_watch(
        options,
        "s",
        debug_ops=["DebugNanCount", "DebugIdentity"],
        debug_urls=f"file://{tmp_path}",
        tolerate_debug_op_creation_failures=True,
    )
    session.run(s, options=options)
    assert of(tf_debug.DebugDumpDir(str(tmp_path)), "s:0") == [[b"a"]]


def test_urls_of_other_schemes_are_refused(session: tf.Session) -> None:
    y = tf.constant(1.0, name="y")
    options = tf.RunOptions()
    tf_debug.add_debug_tensor_watch(options, "y", debug_urls="ftp://localhost/dump")
    with pytest.raises(tf.errors.UnimplementedError, match="has no scheme that is supported"):
        session.run(y, options=options)


def test_the_graph_of_a_dump_without_debug_nodes(session: tf.Session, tmp_path: Path) -> None:
    x = tf.constant([1.0], name="x")
    y = tf.add(x, x, name="y")
    options = tf.RunOptions(output_partition_graphs=True)
    tf_debug.watch_graph(options, session.graph, debug_urls=f"file://{tmp_path}")
    metadata = tf.RunMetadata()
    session.run(y, options=options, run_metadata=metadata)
    graph = metadata.partition_graphs[0]
    nodes = {node.name: node for node in graph.node}
    assert list(nodes["y"].input) == ["__copy_x_0", "__copy_x_0", "^__dbg_x:0_0_DebugIdentity"]
    assert nodes["__dbg_x:0_0_DebugIdentity"].attr["tensor_name"].s == b"x:0"
    plain = tf_debug.reconstruct_non_debug_graph_def(graph)
    assert [(n.name, list(n.input)) for n in plain.node] == [
        ("x", []),
        ("y", ["x", "x"]),
        ("_retval_y_0_0", ["y"]),
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_on_a_dump_of_the_original(command: str, tmp_path: Path) -> None:
    dump = tf_debug.DebugDumpDir(str(GOLDEN / "1.15.5"))
    config = cli_config.CLIConfig(config_file_path=str(tmp_path / "config"))
    analyzer = analyzer_cli.DebugAnalyzer(dump, config)
    analyzer.add_tensor_filter("has_inf_or_nan", tf_debug.has_inf_or_nan)
    handlers = {
        "lt": analyzer.list_tensors,
        "ni": analyzer.node_info,
        "li": analyzer.list_inputs,
        "lo": analyzer.list_outputs,
        "pt": analyzer.print_tensor,
        "eval": analyzer.evaluate_expression,
    }
    words = command_parser.parse_command(command)
    output = handlers[words[0]](words[1:], screen_info={"cols": 80})
    assert output is not None
    assert output.lines == COMMANDS[command]["lines"]
    found = {
        str(line): [[start, end, _attr(attr)] for start, end, attr in segments]
        for line, segments in output.font_attr_segs.items()
        if segments
    }
    expected = {line: s for line, s in COMMANDS[command]["segments"].items() if s}
    assert found == expected


def _attr(attr: Any) -> Any:
    if isinstance(attr, list):
        return [_attr(each) for each in attr]
    return attr.content if isinstance(attr, debugger_cli_common.MenuItem) else attr


def test_a_dump_of_the_first_release() -> None:
    dump = tf_debug.DebugDumpDir(str(GOLDEN / "1.0.0"))
    assert dump.devices() == ["/job:localhost/replica:0/task:0/cpu:0"]
    assert of(dump, "scope/m:0") == [[[7, 10], [15, 22]]]
    found = dump.find(tf_debug.has_inf_or_nan)
    assert [datum.watch_key for datum in found] == ["scope/l:0:DebugIdentity"]
    assert dump.node_inputs("scope/l") == ["scope/sub"]


def test_errors_of_dumps(session: tf.Session, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Dump root directory /nowhere does not exist"):
        tf_debug.DebugDumpDir("/nowhere")
    y = tf.constant(1.0, name="y")
    _, dump = watched(y, None, tmp_path / "dump", session)
    with pytest.raises(ValueError, match="has a node named 'missing'"):
        dump.node_inputs("missing")
    with pytest.raises(ValueError, match='Watch key "y:1:DebugIdentity" does not exist'):
        dump.get_tensors("y", 1, "DebugIdentity")
    with pytest.raises(LookupError, match="Python graph is not available"):
        dump.node_traceback("y")


@pytest.mark.oracle
def test_the_original_reads_our_dumps(session: tf.Session, tmp_path: Path, oracle: Any) -> None:
    count = tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name="add"), [0])
    watched(count, None, tmp_path / "dump", session)
    source = """
import sys
from tensorflow.python import debug
dump = debug.DebugDumpDir(sys.argv[1])
print([int(v) for v in dump.get_tensors("while/add", 0, "DebugIdentity")])
"""
    assert oracle(source, str(tmp_path / "dump")).strip() == "[1, 2, 3]"


def test_assertions_on_lines() -> None:
    test = tf.test.TestCase()
    same = cli_test_utils.assert_lines_equal_ignoring_whitespace
    same(test, ["a b", "c"], [" ab", "c  "])
    with pytest.raises(AssertionError, match="Mismatch in the number of lines: 2 vs 1"):
        same(test, ["a", "b"], ["a"])
    with pytest.raises(AssertionError):
        same(test, ["a"], ["b"])
    close = cli_test_utils.assert_array_lines_close
    close(test, np.array([[1.0, 2.0], [3.0, 4.0]]), ["array([[1., 2.],", " [3., 4.00000001]])"])
    close(test, [1.5, -2.0], ["| 1.5 | -2e0 |"])
    with pytest.raises(AssertionError):
        close(test, [1.0], ["[2.]"])
