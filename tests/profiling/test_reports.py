"""What tf.profiler prints and writes; differential/cases/profiles.py compares its numbers."""

import json
import re

import pytest

import headwater as tf

builder = tf.profiler.ProfileOptionBuilder


@pytest.fixture(autouse=True)
def model():
    x = tf.placeholder(tf.float32, [8, 20], name="x")
    with tf.variable_scope("dense"):
        weights = tf.get_variable("w", [20, 10], initializer=tf.zeros_initializer())
    tf.nn.softmax(tf.matmul(x, weights, name="product"), name="result")


def traced_run():
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(
            "result:0",
            {"x:0": [[1.0] * 20] * 8},
            tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
            metadata,
        )
    return metadata


def profile_lines(capsys, cmd, options):
    tf.profiler.profile(cmd=cmd, options=options)
    lines = capsys.readouterr().out.splitlines()
    return lines[lines.index("Profile:") + 1 :]


def test_scopes_are_printed_with_shapes_and_totals(capsys):
    assert profile_lines(capsys, "scope", builder.trainable_variables_parameter()) == [
        "node name | # parameters",
        "_TFProfRoot (--/200 params)",
        "  dense (--/200 params)",
        "    dense/w (20x10, 200/200 params)",
        "",
        "======================End of Report==========================",
    ]


def test_parameters_are_profiled_without_options(capsys):
    tf.profiler.profile()
    default = capsys.readouterr().out
    tf.profiler.profile(options=builder.trainable_variables_parameter())
    assert default == capsys.readouterr().out


def test_op_types_are_printed_with_percentages(capsys):
    options = builder(builder.float_operation()).select(["float_ops", "occurrence"]).build()
    assert profile_lines(capsys, "op", options)[:3] == [
        "node name | # float_ops | op occurrence (run|defined)",
        "MatMul                   3.20k float_ops (100.00%, 88.89%),        0|1",
        "Softmax                  400 float_ops (11.11%, 11.11%),        0|1",
    ]


def test_lines_of_code_are_those_of_the_program(capsys):
    names = [r"test_reports\.py.*model"]
    options = builder().with_node_names(show_name_regexes=names).select(["float_ops"]).build()
    lines = profile_lines(capsys, "code", options)
    assert any(re.match(r"  test_reports.py:\d+:model \(0/3.60k flops\)", line) for line in lines)


def test_reports_go_to_files(tmp_path, capsys):
    path = tmp_path / "report.txt"
    options = builder(builder.float_operation()).with_file_output(str(path)).build()
    tf.profiler.profile(cmd="op", options=options)
    assert "MatMul" in path.read_text()
    assert capsys.readouterr().out == ""


def test_a_timeline_has_the_times_of_the_run(tmp_path):
    run = traced_run()
    path = tmp_path / "timeline.json"
    options = builder(builder.time_and_memory(0, 0)).with_timeline_output(str(path)).build()
    root = tf.profiler.profile(run_meta=run, cmd="scope", options=options)
    events = json.loads((tmp_path / "timeline.json_0").read_text())["traceEvents"]
    durations = {event["name"]: event["dur"] for event in events if event["ph"] == "X"}
    assert durations["_TFProfRoot"] == root.total_exec_micros > 0
    assert "product" in durations


def test_unknown_outputs_are_refused():
    options = {**builder.float_operation(), "output": "wobble:outfile=x"}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown output option: wobble"):
        tf.profiler.profile(cmd="scope", options=options)


def test_steps_that_were_not_added_are_named(capsys):
    profiler = tf.profiler.Profiler()
    profiler.add_step(4, traced_run())
    options = builder(builder.float_operation()).with_step(7).build()
    assert not profiler.profile_name_scope(options).name
    assert capsys.readouterr().err == "Options -step=7 not found.\nAvailable steps: 4 \n"


def test_advice_names_the_most_expensive_types(capsys):
    advice = tf.profiler.advise(run_meta=traced_run())
    assert set(advice.checkers) == {
        "AcceleratorUtilizationChecker",
        "ExpensiveOperationChecker",
        "OperationChecker",
    }
    reports = advice.checkers["ExpensiveOperationChecker"].reports
    printed = capsys.readouterr().out
    assert reports[0].startswith("top 1 operation type: ") and reports[0] in printed
    assert all(report in printed for report in reports)


def _slow(x):
    return tf.py_func(lambda v: v, [x], tf.float32)


def _slow_twice(x):
    y = _slow(x)
    return _slow(y)


def _set_times(run, kind, microseconds):
    """Lets all ops whose names tell that they are of a kind have taken so long, the others 1 us."""
    for device in run.step_stats.dev_stats:
        for node in device.node_stats:
            end = microseconds if kind in node.node_name else 1
            node.op_start_rel_micros, node.op_end_rel_micros, node.all_end_rel_micros = 0, end, end


def test_advice_names_slow_scopes_and_lines():
    run = tf.RunMetadata()
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.name_scope("first"):
            x = _slow_twice(tf.constant(1.0))
        with tf.name_scope("second"):
            y = _slow(x)
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(y, options=options, run_metadata=run)
        _set_times(run, "PyFunc", 5000)
        advice = tf.profiler.advise(session.graph, run, {"ExpensiveOperationChecker": {}})
    _, scopes, lines = advice.checkers["ExpensiveOperationChecker"].reports
    assert re.findall(r"top \d graph node: (\w+),", scopes) == ["first", "second"]
    pattern = r"^( *)test_reports.py:\d+:(\w+), cpu: [\d.]+ms"
    assert re.findall(pattern, lines, re.MULTILINE) == [
        ("", "test_advice_names_slow_scopes_and_lines"),
        ("  ", "_slow_twice"),
        ("  ", "_slow_twice"),
        ("", "test_advice_names_slow_scopes_and_lines"),
    ]


def test_profiles_are_serialized():
    profiler = tf.profiler.Profiler()
    profiler.add_step(2, traced_run())
    from headwater.protos import tfprof_log_pb2

    proto = tfprof_log_pb2.ProfileProto.FromString(profiler.serialize_to_string())
    names = {node.name: node for node in proto.nodes.values()}
    assert list(proto.steps) == [2] and names["product"].float_ops == 3200
    assert names["product"].execs[2].run_count == 1


def test_an_op_log_has_operations_types_and_lines(tmp_path):
    from headwater.protos import tfprof_log_pb2

    log = tf.profiler.OpLogProto()
    entry = log.log_entries.add()
    entry.name = "product"
    entry.types.append("mine")
    tf.profiler.write_op_log(tf.get_default_graph(), str(tmp_path / "new"), log)
    read = tfprof_log_pb2.OpLogProto.FromString((tmp_path / "new" / "tfprof_log").read_bytes())
    entries = {entry.name: entry for entry in read.log_entries}
    assert list(entries["dense/w"].types) == ["_trainable_variables"]
    assert list(entries["product"].types) == ["mine"] and entries["product"].float_ops == 3200
    files = [read.id_to_string[call.file_id] for call in entries["product"].code_def.traces]
    assert any(file.endswith("test_reports.py") for file in files)
