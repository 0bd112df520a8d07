"""Array functions make the nodes, shapes, values and errors of TensorFlow 1.15."""

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
ANSWERS = json.loads(gzip.decompress((GOLDEN / "array.json.gz").read_bytes()))


def load_make_array() -> Any:
    spec = importlib.util.spec_from_file_location("make_array", GOLDEN / "make_array.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.make_ndarray = make_ndarray
    return module


@pytest.fixture(scope="module")
def make_array() -> Any:
    return load_make_array()


def assert_same_values(found: Any, wanted: Any) -> None:
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            assert_same_values(one, other)
        return
    assert (found["dtype"], found["shape"]) == (wanted["dtype"], wanted["shape"])
    if wanted["dtype"] == "string" or not wanted["dtype"].startswith(("float", "complex")):
        assert found["data"] == wanted["data"]
    else:
        np.testing.assert_allclose(found["data"], wanted["data"], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("family", "wanted"),
    [
        pytest.param(family, answer, id=f"{family}: {answer['case']}")
        for family, answers in ANSWERS.items()
        for answer in answers
    ],
)
def test_the_result_is_that_of_tensorflow(
    make_array: Any, family: str, wanted: dict[str, Any]
) -> None:
    found = make_array.Runner(tf).run(wanted["case"])
    if "error" in wanted:
        assert found.get("error", ["no error"])[0] == wanted["error"][0], found.get("error")
        assert found["error"][1].startswith(wanted["error"][1])
    else:
        assert "error" not in found
    # Nodes that a call has made before it fails do not matter.
    if ("error" not in wanted or "made" in wanted) and family != "values":
        assert found["nodes"] == wanted["nodes"]
        assert found["made"] == wanted["made"]
    if "values" in wanted:
        assert_same_values(found["values"], wanted["values"])
