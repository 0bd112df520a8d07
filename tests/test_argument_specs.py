"""What libraries see of public functions is what TensorFlow 1.15.5 shows of its own.

Where a decorated function of TensorFlow shows `*args, **kwargs` to `inspect.getfullargspec`, ours
shows the parameters below the decorator, as `tf_inspect` and `inspect.signature` do in both.
"""

from __future__ import annotations

import gzip
import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import headwater as tf
from headwater.base import namespace
from headwater.base.export import EXPORTS
from headwater.base.signatures import signature
from headwater.compat.internals.inspection import getfullargspec

GOLDEN = Path(__file__).parent / "golden"

_script = importlib.util.spec_from_file_location("specs", GOLDEN / "make_argument_specs.py")
make_argument_specs = importlib.util.module_from_spec(_script)
_script.loader.exec_module(make_argument_specs)
text_of = make_argument_specs.text_of

SPECS = dict(
    line.split("\t")
    for line in gzip.decompress((GOLDEN / "argument_specs-1.15.5.tsv.gz").read_bytes())
    .decode()
    .splitlines()
)

# Name, or the beginning of names: why its parameters differ from those of TensorFlow.
OTHER_SPECS = {
    "tf.compat.v2.keras.applications.": "TensorFlow shows a wrapper",
    "tf.compat.v2.keras.backend.name_scope": "the class of tf",
    **dict.fromkeys(
        (
            f"tf.contrib.{package}.{name}"
            for package in ("layers", "slim")
            for name in (
                "elu linear recompute_grad relu relu6 sequence_input_from_feature_columns".split()
            )
        ),
        "TensorFlow shows a wrapper",
    ),
    "tf.contrib.slim.queues.QueueRunners": "TensorFlow shows a wrapper",
    "tf.keras.applications.": "TensorFlow shows a wrapper",
    "tf.raw_ops.ImageSummary": "bad_color is an array, not a TensorProto",
    "tf.train.NewCheckpointReader": "a class",
}


# Those that end with a dot.
OTHER_BEGINNINGS = tuple(name for name in OTHER_SPECS if name.endswith("."))


def found(name: str) -> Any:
    """The object under a public name, or None."""
    value = tf
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def compared() -> Iterator[tuple[str, Any, str]]:
    """Yields (name, function, parameters in TensorFlow)."""
    for name, expected in SPECS.items():
        function = found(name)
        # What absl defines is as the installed absl-py has it.
        of_absl = str(getattr(function, "__module__", "")).startswith("absl")
        differs = name in OTHER_SPECS or name.startswith(OTHER_BEGINNINGS)
        if function is not None and not of_absl and not differs:
            yield name, function, expected


def spec_of_signature(function: Any) -> inspect.FullArgSpec:
    """What `inspect.signature` shows, as a FullArgSpec."""

    def stand_in() -> None: ...

    stand_in.__signature__ = inspect.signature(function)
    return inspect.getfullargspec(stand_in)


@pytest.mark.parametrize("read", [inspect.getfullargspec, getfullargspec, spec_of_signature])
def test_argument_specs_are_those_of_the_release(read):
    shown = {name: (read(function), expected) for name, function, expected in compared()}
    assert len(shown) > 3000
    differ = {
        name: (text_of(spec), expected)
        for name, (spec, expected) in shown.items()
        if text_of(spec) != expected
    }
    assert differ == {}
    assert [name for name, (spec, _) in shown.items() if spec.annotations] == []


def test_every_exception_is_one():
    for beginning in OTHER_BEGINNINGS:
        shown = {text for name, text in SPECS.items() if name.startswith(beginning)}
        assert shown == {"*args, **kwargs"}
    for name in OTHER_SPECS.keys() - set(OTHER_BEGINNINGS):
        function = found(name)
        assert function is not None
        assert (
            isinstance(function, type) or text_of(inspect.getfullargspec(function)) != SPECS[name]
        )


def test_public_functions_have_no_annotations():
    namespace.import_everything()
    functions = {n: f for n, f in EXPORTS.items() if inspect.isfunction(f)}
    assert len(functions) > 1000
    annotated = [n for n, f in functions.items() if inspect.getfullargspec(f).annotations]
    assert annotated == []


def test_functions_accept_the_parameters_that_they_show():
    for name, function, _ in compared():
        inner = inspect.unwrap(function)
        if name.startswith(("tf.compat.v2.", "tf.raw_ops.")) or not inspect.isfunction(inner):
            continue
        code = inner.__code__
        if code.co_flags & inspect.CO_VARKEYWORDS:
            continue
        accepted = code.co_varnames[: code.co_argcount]
        shown = [p.name for p in inspect.signature(function).parameters.values() if p.kind == 1]
        assert tuple(shown) == accepted[: len(shown)], name


def test_a_stated_signature_is_what_inspect_shows():
    @signature("x, size=[1, 1], name=None")
    def scaled(x, size=None, name=None, older_size=None):
        return x, size, older_size

    spec = inspect.getfullargspec(scaled)
    assert spec == inspect.FullArgSpec(
        ["x", "size", "name"], None, None, ([1, 1], None), [], None, {}
    )
    assert scaled(1, older_size=2) == (1, None, 2)
