"""Importing a GraphDef of 20,000 nodes."""

import timing
import tensorflow as tf

NODES = 20000

graph_def = tf.GraphDef()
first = graph_def.node.add(name="node0", op="Placeholder")
first.attr["dtype"].type = tf.float32.as_datatype_enum
for index in range(1, NODES):
    node = graph_def.node.add(name="node%d" % index, op="Add")
    node.input.extend(["node%d" % (index - 1), "node%d" % (index // 2)])
    node.attr["T"].type = tf.float32.as_datatype_enum


def read():
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        return graph


timing.once(read, "import_graph_def", check=lambda: len(read().get_operations()))
