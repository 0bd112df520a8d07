"""Public functions with bad arguments end in errors for callers (see `api/fuzz_api.py`)."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

import headwater as tf

_PATH = Path(__file__).parent / "api" / "fuzz_api.py"
_spec = importlib.util.spec_from_file_location("fuzz_api", _PATH)
fuzz_api = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fuzz_api)


def slice_of(seed: str, count: int) -> list[str]:
    return random.Random(seed).sample(fuzz_api.mutated_calls(seed, 1), count)


def test_a_slice_of_the_fuzzer():
    assert list(fuzz_api.faults(slice_of("slice", 300))) == []


# The same on a larger scale.
@pytest.mark.slow
def test_a_large_slice_of_the_fuzzer():
    assert list(fuzz_api.faults(slice_of("large slice", 4000))) == []


def test_faults_are_found():
    calls = {
        "1 // 0": "ZeroDivisionError",
        "[][0]": "IndexError",
        "{}['a']": "KeyError",
        "b'\\xff'.decode()": "UnicodeDecodeError",
        "__import__('os')._exit(3)": "crash",
        "tf.stack(1, axis=2**70)": None,
        "tf.TensorShape([])[1]": None,
        "tf.zeros([2])": None,
        "tf.log(tensor('float32', [None, 2]))": None,
    }
    found = {call: outcome[0] for call, outcome in fuzz_api.faults(list(calls))}
    assert found == {call: kind for call, kind in calls.items() if kind is not None}


def test_mutants_are_calls_of_the_same_function_and_depend_on_the_seed_only():
    source = "tf.add(x=[1, 2], y=tensor('int32', [2]), name='a')"
    first, again, other = (
        list(fuzz_api.mutations.mutants(source, seed, 20)) for seed in ("a", "a", "b")
    )
    assert first == again
    assert first != other
    assert all(mutant.startswith("tf.add(") for mutant in first)
    assert len(set(first)) > 15


@pytest.mark.parametrize(
    "name", ["concat", "nn.conv2d", "raw_ops.MatMul", "train.AdamOptimizer", "contrib.rnn.LSTMCell"]
)
def test_functions_of_all_parts_have_calls(name):
    assert fuzz_api.recorded_calls()[name]


def test_recorded_calls_are_of_public_names():
    def exists(name):
        value = tf
        for part in name.split("."):
            value = getattr(value, part)
        return True

    assert all(map(exists, fuzz_api.recorded_calls()))
