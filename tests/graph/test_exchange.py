"""GraphDefs go both ways between TensorFlow 0.12 to 1.15 and Headwater, with the same results.

The data are made by tests/golden/make_graph_exchange.py.
"""

from __future__ import annotations

import base64
import gzip
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf

GOLDEN = Path(__file__).parent.parent / "golden"
_spec = importlib.util.spec_from_file_location("exchange_nets", GOLDEN / "exchange_nets.py")
nets = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(nets)
TABLE = json.loads(gzip.decompress((GOLDEN / "graph_exchange.json.gz").read_bytes()))


def compare(found: Any, wanted: Any) -> None:
    for mine, theirs in zip(found, wanted, strict=True):
        for value, expected in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(value, np.array(expected), rtol=2e-5, atol=2e-6)


def read(entry: dict[str, Any]) -> Any:
    return tf.GraphDef.FromString(base64.b64decode(entry["graph_def"]))


@pytest.mark.parametrize("name", sorted(nets.NETS))
@pytest.mark.parametrize("release", sorted(set(TABLE) - {"headwater"}))
def test_graphs_of_tensorflow_give_the_same_here(release: str, name: str) -> None:
    with tf.Graph().as_default():
        parts = nets.NETS[name](tf)
    entry = TABLE[release][name]
    compare(nets.outcome(tf, read(entry), *parts), entry["values"])


@pytest.mark.parametrize("name", sorted(nets.NETS))
def test_our_graphs_give_the_same_in_tensorflow(name: str) -> None:
    with tf.Graph().as_default() as graph:
        parts = nets.NETS[name](tf)
    entry = TABLE["headwater"][name]
    # TensorFlow has run the graph that is made today.
    # Compared as text: protobuf 4 takes no NaN as equal to another.
    assert str(graph.as_graph_def()) == str(read(entry))
    compare(nets.outcome(tf, read(entry), *parts), entry["values"])


@pytest.mark.parametrize("name", sorted(nets.NETS))
def test_graphs_survive_being_read_and_written(name: str) -> None:
    graph_def = read(TABLE["1.15.5"][name])
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    written = {node.name: node for node in graph.as_graph_def().node}
    assert sorted(written) == sorted(node.name for node in graph_def.node)
    for node in graph_def.node:
        assert (written[node.name].op, list(written[node.name].input)) == (
            node.op,
            list(node.input),
        )
        for key, attr in node.attr.items():
            mine = written[node.name].attr[key]
            if attr.HasField("tensor"):
                np.testing.assert_array_equal(
                    tf.make_ndarray(mine.tensor), tf.make_ndarray(attr.tensor)
                )
            else:
                assert mine == attr, (node.name, key)
