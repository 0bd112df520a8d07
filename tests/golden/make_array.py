"""Writes array.json.gz: nodes, static shapes, values and errors of array functions in TensorFlow.

Run it under TensorFlow 1.15: `python make_array.py [family ...]`. The cases are the lines of
array_cases.txt: expressions in which `feed(value, shape)` is a placeholder that is fed this value.
"""

import gzip
import json
import re
import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent

# The function of the library under test; set by whoever runs the cases.
make_ndarray = None


def read_cases(path):
    """The cases by family: lines below ``[family]``; indented lines go on with the case above."""
    families = {}
    for line in path.read_text().splitlines():
        if line.startswith("["):
            cases = families.setdefault(line.strip("[]"), [])
        elif line.startswith(" "):
            cases[-1] += " " + line.strip()
        elif line and not line.startswith("#"):
            cases.append(line)
    return families


class Runner:
    """Builds and runs cases with a given TensorFlow."""

    def __init__(self, tf):
        self.tf = tf
        self.feeds = {}

    def names(self):
        """The names that the expressions may use."""

        def feed(value, shape="known", dtype=None):
            array = np.asarray(value, dtype)
            if dtype is None and array.dtype == np.float64:
                array = array.astype(np.float32)
            if dtype is None and array.dtype == np.int64:
                array = array.astype(np.int32)
            known = array.shape if shape == "known" else shape
            tensor = self.tf.placeholder(array.dtype, known)
            self.feeds[tensor] = array
            return tensor

        def gradient(function, *inputs):
            return self.tf.gradients(function(*inputs), list(inputs))

        def build(op_type, inputs, **attrs):
            return self.tf.get_default_graph().create_op(op_type, inputs, attrs=attrs).outputs

        return {"tf": self.tf, "np": np, "feed": feed, "gradient": gradient, "build": build}

    def run(self, case):
        """The result of one case: nodes, and values or the error."""
        self.feeds = {}
        graph = self.tf.Graph()
        result = {"case": case}
        with graph.as_default():
            try:
                made = eval(case, self.names())
            except Exception as error:
                result["error"] = [type(error).__name__, str(error)]
                made = None
        result["nodes"] = [node(op) for op in graph.get_operations()]
        if made is None:
            return result
        fetches = [t for t in flat(made) if t is not None]
        result["made"] = [described(t) for t in flat(made)]
        tensors = [t for t in fetches if hasattr(t, "op") or hasattr(t, "dense_shape")]
        if not tensors:
            return result
        with self.tf.Session(graph=graph) as session:
            try:
                values = session.run(tensors, self.feeds)
            except self.tf.errors.OpError as error:
                result["error"] = [type(error).__name__, error.message.split("\n\t [[")[0]]
            else:
                result["values"] = [plain(v) for v in flat(values)]
        return result


def flat(value):
    if isinstance(value, (list, tuple)) and not hasattr(value, "dense_shape"):
        return [item for part in value for item in flat(part)]
    return [value]


def described(value):
    if value is None:
        return None
    if hasattr(value, "dense_shape"):
        return [described(v) for v in (value.values, value.indices, value.dense_shape)]
    return getattr(value, "name", None) or repr(value)


def plain(value):
    """A value as JSON."""
    if value is None:
        return None
    if hasattr(value, "dense_shape"):
        return [plain(v) for v in (value.values, value.indices, value.dense_shape)]
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        data = [v if isinstance(v, str) else v.decode("latin1") for v in array.ravel().tolist()]
        return {"dtype": "string", "shape": list(array.shape), "data": data}
    data = array.ravel()
    if array.dtype.kind == "c":
        data = data.view(array.real.dtype)
    if array.dtype.name in ("float16", "bfloat16"):
        data = data.astype(np.float32)
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data.tolist()}


def node(op):
    """One node: type, name, inputs, control inputs, static shapes, attrs."""
    shapes = [
        None if t.shape.ndims is None else [d.value for d in t.shape.dims] for t in op.outputs
    ]
    attrs = {}
    for key, value in sorted(op.node_def.attr.items()):
        if key == "value":
            attrs[key] = op_value(op)
        elif not key.startswith("_") or key == "_class":
            attrs[key] = re.sub(r"^(f: -?\d+)\.0$", r"\1", " ".join(str(value).split()))
    inputs = [t.name for t in op.inputs]
    return [op.type, op.name, inputs, [c.name for c in op.control_inputs], shapes, attrs]


def op_value(op):
    proto = op.node_def.attr["value"].tensor
    count = int(np.prod([d.size for d in proto.tensor_shape.dim]))
    if count > 100:
        return f"{count} elements"
    return plain(make_ndarray(proto))


def usable(runner, case):
    """Whether TensorFlow survives the case: it rejects shapes that some wrong sizes lead to."""
    try:
        runner.run(case)
    except ValueError as error:
        print(f"left out: {case}: {error}")
        return False
    return True


def main(names):
    import tensorflow as tf

    globals()["make_ndarray"] = tf.make_ndarray
    tf.logging.set_verbosity(tf.logging.ERROR)
    runner = Runner(tf)
    families = read_cases(FOLDER / "array_cases.txt")
    path = FOLDER / "array.json.gz"
    results = json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}
    for family, cases in families.items():
        if not names or family in names:
            results[family] = [runner.run(case) for case in cases if usable(runner, case)]
    results = {family: results[family] for family in families if family in results}
    text = json.dumps(results, separators=(",", ":"))
    path.write_bytes(
        gzip.compress(text.encode(), mtime=0) if sys.version_info >= (3, 8) else _gz(text)
    )


def _gz(text):
    import io

    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as file:
        file.write(text.encode())
    return buffer.getvalue()


if __name__ == "__main__":
    main(sys.argv[1:])
