"""Profiles for pprof."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import headwater as tf
from headwater.protos import profile_pb2

builder = tf.profiler.ProfileOptionBuilder
_ONLY_HERE = [r"test_pprof\.py.*(net|inner|model).*"]


@pytest.fixture(autouse=True)
def model() -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")

    def inner() -> Any:
        return tf.get_variable("w", [3, 4], initializer=tf.zeros_initializer())

    def net() -> Any:
        weights = inner()
        return tf.matmul(x, weights, name="y")

    tf.gradients(net(), tf.trainable_variables())


def written(path: Path, attribute: str = "float_ops", **changes: Any) -> Any:
    """The profile that is written; None if there is none."""
    options = builder().select([attribute]).with_pprof_output(str(path)).build()
    options["show_name_regexes"] = _ONLY_HERE
    options.update(changes)
    tf.profiler.profile(cmd=changes.get("cmd", "code"), options=options)
    if not path.exists():
        return None
    return profile_pb2.Profile.FromString(gzip.decompress(path.read_bytes()))


def samples(profile: Any) -> dict[str, tuple[list[str], list[int]]]:
    """{node: (its stack, innermost first, with lines from that of the fixture; its values)}."""
    texts = profile.string_table
    functions = {function.id: texts[function.name] for function in profile.function}
    first = min(line.line for place in profile.location for line in place.line)
    places = {
        place.id: f"{functions[place.line[0].function_id]}@{place.line[0].line - first}"
        for place in profile.location
    }
    return {
        texts[sample.label[0].str]: (
            [places[number] for number in sample.location_id],
            list(sample.value),
        )
        for sample in profile.sample
    }


def test_each_node_is_a_sample_with_its_calls(tmp_path: Path) -> None:
    profile = written(tmp_path / "profile.gz")
    found = samples(profile)
    # A location is a function at the line that calls it, as in profiles of TensorFlow.
    assert found["y"] == (["test_pprof:net@3"], [1, 48])
    assert found["w"] == (["test_pprof:inner@0", "test_pprof:net@3"], [1, 0])
    assert found["gradients/y_grad/MatMul_1"] == (["test_pprof:net (gradient)@3"], [1, 48])
    texts = profile.string_table
    assert texts[0] == ""
    kinds = [(texts[kind.type], texts[kind.unit]) for kind in profile.sample_type]
    assert kinds == [("count", "count"), ("float_ops", "count")]
    (net,) = [f for f in profile.function if texts[f.name] == "test_pprof:net"]
    assert Path(texts[net.filename]).name == "test_pprof.py" and net.start_line > 0


@pytest.mark.parametrize(
    ("attribute", "unit"),
    [("micros", "microseconds"), ("peak_bytes", "bytes"), ("params", "count")],
)
def test_units(tmp_path: Path, attribute: str, unit: str) -> None:
    profile = written(tmp_path / "profile.gz", attribute)
    assert profile.string_table[profile.sample_type[1].unit] == unit
    assert samples(profile)["w"][1] == [1, 12 if attribute == "params" else 0]


def test_trimmed_lines_and_other_types_are_left_out(tmp_path: Path) -> None:
    trimmed = written(tmp_path / "a", trim_name_regexes=[r".*:inner.*"])
    assert samples(trimmed)["w"][0] == ["test_pprof:net@0"]
    products = written(tmp_path / "b", account_type_regexes=["MatMul"])
    assert set(samples(products)) == {"y", "gradients/y_grad/MatMul_1", "gradients/y_grad/MatMul"}


@pytest.mark.parametrize(
    ("view", "select", "text"),
    [
        ("scope", ["float_ops"], "Only 'code' view supports pprof output now.\n"),
        ("op", ["float_ops"], "Only 'code' view supports pprof output now.\n"),
        ("code", ["float_ops", "params"], "Can only select 1 attribute for pprof output.\n"),
        ("code", ["op_types"], "pprof doesn't support -select=op_types\n"),
    ],
)
def test_what_cannot_be_written(
    tmp_path: Path, capsys: Any, view: str, select: list[str], text: str
) -> None:
    path = tmp_path / "profile.gz"
    options = builder().select(select).with_pprof_output(str(path)).build()
    tf.profiler.profile(cmd=view, options=options)
    assert capsys.readouterr().err == text
    assert not path.exists()
