"""Makes graph_exchange.json.gz: GraphDefs of several releases and of Headwater, and what they give.

python -m headwater run tests/golden/make_graph_exchange.py        writes Headwater's GraphDefs
ORACLE/bin/python tests/golden/make_graph_exchange.py              writes those of a TensorFlow, and
                                                                  what it gets from Headwater's
"""

import base64
import gzip
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
import tensorflow as tf  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import exchange_nets  # noqa: E402

TARGET = HERE / "graph_exchange.json.gz"
table = {}
if TARGET.exists():
    table = json.loads(gzip.decompress(TARGET.read_bytes()).decode())
ours = "headwater" in sys.modules
release = "headwater" if ours else tf.__version__


def plain(found):
    """Returns arrays as lists."""
    return [[value.tolist() for value in values] for values in found]


for name, net in exchange_nets.NETS.items():
    with tf.Graph().as_default() as graph:
        parts = net(tf)
        graph_def = graph.as_graph_def()
    text = base64.b64encode(graph_def.SerializeToString()).decode()
    entry = table.setdefault(release, {}).setdefault(name, {})
    entry["graph_def"] = text
    if ours:
        continue
    entry["values"] = plain(exchange_nets.outcome(tf, graph_def, *parts))
    if release.startswith("1.15"):
        theirs = table["headwater"][name]
        read = tf.GraphDef.FromString(base64.b64decode(theirs["graph_def"]))
        theirs["values"] = plain(exchange_nets.outcome(tf, read, *parts))
with TARGET.open("wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as file:
    file.write(json.dumps(table, sort_keys=True).encode())
print(release, sorted(table))
