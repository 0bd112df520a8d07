"""Drawings of graphs: what they say of nodes and edges, and the page that shows them."""

import html
import json
import re
import sys
import types

import numpy as np
import pytest

import headwater as tf
from headwater.graph.drawing.description import describe, shape_text
from headwater.graph.drawing.page import GraphDrawing


@pytest.fixture
def graph():
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        with tf.name_scope("layer"), tf.device("/cpu:0"):
            weights = tf.constant(np.arange(300, dtype=np.float32).reshape(3, 100), name="weights")
            product = tf.matmul(x, weights, name="product")
        with tf.control_dependencies([product]):
            tf.add(x, x, name="twice")
    return graph


def description_in(page):
    text = re.search(r'<script id="description" type="application/json">(.*?)</script>', page, re.S)
    return json.loads(text.group(1))


def test_nodes_have_types_shapes_devices_and_short_attrs(graph):
    nodes = {node["name"]: node for node in describe(graph)["nodes"]}
    assert list(nodes) == ["x", "layer/weights", "layer/product", "twice"]
    assert nodes["layer/product"] == {
        "name": "layer/product",
        "op": "MatMul",
        "device": "/device:CPU:0",
        "outputs": ["float32 ?×100"],
        "attrs": {"T": "float32", "transpose_a": "False", "transpose_b": "False"},
    }
    # A constant is stripped to its type, shape and first elements.
    assert nodes["layer/weights"]["attrs"]["value"] == "float32 3×100: [[0 1 2 3 4 5 6 7...]...]"


def test_edges_are_data_and_control_edges_once(graph):
    assert describe(graph)["edges"] == [(0, 2, 0), (1, 2, 0), (0, 3, 0), (2, 3, -1)]


@pytest.mark.parametrize(
    ("shape", "text"), [(None, "?"), ((), "scalar"), ((2, None), "2×?"), ((7,), "7")]
)
def test_shapes_on_edges(shape, text):
    assert shape_text(shape) == text


def test_times_and_devices_are_those_of_the_traced_run(graph):
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(
            ["layer/product:0", "twice:0"],
            {"x:0": np.ones((2, 3))},
            options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
            run_metadata=metadata,
        )
    described = describe(graph, metadata)
    assert described["measured"]
    product = next(node for node in described["nodes"] if node["name"] == "layer/product")
    assert product["device"] == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert product["time"] >= 0


def test_the_page_needs_no_network(graph, tmp_path):
    GraphDrawing(graph).save(str(tmp_path / "graph.html"))
    page = (tmp_path / "graph.html").read_text(encoding="utf-8")
    assert json.loads(json.dumps(describe(graph))) == description_in(page)
    assert not re.search(r"""(src|href)\s*=\s*["']""", page)
    assert "dagre" in page and "$" + "layout" not in page


def test_texts_of_a_graph_cannot_break_out_of_the_page():
    graph = tf.Graph()
    with graph.as_default():
        tf.constant("</script><script>alert('&quot;$style')</script>")
    page = GraphDrawing(graph).html()
    assert page.count("</script>") == 3
    value = description_in(page)["nodes"][0]["attrs"]["value"]
    assert "</script><script>alert(" in value and "&quot;$style" in value


def test_a_graph_is_the_value_of_a_cell(graph):
    frame = graph._repr_html_()
    srcdoc = re.search(r'srcdoc="([^"]*)"', frame).group(1)
    assert html.unescape(srcdoc) == GraphDrawing(graph).html()


def test_a_graph_def_is_drawn_with_shapes(graph):
    page = tf.show_graph(graph.as_graph_def()).html()
    outputs = [node.get("outputs") for node in description_in(page)["nodes"]]
    assert outputs[2] == ["float32 ?×100"]


def test_a_notebook_shows_the_drawing_at_once(graph, monkeypatch):
    shown = []
    ipython = types.SimpleNamespace(
        get_ipython=object, display=types.SimpleNamespace(display=shown.append)
    )
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    with graph.as_default():
        assert tf.show_graph(height=300) is None
    assert "height:300px" in shown[0]._repr_html_()
