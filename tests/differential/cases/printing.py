# case: nodes
import sys
def attrs():
    for op in tf.get_default_graph().get_operations():
        if op.type in ("StringFormat", "PrintV2"):
            print(op.name, sorted((k, str(v).strip()) for k, v in op.node_def.attr.items() if k != "T"))
tf.print("a:", tf.constant(np.arange(6.0).reshape(2, 3)), "b", [tf.constant(1), 2], {"k": tf.constant([1.5])},
         output_stream=sys.stdout, summarize=2)
tf.print("hello", 3, sep="-", end="!\n", name="pp")
tf.print(tf.constant("abc"))
tf.print(tf.constant(["abc", "d"]), output_stream="file:///somewhere/text.txt")
tf.print(tf.constant("abc"), output_stream=tf.logging.info)
tf.print(tf.SparseTensor([[0, 1]], [5], [2, 3]))
tf.print()
tf.print(("x", [tf.constant(1), None, "y"]), tf.constant(2), summarize=-1, output_stream=tf.logging.error)
tf.print(tf.timestamp())
nodes()
attrs()
# case: refused
for kwargs in ({"foo": 2}, {"output_stream": "bad"}):
    try:
        tf.print(tf.constant(1), **kwargs)
    except ValueError as e:
        print(e)
# case: a file
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "text.txt")
x = tf.placeholder(tf.int32, [None])
op = tf.print("x is", x, "and", [x, "y", 2.5], output_stream="file://" + path, summarize=2)
with tf.Session() as s:
    show(s.run(op, {x: [1, 2]}))
    show(s.run(op, {x: np.arange(10)}))
    with tf.control_dependencies([op]):
        y = tf.identity(x)
    show(s.run(y, {x: [7]}))
with open(path) as f:
    print(f.read())
