# case: of one path and of several
from tensorflow.contrib import receptive_field as api


def find(build, **kwargs):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, (None, None, None, 3), name="x")
        tf.identity(build(x), name="out")
    try:
        found = api.compute_receptive_field_from_graph_def(graph.as_graph_def(), "x", "out", **kwargs)
        print(found.size, found.stride, found.padding, list(found))
    except ValueError as error:
        print(error)


def conv(size, stride=1, padding="same", **kwargs):
    return lambda x: tf.layers.conv2d(x, 3, size, stride, padding, use_bias=False, **kwargs)


for size in (None, [8, 8], [9, 7]):
    find(lambda x: conv([3, 1], [2, 1])(conv(5, 2, "valid")(conv(3)(x))), input_resolution=size)
    find(lambda x: conv(3, 2)(conv(2)(x)), input_resolution=size)
    find(lambda x: tf.nn.avg_pool(conv(3, 2)(x), [1, 3, 3, 1], [1, 2, 2, 1], "SAME"), input_resolution=size)
    find(lambda x: tf.concat([conv(3, 2)(x), conv(5, 1)(x)], 3), input_resolution=size)
    find(lambda x: tf.concat([conv(3, 1)(x), conv(3, 2)(x)], 3), input_resolution=size)
    find(lambda x: tf.concat([conv(1, 2)(x), conv(3, 2)(x)], 3), input_resolution=size)
find(lambda x: conv(3)(x) + x)
find(lambda x: conv(3, 2, "valid")(x) + conv(1, 2, "valid")(x))
find(lambda x: tf.concat([conv(3, 1, "valid")(x), conv(1, 2, "valid")(x)], 3))
find(lambda x: tf.contrib.slim.separable_conv2d(x, 4, [3, 3], 1, 2))
find(lambda x: tf.nn.lrn(tf.nn.bias_add(x, [1.0, 2.0, 3.0])))
find(lambda x: tf.pad(conv(3, 2, "valid")(tf.pad(x, [[0, 0], [1, 1], [2, 0], [0, 0]])), [[0, 0], [1, 1], [2, 0], [0, 0]]))
find(conv(3, 2), stop_propagation=["conv2d/Conv2D"])
find(lambda x: tf.concat([conv(3, 2)(x), conv(5, 1)(x)], 3), stop_propagation=["conv2d_1/Conv2D"])

# case: what is not known
from tensorflow.contrib import receptive_field as api


def find(build, *names):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, (None, None, None, 3), name="x")
        tf.identity(build(x), name="out")
    try:
        print(list(api.compute_receptive_field_from_graph_def(graph.as_graph_def(), *(names or ("x", "out")))))
    except ValueError as error:
        print(error)


find(lambda x: tf.sin(x))
find(lambda x: tf.reduce_mean(x, [1, 2]))
find(lambda x: tf.layers.conv2d(x, 3, 3, dilation_rate=2))
find(lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 3, 3]), [1, 1, 1, 1], "SAME"))
find(lambda x: tf.nn.relu(x), "none", "out")
find(lambda x: tf.nn.relu(x), "x", "none")
find(lambda x: tf.ones([2]))
find(lambda x: tf.pad(x, [[1, 1], [0, 0], [0, 0], [0, 0]]))
find(lambda x: tf.pad(x, [[0, 0], [0, 0], [0, 0], [0, 1]]))
find(lambda x: tf.pad(x, tf.placeholder(tf.int32)))

# case: coordinates
from tensorflow.contrib.receptive_field.python.util import receptive_field

field = receptive_field.ReceptiveField([7, 11], [2, 4], [1, 3])
print(field.compute_input_center_coordinates([[0, 0], [1, 2]]), field.compute_input_center_coordinates([3, 4]))
print(field.compute_input_center_coordinates([[1], [2]], axis=[1]))
print(field.compute_feature_coordinates([[0, 0], [2.0, 3.0]]), field.compute_feature_coordinates([[1.0]], axis=[0]))
print(list(field))
field.compute_input_center_coordinates([[1, 2, 3]])

# case: order and windows
from tensorflow.contrib import receptive_field as api
from tensorflow.contrib.receptive_field.python.util import parse_layer_parameters as params

x = tf.placeholder(tf.float32, (None, None, None, 3), name="x")
a = tf.layers.conv2d(x, 3, [3, 5], [2, 3], "same", name="a")
b = tf.layers.conv2d(x, 3, 3, 1, "valid", name="b")
tf.sin(tf.identity(tf.concat([a, b], 3, name="y"), name="z"), name="s")
tf.pad(x, [[0, 0], [1, 2], [3, 4], [0, 0]], name="q")
tf.nn.max_pool(x, [1, 2, 4, 1], [1, 2, 3, 1], "SAME", name="p")
graph_def = tf.get_default_graph().as_graph_def()
shown = ("x", "a/kernel/read", "a/Conv2D", "b/Conv2D", "b/BiasAdd", "y", "z", "s", "q", "p")
for args in ((), ("x",), ("x", [10, 11]), ("x", [10, None]), ("z", [4, 5]), ("none",)):
    info, names = api.get_compute_order(graph_def, *args)
    for n in shown:
        print(n, info[n].order, info[n].input_size, info[n].output_size, info[n].node.op)
for n in ("a/Conv2D", "p", "q", "y"):
    for size in (None, [7, 8]):
        print(n, tuple(params.get_layer_params(names[n], names, size)))
print(tuple(params.get_layer_params(names["s"], names, force=True)))
