# case: parts, freezing and stripping
def attempt(f):
    try:
        print(f())
    except (TypeError, AssertionError) as e:
        print(type(e).__name__, e)
G = tf.graph_util
x = tf.placeholder(tf.float32, [2], name="x")
v = tf.Variable([1.0, 2.0], name="v")
r = tf.get_variable("r", [2], use_resource=True, initializer=tf.zeros_initializer())
y = tf.identity(tf.add(x, v, name="s"), name="i")
z = tf.add(y, r, name="z")
with tf.control_dependencies([y]):
    u = tf.identity(z, name="u")
d = tf.get_default_graph().as_graph_def()
attempt(lambda: [n.name for n in G.extract_sub_graph(d, ["z"]).node])
attempt(lambda: G.extract_sub_graph(d, "z"))
attempt(lambda: G.extract_sub_graph(d, ["nope"]))
attempt(lambda: G.extract_sub_graph(3, ["nope"]))
sess = tf.Session()
sess.run(tf.global_variables_initializer())
c = G.convert_variables_to_constants(sess, d, ["z"])
print([(n.name, n.op, list(n.input)) for n in c.node])
attempt(lambda: [(n.name, n.op) for n in G.convert_variables_to_constants(sess, d, ["z"], variable_names_blacklist=["v"]).node])
print([(n.name, n.op, list(n.input)) for n in G.remove_training_nodes(c).node])
print([(n.name, n.op, list(n.input)) for n in G.remove_training_nodes(c, protected_nodes=["i"]).node])
print(G.tensor_shape_from_node_def_name(tf.get_default_graph(), "z:0"))
with tf.Graph().as_default():
    z, = tf.import_graph_def(c, return_elements=["z:0"])
    with tf.Session() as other:
        show(other.run(z, {"import/x:0": [10.0, 20.0]}))
# case: a graph in a file
import os, tempfile
tf.constant(1.0, name="c")
folder = os.path.join(tempfile.mkdtemp(), "a", "b")
path = tf.train.write_graph(tf.get_default_graph(), folder, "g.pbtxt")
with open(path) as f:
    print(os.path.basename(path), f.read())
path = tf.train.write_graph(tf.get_default_graph().as_graph_def(), folder, "g.pb", as_text=False)
with open(path, "rb") as f:
    print(tf.GraphDef.FromString(f.read()) == tf.get_default_graph().as_graph_def())
# case: freezing graphs
from tensorflow.python.framework import graph_util
x = tf.placeholder(tf.float32, [None, 2], name="x")
v = tf.Variable([[1.0], [2.0]], name="v")
r = tf.get_variable("r", initializer=[3.0], use_resource=True)
with tf.control_dependencies([tf.no_op(name="before")]):
    i = tf.identity(tf.matmul(x, v), name="i")
y = tf.add(i, r, name="y")
tf.constant(4.0, name="unused")
sub = graph_util.extract_sub_graph(tf.get_default_graph().as_graph_def(), ["y"])
print([n.name for n in sub.node])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    frozen = graph_util.convert_variables_to_constants(sess, tf.get_default_graph().as_graph_def(), ["y"])
    kept = graph_util.convert_variables_to_constants(sess, tf.get_default_graph().as_graph_def(), ["y"], variable_names_blacklist=["v"])
for graph_def in (frozen, kept, graph_util.remove_training_nodes(frozen), graph_util.remove_training_nodes(frozen, ["v/read"])):
    print([(n.name, n.op, list(n.input)) for n in graph_def.node])
with tf.Graph().as_default(), tf.Session() as sess:
    print(sess.run(tf.import_graph_def(graph_util.remove_training_nodes(frozen), {"x": tf.constant([[1.0, 1.0]])}, ["y:0"])))
for call in (lambda: graph_util.extract_sub_graph(3, ["y"]), lambda: graph_util.extract_sub_graph(frozen, "y"), lambda: graph_util.extract_sub_graph(frozen, ["nothing"])):
    try:
        call()
    except (TypeError, AssertionError) as error:
        print(type(error).__name__, error)
# case: freezing what reads resource variables by rows, in branches and in loops
from tensorflow.python.framework import graph_util
tables = [tf.get_variable(n, initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=True) for n in "abc"]
rows = tf.nn.embedding_lookup(tables[:2], [0, 3], name="rows")
branch = tf.cond(tf.constant(True), lambda: tables[2] * 2.0, lambda: tables[2] * 3.0)
loop = tf.while_loop(lambda i: i < 3.0, lambda i: i + tf.reduce_sum(tables[2]), [0.0])
handle = tf.identity(tables[0].handle)
gathered = tf.raw_ops.ResourceGather(resource=handle, indices=[1], dtype=tf.float32, name="gathered")
y = tf.identity(rows + branch + loop + gathered, name="y")
batched = tf.raw_ops.ResourceGather(
    resource=tables[1].handle, indices=[[1], [0]], batch_dims=1, dtype=tf.float32, name="batched")
graph_def = tf.get_default_graph().as_graph_def()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y).tolist())
    frozen = graph_util.convert_variables_to_constants(sess, graph_def, ["y"])
    try:
        graph_util.convert_variables_to_constants(sess, graph_def, ["batched"])
    except ValueError as error:
        print(error)
for n in frozen.node:
    print(n.name, n.op, list(n.input), sorted((k, v.type, v.list.s) for k, v in n.attr.items()))
with tf.Graph().as_default(), tf.Session() as sess:
    print(sess.run(tf.import_graph_def(frozen, {}, ["y:0"]))[0].tolist())
# case: write_graph
import os, tempfile
folder = tempfile.mkdtemp()
tf.constant(1.0, name="c")
from google.protobuf import text_format
path = tf.train.write_graph(tf.get_default_graph(), os.path.join(folder, "new"), "g.pbtxt")
with open(path) as file:
    print(os.path.relpath(path, folder), [n.name for n in text_format.Parse(file.read(), tf.GraphDef()).node])
path = tf.train.write_graph(tf.get_default_graph().as_graph_def(), folder, "g.pb", as_text=False)
with open(path, "rb") as file:
    print([n.name for n in tf.GraphDef.FromString(file.read()).node])
