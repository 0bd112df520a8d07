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
