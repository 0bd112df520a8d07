"""Loops, branches and their gradients as releases of TensorFlow wrote them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

GOLDEN = Path(__file__).parent.parent / "golden"
RELEASES = ("0.12.1", "1.0.0", "1.15.5")
# The values that all three releases give, printed by make_control_flow_graphs.py.
EXPECTED = {
    True: ([1.3203125, 2.2593154907], [1.609375, 5.4830083847]),
    False: ([0.0311484989, 0.7511026859], [0.4347022772, 5.7232260704]),
}


def graph_def_of(release):
    data = (GOLDEN / f"control_flow_graph-{release}.pb.gz").read_bytes()
    return tf.GraphDef.FromString(gzip.decompress(data))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("decision", [True, False])
def test_a_graph_of_loops_and_branches_gives_the_values_of_the_original(release, decision):
    tf.import_graph_def(graph_def_of(release), name="")
    feed = {"x:0": [0.5, 0.8], "p:0": decision, "k:0": 2}
    with tf.Session() as session:
        for _ in range(2):
            out, gradient, stacked = session.run(["out:0", "gradient:0", "stacked:0"], feed)
    np.testing.assert_allclose(out, EXPECTED[decision][0], rtol=1e-5)
    np.testing.assert_allclose(gradient, EXPECTED[decision][1], rtol=1e-5)
    np.testing.assert_allclose(stacked, [[0.0, 0.0], [0.5, 0.8], [1.0, 1.6]], rtol=1e-6)


@pytest.mark.parametrize("release", RELEASES)
def test_an_imported_graph_is_exported_with_the_same_nodes(release):
    graph_def = graph_def_of(release)
    tf.import_graph_def(graph_def, name="")
    exported = {node.name: node for node in tf.get_default_graph().as_graph_def().node}
    assert len(exported) == len(graph_def.node)
    for node in graph_def.node:
        assert exported[node.name].op == node.op
        assert list(exported[node.name].input) == list(node.input)
        for key in ("T", "N", "frame_name", "is_constant", "parallel_iterations", "_class"):
            if key in node.attr:
                assert exported[node.name].attr[key] == node.attr[key]
