"""Records what TensorFlow 1.15.5 makes of the graphs in cases.py: run it in its interpreter."""

import gzip
import io
import json
from pathlib import Path

import tensorflow as tf
from cases import CASES
from google.protobuf import text_format
from tensorflow.tools.graph_transforms import TransformGraph

HERE = Path(__file__).parent


def outcome(graph_def, inputs, outputs, transforms):
    try:
        result = TransformGraph(graph_def, inputs, outputs, transforms)
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}
    return {"graph": text_format.MessageToString(result)}


def main():
    golden = {}
    for name, (build, calls) in CASES.items():
        with tf.Graph().as_default() as graph:
            others = build(tf)
        graph_def = graph.as_graph_def()
        graph_def.node.extend(others or [])
        golden[name] = {
            "graph": text_format.MessageToString(graph_def),
            "calls": [[*call, outcome(graph_def, *call)] for call in calls],
        }
    data = json.dumps(golden, indent=1).encode()
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, buffer, 0) as packed:
        packed.write(data)
    (HERE / "golden.json.gz").write_bytes(buffer.getvalue())


if __name__ == "__main__":
    main()
