# case: base classes of convolutions take the rank
from tensorflow.python.keras.layers.convolutional import Conv, SeparableConv

x = tf.placeholder(tf.float32, [2, 8, 8, 3])
layer = Conv(2, 4, 3, strides=2, padding="same", activation="relu", name="c")
show(layer(x), layer.rank, layer.kernel_size, [v.name for v in layer.weights])
separable = SeparableConv(1, 4, 3, name="s")
separable.build((2, 8, 3))
show(separable.rank, [v.shape for v in separable.weights])
print([isinstance(k(2, 2), Conv) for k in (tf.keras.layers.Conv1D, tf.keras.layers.Conv2D)])


class Twice(Conv):
    def __init__(self, filters, **kwargs):
        super().__init__(rank=2, filters=filters, kernel_size=1, **kwargs)

    def call(self, inputs):
        return 2 * super().call(inputs)


show(Twice(5)(x))

# case: base classes of pooling layers take a function
from tensorflow.python.keras.layers import pooling

seen = []


def middle(inputs, *args, **kwargs):
    seen.append((args, sorted(kwargs.items())))
    return inputs


x = tf.placeholder(tf.float32, [2, 8, 8, 3])
pooling.Pooling2D(middle, 2, 3, padding="same")(x)
pooling.Pooling2D(middle, (2, 1), 3, data_format="channels_first")(x)
pooling.Pooling1D(middle, 2, 1)(tf.placeholder(tf.float32, [2, 8, 3]))
volume = tf.placeholder(tf.float32, [2, 4, 5, 6, 3])
pooling.Pooling3D(middle, 2, 3, padding="same")(volume)
show(pooling.Pooling3D(middle, 2, 3, data_format="channels_first")(volume))
print(seen)
layers = tf.keras.layers
print([isinstance(k(), pooling.Pooling2D) for k in (layers.MaxPool2D, layers.AvgPool2D)])
print(isinstance(layers.GlobalMaxPool2D(), pooling.GlobalPooling2D))


class Total(pooling.GlobalPooling2D):
    def call(self, inputs):
        return tf.reduce_sum(inputs, [1, 2])


show(Total()(x), Total().compute_output_shape([2, 8, 8, 3]))

# case: generic_utils
from tensorflow.python.keras.utils import generic_utils as u


def f(a, b=1, *args):
    pass


def g(a, **kwargs):
    pass


print(u.has_arg(f, "a"), u.has_arg(f, "c"), u.has_arg(g, "c"), u.has_arg(g, "c", accept_all=True))
print(u.to_list(1), u.to_list([1]), u.to_list((1, 2)), u.to_list(None))
print(u.make_batches(7, 3), u.make_batches(0, 3))
a = [np.arange(4), None, np.arange(4) * 2]
print(u.slice_arrays(a, 1, 3), u.slice_arrays(a, [0, 2]), u.slice_arrays(np.arange(4), 2))
print(u.slice_arrays(None), u.slice_arrays(np.arange(4), [1, 3]))
print(u.is_all_none([None, {"a": None}]), u.is_all_none([None, 1]), u.is_all_none([]))
print(u.serialize_keras_class_and_config("Dense", {"units": 3}))
print(u.validate_kwargs({"a": 1}, ["a"]))
try:
    u.validate_kwargs({"a": 1, "b": 2}, ["a"], "Not known:")
except TypeError as error:
    print(error)
u.check_for_unexpected_keys("loss", {"a": 1}, ["a", "b"])
try:
    u.check_for_unexpected_keys("loss", {"c": 1}, ["a", "b"])
except ValueError as error:
    print(error)

# case: slice_arrays with both a list and an end
from tensorflow.python.keras.utils import generic_utils

generic_utils.slice_arrays([np.arange(3)], [0, 1], 2)

# case: conv_utils
from tensorflow.python.keras.utils import conv_utils as u

print([u.convert_data_format(f, n) for f in ("channels_last", "channels_first") for n in (3, 4, 5)])
print(u.conv_output_shape((5, 6), (2, 3), (2, 1), "valid"))
print(u.conv_output_shape((5, 6), (2, 3), (2, 1), "same"))
print(u.convert_kernel(np.arange(12).reshape((2, 3, 2, 1)))[..., 0])
print(u.conv_kernel_mask((3,), (2,), (1,), "valid").astype(int))
print(u.conv_kernel_mask((3, 2), (2, 2), (1, 1), "same").shape)
print(u.conv_kernel_mask((3,), (3,), (2,), "same").astype(int))
print(u.conv_connected_inputs((4, 4), (3, 2), (1, 0), (1, 2), "same"))
print(list(u.conv_kernel_idxs((3,), (2,), (1,), "valid", 1, 2, "channels_last")))
print(list(u.conv_kernel_idxs((3,), (2,), (2,), "same", 2, 1, "channels_first")))

# case: conv_utils, wrong formats
from tensorflow.python.keras.utils import conv_utils

try:
    conv_utils.convert_data_format("nhwc", 4)
except ValueError as error:
    print(error)
conv_utils.convert_data_format("channels_last", 6)

# case: layer_utils
from tensorflow.python.keras.utils import layer_utils

model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,)), tf.keras.layers.Dense(2)])
print(layer_utils.count_params(model.weights), layer_utils.is_builtin_layer(model.layers[0]))
layer_utils.print_summary(model, line_length=40, print_fn=print)


class Mine(tf.keras.layers.Layer):
    pass


print(layer_utils.is_builtin_layer(Mine()), layer_utils.is_builtin_layer(3))
inner = tf.keras.layers.Dense(2)
inner.build((3, 1))
extra = tf.Variable(1.0, trainable=False, name="extra")
names = lambda weights: [w.name for w in weights]
print(names(layer_utils.gather_trainable_weights(True, [inner], [extra])))
print(names(layer_utils.gather_trainable_weights(False, [inner], [extra])))
print(names(layer_utils.gather_non_trainable_weights(True, [inner], [extra])))
print(names(layer_utils.gather_non_trainable_weights(False, [inner], [extra])))
dense = tf.keras.layers.Dense(1, input_shape=(8,))
model = tf.keras.Sequential([dense])
dense.set_weights([np.arange(8.0).reshape((8, 1)), np.zeros(1)])
layer_utils.convert_dense_weights_data_format(dense, (2, 2, 2), "channels_first")
print(dense.get_weights()[0].ravel())
layer_utils.convert_dense_weights_data_format(dense, (2, 2, 2), "channels_last")
print(dense.get_weights()[0].ravel())

# case: metrics_utils
from tensorflow.python.keras.utils import metrics_utils as u

print(
    [
        list(e.__members__)
        for e in (u.AUCCurve, u.AUCSummationMethod, u.ConfusionMatrix, u.Reduction)
    ]
)
print([e.value for e in u.ConfusionMatrix], [e.value for e in u.Reduction])
print(
    u.parse_init_thresholds(None), u.parse_init_thresholds(0.2), u.parse_init_thresholds([0.1, 0.9])
)
u.assert_thresholds_range([0.0, 1.0])
counts = {
    kind: tf.get_variable(kind.value, [2], initializer=tf.zeros_initializer())
    for kind in u.ConfusionMatrix
}
update = u.update_confusion_matrix_variables(
    counts, [[1.0, 0.0, 1.0]], [[0.2, 0.6, 0.9]], [0.5, 0.1], sample_weight=[[1.0, 2.0, 3.0]]
)
session = tf.Session()
session.run(tf.global_variables_initializer())
session.run(update)
for kind in u.ConfusionMatrix:
    print(kind.value, session.run(counts[kind]))
u.update_confusion_matrix_variables(
    {"tp": counts[u.ConfusionMatrix.TRUE_POSITIVES]}, [1.0], [0.5], [0.5]
)

# case: metrics_utils, thresholds out of range
from tensorflow.python.keras.utils import metrics_utils

metrics_utils.assert_thresholds_range([0.1, 1.5, None])

# case: clone_metric and losses_utils
from tensorflow.python.keras import losses, metrics
from tensorflow.python.keras.utils import losses_utils

first = metrics.BinaryAccuracy(name="b", threshold=0.3)
second = metrics.clone_metric(first)
print(second is first, second.name, second.get_config() == first.get_config())
print(metrics.clone_metric("acc"), len(metrics.clone_metrics([first, "acc"])))
print(isinstance(first, metrics.MeanMetricWrapper))
values = tf.constant([[1.0, 2.0], [3.0, 6.0]])
session = tf.Session()
for reduction in ("none", "sum", "sum_over_batch_size"):
    show(session.run(losses_utils.reduce_weighted_loss(values, reduction)))
show(session.run(losses_utils.scale_loss_for_distribution(values)))
print(
    [
        losses.is_categorical_crossentropy(x)
        for x in (
            "categorical_crossentropy",
            losses.categorical_crossentropy,
            losses.CategoricalCrossentropy(),
            "mse",
            losses.MeanSquaredError(),
        )
    ]
)

# case: callbacks of a model
from tensorflow.python.keras import callbacks

model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
model.compile("sgd", "mse", metrics=["mae"])


class Mine(tf.keras.callbacks.Callback):
    pass


mine = Mine()
found = callbacks.configure_callbacks(
    [mine],
    model,
    do_validation=True,
    batch_size=4,
    epochs=2,
    steps_per_epoch=5,
    samples=20,
    verbose=0,
)
print([type(c).__name__ for c in found.callbacks])
print(sorted(mine.params.items()), mine.model is model, found.model is model)
print(sorted(callbacks.make_logs(model, {"size": 4}, [0.5, 0.25], "train", prefix="val_").items()))
print(sorted(callbacks.make_logs(model, {}, [0.5], "predict").items()))
again = callbacks.CallbackList([mine])
callbacks.set_callback_parameters(again, model, epochs=3)
print(sorted(mine.params.items()))

# case: clone_and_build_model
from tensorflow.python.keras import models

model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,), name="d")])
try:
    models.clone_and_build_model(model)
except ValueError as error:
    print(error)
model.compile("sgd", "mse", metrics=["mae"])
clone = models.clone_and_build_model(model)
print(
    clone is model,
    clone.optimizer is model.optimizer,
    type(clone.optimizer).__name__,
    clone.metrics_names,
)
plain = models.clone_and_build_model(model, compile_clone=False)
print(plain.optimizer)
x = tf.placeholder(tf.float32, [None, 3])
t = tf.placeholder(tf.float32, [None, 2])
fed = models.clone_and_build_model(model, input_tensors=x, target_tensors=t)
show(fed.outputs, fed.total_loss)

# case: hdf5_format
import h5py
from tensorflow.python.keras.saving import hdf5_format

file = h5py.File("a.h5", "w", driver="core", backing_store=False)
hdf5_format.save_attributes_to_hdf5_group(file, "names", [b"a", b"bc"])
print(list(file.attrs["names"]), hdf5_format.load_attributes_from_hdf5_group(file, "names"))
hdf5_format.save_attributes_to_hdf5_group(file, "many", [b"x" * 100] * 1000)
print(sorted(file.attrs), len(hdf5_format.load_attributes_from_hdf5_group(file, "many")))
print(hdf5_format.load_attributes_from_hdf5_group(file, "none"))
layer = tf.keras.layers.Dense(2)
print(hdf5_format.preprocess_weights_for_loading(layer, [np.ones((3, 2))]))

# case: base_layer_utils
from tensorflow.python.keras.engine import base_layer_utils as u

v = u.make_variable(
    "w", shape=[2], dtype=tf.float32, initializer=tf.ones_initializer, trainable=False
)
show(v, v.trainable)
inputs = tf.keras.Input([3])
other = tf.placeholder(tf.float32, [2])
print(u.have_all_keras_metadata([inputs]), u.have_all_keras_metadata([inputs, other]))
print(
    u.uses_keras_history(inputs + 1),
    u.uses_keras_history(other + 1),
    u.needs_keras_history(inputs + 1),
    u.needs_keras_history(other),
)
show(u.generate_placeholders_from_shape([2, None]))
print(u.is_subclassed(tf.keras.layers.Dense(2)), u.is_in_keras_graph(), u.is_in_tf_function())
print(u.call_context().in_call)

# case: data_utils and io_utils
from tensorflow.python.keras.utils import data_utils as u


class Two(tf.keras.utils.Sequence):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index * 10


items = u.iter_sequence_infinite(Two())
print([next(items) for _ in range(5)])
print([u.is_generator_or_sequence(x) for x in (Two(), (i for i in [1]), [1, 2], np.ones(2))])
import tempfile

with tempfile.NamedTemporaryFile() as file:
    file.write(b"hello")
    file.flush()
    print(u.validate_file(file.name, "5d41402abc4b2a76b9719d911017c592"))
    print(u.validate_file(file.name, "x", algorithm="md5"))

# case: weights of Keras 1 and of other backends
from tensorflow.python.keras.saving import hdf5_format

layers = tf.keras.layers
rng = np.random.RandomState(0)


def made(*shapes):
    return [rng.randint(0, 9, shape) for shape in shapes]


def converted(layer, *shapes, **options):
    if not options:
        options = {"original_keras_version": "1"}
    for w in hdf5_format.preprocess_weights_for_loading(layer, made(*shapes), **options):
        print(w.shape, w.ravel()[:14])


def built(layer, shape):
    layer.build(shape)
    return layer


converted(built(layers.Conv1D(3, 2), (2, 6, 4)), (2, 1, 4, 3), (3,))
converted(built(layers.Conv1D(3, 2), (2, 6, 4)), (3, 4, 2, 1), (3,))
converted(built(layers.Conv2D(3, 2), (2, 4, 4, 1)), (2, 2, 1, 3), (3,))
converted(
    built(layers.Conv2D(3, 2, data_format="channels_first"), (2, 1, 4, 4)), (3, 1, 2, 2), (3,)
)
converted(built(layers.Conv2DTranspose(3, 2), (2, 4, 4, 1)), (2, 2, 3, 1), (3,))
converted(
    built(layers.Conv2DTranspose(3, 2, data_format="channels_first"), (2, 1, 4, 4)),
    (3, 1, 2, 2),
    (3,),
)
converted(
    built(layers.Conv3D(3, 2, data_format="channels_first"), (2, 1, 4, 4, 4)), (3, 1, 2, 2, 2), (3,)
)
gate = [(2, 1), (1, 1), (1,)]
converted(layers.LSTM(1), *(gate * 4))
converted(layers.GRU(1), *(gate * 3))
converted(
    built(layers.ConvLSTM2D(1, 2, data_format="channels_first"), (2, 3, 1, 4, 4)),
    *([(1, 1, 2, 2), (1, 1, 2, 2), (1,)] * 4),
)
converted(
    built(layers.ConvLSTM2D(1, 2), (2, 3, 4, 4, 1)), *([(2, 2, 1, 1), (2, 2, 1, 1), (1,)] * 4)
)
converted(built(layers.Bidirectional(layers.LSTM(1)), (2, 3, 2)), *(gate * 8))
for layer in (layers.Conv2D(1, 2), layers.DepthwiseConv2D(2)):
    layer.build((2, 4, 4, 1))
    converted(
        layer,
        (2, 2, 1, 1),
        (2, 2, 1, 1),
        (1,),
        original_keras_version="2.0.1",
        original_backend="theano",
    )
converted(
    built(layers.ConvLSTM2D(1, 2), (2, 3, 4, 4, 1)),
    (2, 2, 1, 4),
    (2, 2, 1, 4),
    (4,),
    original_keras_version="2.0.1",
    original_backend="theano",
)
converted(
    built(layers.Conv2D(3, (1, 2)), (2, 4, 4, 5)),
    (5, 3, 2, 1),
    (3,),
    original_keras_version="2.0.1",
)
inner = tf.keras.Sequential([layers.Conv1D(3, 2, input_shape=(6, 4)), layers.BatchNormalization()])
converted(inner, (2, 1, 4, 3), (3,), (3,), (3,), (3,), (3,))
