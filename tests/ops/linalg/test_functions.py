"""Functions of linear algebra make the nodes, shapes, values and errors of TensorFlow 1.15."""

from __future__ import annotations

import gzip
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.io.tensor_proto import make_ndarray

GOLDEN = Path(__file__).parents[2] / "golden"
ANSWERS = json.loads(gzip.decompress((GOLDEN / "linalg.json.gz").read_bytes()))


@pytest.fixture(scope="module")
def runner() -> Any:
    spec = importlib.util.spec_from_file_location("make_array", GOLDEN / "make_array.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.make_ndarray = make_ndarray
    return module.Runner(tf)


def assert_same_values(found: Any, wanted: Any, rtol: float = 1e-4) -> None:
    if wanted is None:
        assert found is None
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            assert_same_values(one, other, rtol)
    else:
        assert (found["dtype"], found["shape"]) == (wanted["dtype"], wanted["shape"])
        if wanted["dtype"].startswith(("float", "complex")):
            np.testing.assert_allclose(found["data"], wanted["data"], rtol=rtol, atol=1e-6)
        else:
            assert found["data"] == wanted["data"]


@pytest.mark.parametrize(
    ("family", "wanted"),
    [
        pytest.param(family, answer, id=f"{family}: {answer['case']}")
        for family, answers in ANSWERS.items()
        for answer in answers
    ],
)
def test_the_result_is_that_of_tensorflow(runner: Any, family: str, wanted: dict[str, Any]) -> None:
    found = runner.run(wanted["case"])
    if "error" in wanted:
        assert found.get("error", ["no error"])[0] == wanted["error"][0], found.get("error")
        assert found["error"][1].startswith(wanted["error"][1])
    else:
        assert "error" not in found
    # Nodes that a call has made before it fails do not matter.
    if "made" in wanted and family != "values":
        # As text, in which one NaN is like another.
        assert json.dumps(found["nodes"]) == json.dumps(wanted["nodes"])
        assert found["made"] == wanted["made"]
    if "values" in wanted:
        assert_same_values(found["values"], wanted["values"])


@pytest.mark.parametrize("axis", [(0, 1), (-2, -1), (2, 0), (-1, 1)])
@pytest.mark.parametrize("order", [1, 2, np.inf, "fro", "euclidean"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_matrix_norms_of_a_tensor_of_unknown_rank(axis: Any, order: Any, keepdims: bool) -> None:
    x = np.random.RandomState(0).randn(3, 4, 2).astype(np.float32)
    given = tf.placeholder(tf.float32)
    with tf.Session() as session:
        found = session.run(tf.norm(given, order, axis, keepdims), {given: x})
    name = "fro" if order == "euclidean" else order
    wanted = np.linalg.norm(x, name, axis, keepdims=keepdims)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3, np.inf, "euclidean"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_vector_norms_of_a_tensor_of_unknown_rank(axis: Any, order: Any) -> None:
    x = np.random.RandomState(0).randn(3, 4).astype(np.float32)
    given = tf.placeholder(tf.float32)
    with tf.Session() as session:
        found = session.run(tf.norm(given, order, axis), {given: x})
    vectors = x.ravel() if axis is None else x
    wanted = np.linalg.norm(vectors, None if order == "euclidean" else order, axis)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
