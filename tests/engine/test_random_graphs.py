from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf

GOLDEN = Path(__file__).parents[1] / "golden"
_spec = importlib.util.spec_from_file_location("random_graphs", GOLDEN / "make_random_graphs.py")
random_graphs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(random_graphs)


def run(seed, nodes, mode):
    """The results of a random graph: mode 1 compiles at once, -1 interprets."""
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = mode
    with tf.Graph().as_default():
        graph = random_graphs.build(tf, seed, nodes)
        with tf.Session(config=config) as session:
            return random_graphs.results(session, graph)


def assert_equal(values, others):
    assert [v.dtype for v in values] == [v.dtype for v in others]
    assert [v.shape for v in values] == [v.shape for v in others]
    for value, other in zip(values, others):
        np.testing.assert_allclose(value, other, rtol=2e-4, atol=2e-5)


ALL = range(random_graphs.SEEDS)


@pytest.mark.parametrize(
    ("seed", "mode"), [*((seed, -1) for seed in ALL), *((seed, 1) for seed in ALL[::6])]
)
def test_results_are_those_of_tensorflow(seed, mode):
    values = run(seed, 40 + 160 * seed // random_graphs.SEEDS, mode)
    with np.load(GOLDEN / "random_graphs.npz") as golden:
        for kind in "if":
            found = np.concatenate([v.ravel() for v in values if v.dtype.kind == kind])
            np.testing.assert_allclose(found, golden[f"{kind}{seed}"], rtol=2e-4, atol=2e-5)


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1), st.integers(30, random_graphs.NODES))
def test_compiled_and_interpreted_results_are_equal(seed, nodes):
    assert_equal(run(seed, nodes, -1), run(seed, nodes, 1))
