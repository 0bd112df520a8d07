# case: nodes, inputs and types of an import
from google.protobuf import text_format
from tensorflow.python.framework import test_ops
def imported(text, **kw):
    graph_def = text_format.Parse("versions { producer: 134 } " + text, tf.GraphDef())
    return tf.import_graph_def(graph_def, **kw)
show(imported("""
node { name: 'A' op: 'IntOutputFloatOutput' }
node { name: 'B' op: 'ListOutput' attr { key: 'T' value { list { type: DT_INT32 type: DT_FLOAT } } } }
node { name: 'C' op: 'ListInput' attr { key: 'N' value { i: 2 } } attr { key: 'T' value { type: DT_INT32 } } input: 'A:0' input: 'B:0' }
node { name: 'D' op: 'ListInput' attr { key: 'N' value { i: 2 } } attr { key: 'T' value { type: DT_FLOAT } } input: 'A:1' input: 'B:1' }
""", return_elements=["A", "B", "C", "D"], name="import"))
# case: the same names again
from google.protobuf import text_format
from tensorflow.python.framework import test_ops
def imported(text, **kw):
    graph_def = text_format.Parse("versions { producer: 134 } " + text, tf.GraphDef())
    return tf.import_graph_def(graph_def, **kw)
two = "node { name: 'A' op: 'IntOutput' } node { name: 'B' op: 'IntInput' input: 'A:0' }"
for name in ("", "", "", "A", "A/", "A/"):
    show(imported(two, return_elements=["A", "B"], name=name))
show(imported("node { name: 'A_1' op: 'IntOutput' } node { name: 'B_1' op: 'IntInput' input: 'A_1:0' }", return_elements=["A_1", "B_1"], name=""))
with tf.name_scope("foo"):
    tf.constant(1)
show(imported("node { name: 'foo' op: 'IntOutput' }", return_elements=["foo"], name=""))
with tf.name_scope("outer"):
    with tf.name_scope("inner"):
        tf.constant(1, name="c")
show(imported("node { name: 'outer' op: 'IntOutput' } node { name: 'inner' op: 'IntOutput' } node { name: 'c' op: 'IntOutput' } node { name: 'outer/inner' op: 'IntOutput' } node { name: 'outer/inner/c' op: 'IntOutput' }", return_elements=["outer", "inner", "c", "outer/inner", "outer/inner/c"], name=""))
with tf.name_scope("s"):
    show(imported(two, return_elements=["A", "B"]))
    show(imported(two, return_elements=["A"], name=""))
    show(imported(two, return_elements=["A"], name="t"))
show(tf.constant(1, name="import"), tf.constant(1, name="A"))
nodes()
# case: input maps
from google.protobuf import text_format
from tensorflow.python.framework import test_ops
def imported(text, **kw):
    graph_def = text_format.Parse("versions { producer: 134 } " + text, tf.GraphDef())
    return tf.import_graph_def(graph_def, **kw)
zero, one = tf.constant(0), tf.constant(1)
text = """
node { name: 'A' op: 'TwoIntOutputs' } node { name: 'B' op: 'TwoIntOutputs' }
node { name: 'C' op: 'ListInput' attr { key: 'N' value { i: 2 } } attr { key: 'T' value { type: DT_INT32 } } input: 'A:0' input: 'B:0' }
node { name: 'D' op: 'ListInput' attr { key: 'N' value { i: 2 } } attr { key: 'T' value { type: DT_INT32 } } input: 'A:1' input: 'B:1' }
"""
show(imported(text, input_map={"A:0": zero, "B:1": one}, return_elements=["A", "B", "C", "D"]))
show(imported(text, input_map={b"A:0": zero, b"B:1": one}, return_elements=[b"A", b"B", b"C", b"D"]))
show(imported(text, input_map={"A": zero}, return_elements=["A:0", "A", "A:1", "C"]))
show(imported("node { name: 'A' op: 'TwoIntOutputs' } node { name: 'B' op: 'IntInput' input: 'A' }", return_elements=["B"]))
show(imported("node { name: 'A' op: 'TwoIntOutputs' } node { name: 'B' op: 'IntInput' input: 'A:0' }", input_map={"A": zero}, return_elements=["B"]))
show(imported("node { name: 'B' op: 'FloatInput' input: 'A:0' }", input_map={"A:0": tf.constant(5.0)}, return_elements=["B"]))
show(imported("node { name: 'A' op: 'IntOutput' }", input_map={"A:0": tf.constant(5.0)}))
nodes()
# case: maps and elements that do not fit
from google.protobuf import text_format
from tensorflow.python.framework import test_ops
def imported(text, producer=134, min_consumer=0, **kw):
    graph_def = text_format.Parse("versions { producer: %d min_consumer: %d } " % (producer, min_consumer) + text, tf.GraphDef())
    return tf.import_graph_def(graph_def, **kw)
A = "node { name: 'A' op: 'IntOutput' } "
calls = [
    lambda: imported(A + "node { name: 'B' op: 'FloatInput' input: 'A:0' }"),
    lambda: imported(A + "node { name: 'B' op: 'None' input: 'A:0' }"),
    lambda: imported(A + "node { name: 'B' op: 'IntInputFloatInput' input: 'A:0' }"),
    lambda: imported("node { name: 'B' op: 'FloatInput' input: 'A:0' }"),
    lambda: imported("node { name: 'A' op: 'FloatOutput' } node { name: 'B' op: 'FloatInput' input: 'A:1' }"),
    lambda: imported("node { name: 'B' op: 'None' input: '^A' }"),
    lambda: imported("node { name: 'B' op: 'None' input: 'A:B' }"),
    lambda: imported("node { name: 'B' op: 'None' input: 'A:B:0' }"),
    lambda: imported("node { name: 'A' op: 'None' }", return_elements=["B"]),
    lambda: imported(A, return_elements=["A:1"]),
    lambda: imported(A, return_elements=["B:0"]),
    lambda: imported(A, return_elements=["A:B:0"]),
    lambda: imported(A, return_elements=["A:x"]),
    lambda: imported("", return_elements=["a:b:c"]),
    lambda: imported("node { name: 'A' op: 'None' }", input_map={"B:0": tf.constant(5.0)}),
    lambda: imported(A, input_map={"A:2": tf.constant(5.0)}),
    lambda: imported(A + "node { name: 'B' op: 'IntInput' input: 'A:0' }", input_map={"A:0": tf.constant(5.0)}),
    lambda: imported("node { name: 'B' op: 'None' attr { key: '_class' value { list { s: 'loc:@A' } } } }", return_elements=["B"]),
    lambda: tf.import_graph_def(""),
    lambda: tf.import_graph_def(3),
    lambda: imported("", input_map=[tf.constant(5.0)]),
    lambda: imported("", input_map={1: tf.constant(5.0)}),
    lambda: imported("", return_elements=[7]),
    lambda: imported("", return_elements=7),
    lambda: imported(A + "node { name: 'B' op: 'IntOutput' } " + A),
    lambda: imported("", producer=-1),
    lambda: imported("", min_consumer=1 << 30),
    lambda: imported("node { name: 'A' op: 'NoSuchOp' }"),
    lambda: imported("node { name: 'A' op: 'Attr' }"),
    lambda: imported("node { name: 'A' op: 'IntOutput' attr { key: 'x' value { i: 1 } } }"),
    lambda: imported("node { name: 'A' op: 'AttrMin' attr { key: 'a' value { i: 1 } } }"),
    lambda: imported("node { name: 'A' op: 'AttrEnum' attr { key: 'a' value { s: 'plums' } } }"),
    lambda: imported("node { name: 'A' op: 'Attr' attr { key: 'a' value { s: 'x' } } }"),
    lambda: imported("node { name: 'A' op: 'Restrict' attr { key: 'T' value { type: DT_INT32 } } }"),
    lambda: imported("node { name: '-A' op: 'IntOutput' }"),
    lambda: imported("node { name: 'A b' op: 'IntOutput' }"),
    lambda: imported("node { name: 'A' op: 'IntInputIntOutput' input: 'B' } node { name: 'B' op: 'IntInputIntOutput' input: 'A' }"),
    lambda: imported("node { name: 'A' op: 'IntInputIntOutput' input: 'A' }"),
    lambda: imported("node { name: 'A' op: 'Old' }", producer=134),
    lambda: imported("node { name: 'A' op: 'RequiresOlderGraphVersion' }", producer=134),
    lambda: imported("node { name: 'A' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } node { name: 'i' op: 'Identity' input: 'A' attr { key: 'T' value { type: DT_FLOAT } } }", input_map={"A:0": tf.Variable(5.0)}, name=""),
    lambda: imported(A, return_elements=["A"], input_map={"A:0": 5}, name="x"),
    lambda: imported("node { name: 'A' op: 'FloatOutput' } node { name: 'B' op: 'L2Loss' input: 'A:0' attr { key: 'T' value { type: DT_FLOAT } } attr { key: '_output_shapes' value { list { shape { dim { size: 43 } } } } } }", return_elements=["B:0"]),
    lambda: imported("node { name: 'A' op: 'None' input: '^B' input: 'C' } node { name: 'B' op: 'None' } " ),
    lambda: imported("node { name: 'C' op: 'IntOutput' } node { name: 'B' op: 'None' } node { name: 'A' op: 'IntInput' input: '^B' input: 'C' }" ),
]
for i, call in enumerate(calls):
    tf.reset_default_graph()
    try:
        print(i, end=" ")
        show(call())
    except Exception as error:
        text = str(error).replace("TensorFlow 1.15.5", "TensorFlow 1.15.0").split(" in binary running on ")[0]
        print(type(error).__name__, " | ".join(text.splitlines()))
# case: versions of graphs
from google.protobuf import text_format
from tensorflow.python.framework import test_ops, versions
def imported(text, producer=134, min_consumer=0, **kw):
    graph_def = text_format.Parse("versions { producer: %d min_consumer: %d } " % (producer, min_consumer) + text, tf.GraphDef())
    return tf.import_graph_def(graph_def, **kw)
print(versions.GRAPH_DEF_VERSION, versions.GRAPH_DEF_VERSION_MIN_CONSUMER, versions.GRAPH_DEF_VERSION_MIN_PRODUCER)
for producer in (0, 67, 134, 140):
    for min_consumer in (0, 67, 134):
        tf.reset_default_graph()
        a, = imported("node { name: 'A' op: 'TwoIntOutputs' }", producer=producer, min_consumer=min_consumer, return_elements=["A"])
        print(str(a.graph.graph_def_versions).split())
imported("", producer=3, min_consumer=1)
imported("node { name: 'A' op: 'RequiresOlderGraphVersion' }", producer=2)
show(tf.GraphDef.FromString(tf.get_default_graph().as_graph_def().SerializeToString()).versions.producer)
# case: attrs of an import
from google.protobuf import text_format
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import test_ops
def imported(text, **kw):
    graph_def = text_format.Parse("versions { producer: 134 } " + text, tf.GraphDef())
    return tf.import_graph_def(graph_def, **kw)
a, = imported("node { name: 'A' op: 'OpWithDefaultAttr' }", return_elements=["A"])
print(a.get_attr("default_float"), sorted(a.node_def.attr))
op_list = text_format.Parse("op { name: 'OpWithFutureDefaultAttr' attr { name: 'default_int' type: 'int' default_value { i: 456 } } }", op_def_pb2.OpList())
a, = imported("node { name: 'A' op: 'OpWithFutureDefaultAttr' attr { key: 'default_int' value { i: 456 } } }", return_elements=["A"], producer_op_list=op_list)
try:
    a.get_attr("default_int")
except ValueError as error:
    print(error)
a, = imported("node { name: 'A' op: 'DefaultAttrs' attr { key: '_x' value { i: 4 } } attr { key: '_y' value { list { i: 4 } } } }", return_elements=["A"])
for key in sorted(a.node_def.attr):
    print(key, " ".join(str(a.node_def.attr[key]).split()).replace("10.0", "10"))
for key in ("string_val", "string_list_val", "int_list_val", "float_list_val", "bool_list_val", "type_val", "type_list_val", "_x", "_y"):
    print(key, a.get_attr(key))
imported("node { name: 'A' op: 'OpWithFutureDefaultAttr' attr { key: 'default_int' value { i: 987 } } }", return_elements=["A"], producer_op_list=op_list)
# case: colocation of an import
from google.protobuf import text_format
from tensorflow.python.framework import test_ops
def parsed(text):
    return text_format.Parse("versions { producer: 134 } " + text, tf.GraphDef())
two = parsed("node { name: 'A' op: 'None' attr { key: '_class' value { list { s: 'loc:@A' } } } } node { name: 'B' op: 'None' attr { key: '_class' value { list { s: 'loc:@A' } } } }")
three = parsed("node { name: 'A' op: 'None' } node { name: 'B' op: 'None' } node { name: 'C' op: 'None' attr { key: '_class' value { list { s: 'loc:@A' s: 'loc:@B' } } } }")
def tell(*ops):
    for op in ops:
        print(op.name, repr(op.device), op.colocation_groups(), " ".join(str(op.node_def.attr["_class"]).split()))
for where in ("A", "B", "AB"):
    for graph_def, names in ((two, "AB"), (three, "ABC")):
        with tf.Graph().as_default():
            with tf.device(lambda op: "/device:%s:0" % op.name[-1] if op.name[-1] in where else ""):
                tell(*tf.import_graph_def(graph_def, return_elements=list(names), name="imported_graph"))
one = parsed("node { name: 'A' op: 'None' } node { name: 'B' op: 'None' attr { key: '_class' value { list { s: 'loc:@A' } } } }")
tell(*tf.import_graph_def(one, return_elements=["A", "B"], name=""))
tell(*tf.import_graph_def(one, return_elements=["A", "B"], name=""))
tell(*tf.import_graph_def(one, return_elements=["A", "B"], name="x"))
with tf.colocate_with(tf.constant(1, name="other")):
    tell(*tf.import_graph_def(one, return_elements=["A", "B"], name="y"))
# case: devices of an import
with tf.Graph().as_default() as g:
    tf.constant(3.0, name="a")
    with tf.device("/cpu:0"):
        tf.constant(4.0, name="b")
    with tf.device("/job:worker"):
        tf.constant(5.0, name="c")
from tensorflow.python.framework import device
for where in (None, "/task:0", "/job:ps", "/device:GPU:0"):
    with tf.Graph().as_default():
        with tf.device(device.merge_device(where) if where else None):
            print([op.device for op in tf.import_graph_def(g.as_graph_def(), return_elements=["a", "b", "c"])])
    with tf.Graph().as_default():
        with tf.device(where):
            print([op.device for op in tf.import_graph_def(g.as_graph_def(), return_elements=["a", "b", "c"])])
seen = []
with tf.Graph().as_default() as g:
    with tf.device("/job:ps"):
        a, b = tf.constant(1.0), tf.constant(1.0)
    _ = a + b
    _ = a - b
    tf.identity(a)
with tf.Graph().as_default(), tf.device(lambda op: seen.append((op.name, len(op.inputs))) or ""):
    tf.import_graph_def(g.as_graph_def())
print(seen)
# case: control dependencies, scopes and containers around an import
from google.protobuf import text_format
from tensorflow.python.framework import test_ops
graph_def = text_format.Parse("versions { producer: 134 } node { name: 'A' op: 'IntOutput' } node { name: 'B' op: 'IntInput' input: 'A' } node { name: 'C' op: 'None' input: '^A' input: '^B' }", tf.GraphDef())
c = tf.constant(1, name="c")
with tf.control_dependencies([c]):
    show(tf.import_graph_def(graph_def, return_elements=["A", "B", "C"]))
show(tf.import_graph_def(graph_def, return_elements=["A", "A:0", "A"]), tf.import_graph_def(graph_def, return_elements=()), tf.import_graph_def(graph_def, return_elements=[]), tf.import_graph_def(graph_def))
print(tf.get_default_graph().version)
tf.import_graph_def(tf.GraphDef())
print(tf.get_default_graph().version)
with tf.control_dependencies(tf.import_graph_def(graph_def, return_elements=["A"], name="z")):
    show(tf.no_op())
# case: gradients through an import
with tf.Graph().as_default() as g:
    x = tf.placeholder(tf.float32, [None, 100], name="input")
    w = tf.placeholder(tf.float32, [100, 10], name="weights")
    b = tf.placeholder(tf.float32, [10], name="biases")
    tf.reduce_mean(tf.nn.relu(tf.matmul(x, w) + b, name="activations"), name="loss")
x = tf.placeholder(tf.float32, [32, 100])
w, b = tf.Variable(tf.truncated_normal([100, 10]), name="weights"), tf.Variable(tf.zeros([10]), name="biases")
activations, loss = tf.import_graph_def(g.as_graph_def(), input_map={"input:0": x, "weights:0": w, "biases:0": b}, return_elements=["activations:0", "loss:0"])
show(activations, loss, tf.gradients(loss, [w, b]))
nodes()
