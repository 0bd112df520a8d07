# case: lists and dicts of a module as structures
import collections

from tensorflow.python.util import nest

module = tf.Module()
module.layers = [1, [2, 3]]
module.parts = {"b": 1, "a": {"x": 2}}


class OwnList(list):
    pass


class OwnDict(dict):
    pass


print(tf.nest.pack_sequence_as(module.parts, [5, 6]), tf.nest.flatten(module.parts))
print(tf.nest.map_structure(lambda x: x + 1, module.parts))
print(nest.map_structure_with_paths(lambda path, x: path, module.parts))
print(tf.nest.map_structure(lambda x, y: x + y, module.layers, [1, [2, 3]]))
print(tf.nest.map_structure(lambda x, y: x + y, [1, [2, 3]], module.layers))
print(tf.nest.map_structure(lambda x, y: x + y, module.parts, {"a": {"x": 1}, "b": 2}))
tf.nest.assert_same_structure([1], OwnList([1]))
tf.nest.assert_same_structure(collections.OrderedDict(a=1), OwnDict(a=1))
nest.assert_shallow_structure([1, [2, 3]], module.layers)
tf.nest.assert_same_structure((1, [2, 3]), [1, [2, 3]])

# case: fetches in dicts and lists of a module
module = tf.Module()
module.parts = {"b": tf.constant(1), "a": [tf.constant(2)]}
with tf.Session() as session:
    print(session.run(module.parts))


# case: layers are modules
class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(3)
        self.rest = [tf.keras.layers.Dense(1)]

    def __call__(self, x):
        return self.rest[0](self.dense(x))


model = Model()
model(tf.ones([1, 2]))
print([v.name for v in model.variables], [m.name for m in model.submodules])
print(len(model.trainable_variables))
for layer in (tf.layers.Dense(3), tf.nn.rnn_cell.GRUCell(2), tf.keras.Sequential()):
    print(isinstance(layer, tf.Module), len(layer.submodules))

# case: cells that are built before they know a type
for cell in (
    tf.nn.rnn_cell.LSTMCell(3),
    tf.nn.rnn_cell.GRUCell(3),
    tf.nn.rnn_cell.BasicRNNCell(3),
    tf.nn.rnn_cell.BasicLSTMCell(3),
):
    cell.build(tf.TensorShape([4, 2]))
    print([(v.name, v.shape.as_list(), v.dtype.name) for v in cell.variables])

# case: tables of lists of tensors
from tensorflow.contrib import lookup
from tensorflow.python.ops import list_ops


def as_list(*values):
    return list_ops.tensor_list_from_tensor(tf.constant(values), element_shape=[])


empty = list_ops.empty_tensor_list(tf.constant([], tf.int64), tf.int32)
keys = tf.constant([1, 2], tf.int64)
with tf.Session() as session:
    for table in (
        lookup.MutableHashTable(tf.int64, tf.variant, empty),
        lookup.MutableDenseHashTable(tf.int64, tf.variant, empty, empty_key=-1, deleted_key=-2),
    ):
        session.run(table.insert(keys, tf.stack([as_list(1, 2), as_list(3)])))
        found = table.lookup(tf.constant([2, 1, 9], tf.int64))
        for i in range(3):
            print(session.run(list_ops.tensor_list_stack(found[i], tf.int32, element_shape=[])))
        print(session.run(table.size()))

# case: layers and variables in lists, dicts and tuples
dense = tf.keras.layers.Dense


def appended(self):
    self.blocks = []
    self.blocks.append(dense(2))
    self.blocks.insert(0, dense(3))
    self.blocks += [dense(4)]


def by_name(self):
    self.parts = {}
    self.parts["first"] = dense(2)
    self.parts["rest"] = [dense(3)]


def in_a_tuple(self):
    self.pair = (dense(2), dense(3))
    self.values = (tf.Variable(1.0, name="value", use_resource=True),)


def replaced(self):
    self.dense = dense(2)
    self.dense = dense(3)
    self.blocks = [dense(4)]
    self.blocks = self.blocks + [dense(5)]
    self.value = tf.Variable(1.0, name="old", use_resource=True)
    self.value = tf.Variable(1.0, name="new", use_resource=True)
    self.other = dense(6)
    del self.other


def build_all(layers):
    for layer in layers:
        if isinstance(layer, (list, tuple)):
            build_all(layer)
        elif not layer.built:
            layer(tf.ones([1, 2]))


for base in (tf.keras.layers.Layer, tf.keras.Model):
    for fill in (appended, by_name, in_a_tuple, replaced):
        layer = base()
        fill(layer)
        build_all(layer.submodules)
        print(base.__name__, fill.__name__, [v.shape.as_list() for v in layer.trainable_weights])
        print(len(layer.submodules))
        if base is tf.keras.Model:
            print([each.units for each in layer.layers])
