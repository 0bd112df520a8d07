K, L = tf.keras.backend, tf.keras.layers
K.clear_session()
np.random.seed(1)
tf.set_random_seed(2)
made = []


def fixed(shape, seed):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")


def run(layer, *shapes):
    inputs = [tf.constant(fixed(shape, 50 + i)) for i, shape in enumerate(shapes)]
    outputs = layer(inputs[0] if len(inputs) == 1 else inputs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    print([(w.name, w.shape.as_list()) for w in layer.weights], [y.shape.as_list() for y in outputs])
    made.append((layer, outputs))


def values(phase=0):
    K.batch_set_value([(w, fixed(w.shape.as_list(), i)) for l, _ in made for i, w in enumerate(l.weights)])
    feed = {K.learning_phase(): phase}
    for (layer, _), found in zip(made, K.get_session().run([y for _, y in made], feed)):
        print(type(layer).__name__)
        show([np.round(y, 3) for y in found])


def text_of(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:180])


# case: activations
run(L.LeakyReLU(0.2), (3, 4))
run(L.PReLU(), (3, 2, 2))
run(L.PReLU(shared_axes=[1]), (3, 2, 2))
run(L.ELU(0.7), (3, 4))
run(L.ThresholdedReLU(0.3), (3, 4))
run(L.Softmax(axis=1), (2, 3, 2))
run(L.ReLU(0.5, 0.1, 0.1), (3, 4))
values()
for make in (L.LeakyReLU, L.PReLU, L.ELU, L.ThresholdedReLU, L.Softmax, L.ReLU):
    layer = make.from_config(make().get_config())
    print(layer.name, sorted(layer.get_config()), layer.supports_masking)
text_of(lambda: L.ReLU(-1))
text_of(lambda: L.ReLU(negative_slope=-1))
# case: noise while training
run(L.GaussianNoise(0.2), (3, 4))
run(L.GaussianDropout(0.2), (3, 4))
run(L.AlphaDropout(0.4), (3, 4))
run(L.AlphaDropout(0.4, noise_shape=(3, 1)), (3, 4))
run(L.SpatialDropout2D(0.4, data_format="channels_first"), (2, 3, 2, 2))
values(1)
values(0)
for layer, _ in made:
    print(layer.get_config())
# case: padding, cropping and enlarging
for data_format in ("channels_last", "channels_first"):
    run(L.ZeroPadding2D(((1, 2), (0, 1)), data_format), (1, 2, 2, 2))
    run(L.ZeroPadding3D((1, 0, 1), data_format), (1, 2, 2, 2, 2))
    run(L.Cropping2D(((1, 0), (0, 2)), data_format), (1, 3, 3, 3))
    run(L.Cropping3D(((1, 0), (1, 1), (0, 1)), data_format), (1, 3, 3, 3, 2))
    run(L.UpSampling2D((2, 3), data_format), (1, 2, 2, 2))
    run(L.UpSampling2D(2, data_format, "bilinear"), (1, 2, 2, 2))
    run(L.UpSampling3D((1, 2, 1), data_format), (1, 2, 2, 2, 2))
run(L.ZeroPadding1D((1, 2)), (1, 2, 2))
run(L.Cropping1D((1, 0)), (1, 2, 2))
run(L.UpSampling1D(2), (1, 2, 2))
values()
for layer, outputs in made:
    shape = layer.compute_output_shape((None,) * outputs[0].shape.ndims)
    print(layer.get_config(), shape, layer.input_spec is None)
# case: errors of padding and cropping
text_of(lambda: L.ZeroPadding2D((1, 2, 3)))
text_of(lambda: L.ZeroPadding2D(None))
text_of(lambda: L.ZeroPadding2D(((1, 2, 3), 1)))
text_of(lambda: L.ZeroPadding1D((1, 2, 3)))
text_of(lambda: L.ZeroPadding3D((1, 2)))
text_of(lambda: L.ZeroPadding3D(None))
text_of(lambda: L.Cropping1D(None))
text_of(lambda: L.Cropping2D((1, 1, 1)))
text_of(lambda: L.Cropping2D(None))
text_of(lambda: L.Cropping3D((1, 1)))
text_of(lambda: L.Cropping3D(None))
text_of(lambda: L.UpSampling2D((1, 1, 1)))
text_of(lambda: L.UpSampling2D(2, interpolation="unknown"))
text_of(lambda: L.UpSampling3D((1, 1)))
# case: attention
run(L.Attention(True), (2, 3, 4), (2, 5, 4))
run(L.Attention(causal=True), (2, 3, 4), (2, 5, 4), (2, 5, 4))
run(L.AdditiveAttention(), (2, 3, 4), (2, 5, 4))
run(L.AdditiveAttention(False, causal=True), (2, 3, 4), (2, 5, 4))
layer = L.Attention()
shown = [tf.constant([[True, True, False]]), tf.constant([[True, False]])]
inputs = [tf.constant(fixed((1, 3, 2), 1)), tf.constant(fixed((1, 2, 2), 2))]
made.append((layer, [layer(inputs, mask=shown)]))
values()
print(layer.compute_mask(inputs, shown) is shown[0], layer.compute_mask(inputs))
for layer, _ in made:
    print(layer.get_config())
text_of(lambda: L.Attention()(inputs[0]))
text_of(lambda: L.Attention()(inputs[:1]))
text_of(lambda: L.AdditiveAttention()(inputs, mask=shown[:1]))
# case: locally connected
for implementation in (1, 2, 3):
    for padding in ("valid", "same")[: 1 + (implementation > 1)]:
        for data_format in ("channels_last", "channels_first"):
            window = dict(padding=padding, data_format=data_format, implementation=implementation)
            run(L.LocallyConnected1D(2, 3, strides=2, activation="tanh", **window), (1, 5, 4))
            run(L.LocallyConnected2D(1, (2, 3), strides=(1, 2), **window), (1, 3, 5, 4))
values()
print(made[0][0].get_config())
text_of(lambda: L.LocallyConnected1D(2, 3, padding="same"))
text_of(lambda: L.LocallyConnected2D(2, 3, padding="same"))
text_of(lambda: L.LocallyConnected1D(2, 3, implementation=4)(tf.zeros((1, 5, 2))))
text_of(lambda: L.LocallyConnected2D(2, 3)(tf.placeholder(tf.float32, (None, None, 3, 2))))
# case: transposed and separable convolutions
for padding in ("valid", "same"):
    for strides, extra in ((1, None), (2, None), ((2, 3), (0, 2))):
        layer = L.Conv2DTranspose(2, 3, strides=strides, padding=padding, output_padding=extra)
        run(layer, (1, 3, 2, 2))
    run(L.Conv3DTranspose(1, 2, strides=2, padding=padding, output_padding=1), (1, 2, 2, 1, 2))
run(L.Conv2DTranspose(2, 3, dilation_rate=2), (1, 3, 2, 2))
run(L.Conv2DTranspose(2, 3, dilation_rate=2, data_format="channels_first"), (1, 2, 3, 2))
run(L.DepthwiseConv2D(2, strides=2, depth_multiplier=2, activation="relu"), (1, 4, 3, 2))
run(L.DepthwiseConv2D(2, dilation_rate=2), (1, 4, 3, 2))
run(L.SeparableConv2D(2, 2, padding="same", depth_multiplier=2), (1, 3, 3, 2))
run(L.SeparableConv1D(2, 2, padding="causal"), (1, 3, 2))
values()
for layer, _ in made[2:4] + made[-3:]:
    print(layer.get_config())
text_of(lambda: L.Conv2DTranspose(2, 3, strides=1, output_padding=1))
text_of(lambda: L.Conv3DTranspose(2, 3, strides=1, output_padding=1))
# case: normalization
run(L.BatchNormalization(trainable=False), (3, 2))
run(L.BatchNormalization(fused=False, axis=[1, 2], scale=False), (3, 2, 2))
run(L.LayerNormalization(axis=[1, 2]), (3, 2, 2))
run(L.LayerNormalization(axis=1, center=False), (3, 2, 2))
values(1)
print(sorted(L.BatchNormalization(renorm=True, fused=False, virtual_batch_size=2).get_config()))
print([len(layer.updates) for layer, _ in made])
# case: recurrent layers
for make in (L.SimpleRNN, L.GRU, L.LSTM):
    run(make(2), (2, 3, 2))
    run(make(2, return_sequences=True, return_state=True, go_backwards=True), (2, 3, 2))
    run(make(2, return_sequences=True, unroll=True, use_bias=False), (2, 3, 2))
    run(make(2, return_sequences=True, time_major=True), (3, 2, 2))
    run(make(2), *[(2, 3, 2)] + [(2, 2)] * (2 if make is L.LSTM else 1))
run(L.GRU(2, reset_after=True, recurrent_activation="sigmoid", implementation=2), (2, 3, 2))
run(L.LSTM(2, implementation=2, activation="relu"), (2, 3, 2))
values()
for make in (L.SimpleRNN, L.GRU, L.LSTM):
    layer = make(2, stateful=True)
    layer(tf.zeros((2, 3, 1)))
    print(layer.cell.name, layer.input_spec, [s.name for s in layer.states], len(layer.weights))
layer = L.LSTM(2, "relu", "sigmoid", False, "zeros", "zeros", "zeros", False, None, None, None, "l2")
print(layer.get_config())
# case: recurrent layers that drop elements
for make in (L.SimpleRNN, L.GRU, L.LSTM):
    run(make(2, dropout=0.3, recurrent_dropout=0.3), (2, 3, 2))
values(1)
# case: masked sequences
x = fixed((2, 4, 2), 3)
x[:, 2] = -9.0
x[0, 0] = -9.0
for make in (L.SimpleRNN, L.LSTM):
    for kw in ({}, {"unroll": True}, {"return_sequences": True}):
        layers = make(2, **kw), make(2, zero_output_for_mask=True, **kw), L.Bidirectional(make(2, **kw))
        for layer in layers:
            y = layer(L.Masking(-9.0)(tf.constant(x)))
            made.append((layer, [y]))
            print(getattr(y, "_keras_mask", None) is not None)
layer = L.TimeDistributed(L.Dense(2))
made.append((layer, [layer(L.Masking(-9.0)(tf.constant(x)))]))
values()
# case: layers in both directions
for merge_mode in ("concat", "sum", "ave", "mul", None):
    run(L.Bidirectional(L.GRU(2), merge_mode=merge_mode), (2, 3, 2))
    layer = L.SimpleRNN(2, return_sequences=True, return_state=True)
    run(L.Bidirectional(layer, merge_mode=merge_mode), (2, 3, 2))
run(L.Bidirectional(L.LSTM(2), backward_layer=L.LSTM(1, go_backwards=True)), (2, 3, 2))
run(L.Bidirectional(L.LSTM(2)), (2, 3, 2), *[(2, 2)] * 4)
values()
layer = L.Bidirectional(L.LSTM(2, kernel_regularizer="l2", activity_regularizer="l1"))
layer(tf.zeros((2, 3, 2)))
print(len(layer.losses), layer.layer.name, layer.forward_layer.name, layer.backward_layer.name)
print(layer.compute_output_shape((None, 3, 2)), layer.stateful, len(layer.trainable_weights))
layer.trainable = False
print(len(layer.trainable_weights), len(layer.non_trainable_weights), layer.forward_layer.trainable)
config = made[-2][0].get_config()
print(sorted(config), type(L.Bidirectional.from_config(config).backward_layer).__name__)
text_of(lambda: L.Bidirectional(3))
text_of(lambda: L.Bidirectional(L.LSTM(2), backward_layer=3))
text_of(lambda: L.Bidirectional(L.LSTM(2), merge_mode="x"))
text_of(lambda: L.Bidirectional(L.LSTM(2), backward_layer=L.LSTM(2)))
text_of(lambda: L.Bidirectional(L.LSTM(2), backward_layer=L.LSTM(2, go_backwards=True, return_state=True)))
text_of(lambda: L.Bidirectional(L.LSTM(2))(tf.zeros((2, 3, 2)), initial_state=[tf.zeros((2, 2))]))
text_of(lambda: L.Bidirectional(L.Dense(2)))
# case: layers at each step
run(L.TimeDistributed(L.Dense(2)), (2, 3, 2))
run(L.TimeDistributed(L.Conv2D(1, 2)), (2, 2, 3, 3, 1))
run(L.TimeDistributed(L.SimpleRNN(2, return_sequences=True)), (2, 2, 3, 1))
run(L.TimeDistributed(L.BatchNormalization()), (2, 3, 2))


class OfBatch(L.Layer):
    def call(self, x):
        return x * K.sum(x, axis=0, keepdims=True)

    def compute_output_shape(self, shape):
        return shape


run(L.TimeDistributed(OfBatch()), (2, 3, 2))
values()
layer = L.TimeDistributed(L.Dense(3, kernel_regularizer="l1", activity_regularizer="l2"))
for shape in ((None, None, 2), (4, None, 2)):
    y = layer(tf.placeholder(tf.float32, shape))
    print(y.shape.as_list(), len(layer.losses))
print(layer.compute_output_shape((None, 3, 2)), layer.get_config()["layer"]["class_name"])
x = tf.keras.Input((4, 3), dtype="int32")
y = L.TimeDistributed(L.Embedding(5, 3, mask_zero=True))(x)
z = L.TimeDistributed(L.LSTM(2))(y)
print(y._keras_mask.shape.as_list(), z._keras_mask.shape.as_list(), z.shape.as_list())
text_of(lambda: L.TimeDistributed(3))
text_of(lambda: L.TimeDistributed(L.Dense(2))(tf.zeros((2, 3))))
# case: cells


class Counts(L.Layer):
    def __init__(self, units, **kwargs):
        super(Counts, self).__init__(**kwargs)
        self.state_size = units

    def build(self, shape):
        self.k = self.add_weight(shape=(shape[-1], self.state_size), name="k")
        self.built = True

    def call(self, x, states):
        output = K.dot(x, self.k) + states[0]
        return output, [output]


class WithConstants(Counts):
    def call(self, x, states, constants):
        output = K.dot(x, self.k) + states[0] * constants[0]
        return output, [output]


run(L.RNN(Counts(2)), (2, 3, 2))
run(L.RNN([Counts(2), L.LSTMCell(3), L.GRUCell(2)], return_sequences=True, return_state=True), (2, 3, 2))
run(L.RNN(tf.keras.experimental.PeepholeLSTMCell(2)), (2, 3, 2))
run(L.RNN(tf.keras.experimental.PeepholeLSTMCell(2, implementation=2)), (2, 3, 2))
layer = L.RNN(WithConstants(2))
made.append((layer, [layer(tf.constant(fixed((2, 3, 2), 1)), constants=tf.constant(fixed((2, 2), 2)))]))
values()
print(made[1][0].cell.state_size, made[1][0].cell.output_size, layer.get_config()["num_constants"])
y = L.RNN([tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.GRUCell(2)])(tf.zeros((2, 3, 2)))
print(y.shape, [v.name for v in tf.global_variables()[-6:]])
text_of(lambda: L.RNN(3))
text_of(lambda: L.LSTM(2)(tf.zeros((2, 3, 2)), initial_state=[tf.zeros((2, 2))]))
text_of(lambda: L.LSTM(2)(tf.zeros((2, 3, 2)), constants=[tf.zeros((2, 2))]))
x = tf.keras.Input((3, 2))
text_of(lambda: L.LSTM(2)(x, initial_state=[tf.keras.Input((2,)), tf.zeros((1, 2))]))
text_of(lambda: L.LSTM(2)(x, initial_state=[tf.keras.Input((2,)), tf.keras.Input((3,))]))
text_of(lambda: L.LSTM(2, stateful=True)(x))
text_of(lambda: L.LSTM(2, unroll=True)(tf.keras.Input((None, 2))))
text_of(lambda: L.LSTM(2).reset_states())
# case: states
layer = L.LSTM(2, stateful=True)
layer(tf.zeros((4, 3, 2)))
text_of(lambda: layer.reset_states([1]))
text_of(lambda: layer.reset_states([np.zeros((4, 3)), np.zeros((4, 3))]))
K.batch_set_value([(w, fixed(w.shape.as_list(), i)) for i, w in enumerate(layer.weights)])
y = layer(tf.constant(fixed((4, 3, 2), 1)))
step = K.function([], [y], updates=layer.updates[-2:])
show([np.round(step([])[0], 3) for _ in range(2)])
layer.reset_states([np.ones((4, 2)), np.zeros((4, 2))])
show(np.round(step([])[0], 3))
layer.reset_states()
show(np.round(step([])[0], 3))
# case: convolutional recurrent layers
run(L.ConvLSTM2D(2, 2, return_sequences=True), (1, 2, 3, 3, 1))
settings = dict(data_format="channels_first", padding="same", strides=2)
run(L.ConvLSTM2D(1, 2, return_state=True, go_backwards=True, **settings), (1, 2, 1, 3, 3))
run(L.ConvLSTM2D(1, 2, dropout=0.3, recurrent_dropout=0.3, use_bias=False), (1, 2, 3, 3, 1))
values(1)
print(made[0][0].get_config())
layer = L.ConvLSTM2D(2, 3, stateful=True, return_state=True, padding="same")
layer(tf.zeros((1, 2, 4, 5, 1)))
print([s.shape for s in layer.states], layer.compute_output_shape((1, 2, 4, 5, 1)), layer.state_spec)
text_of(lambda: L.ConvLSTM2D(2, 3)(tf.zeros((1, 2, 3))))
text_of(lambda: L.ConvLSTM2D(2, 3)(tf.placeholder(tf.float32, (1, 2, 4, 4, None))))
# case: updates and losses of inputs


class Adds(L.Layer):
    def __init__(self):
        super(Adds, self).__init__()
        self.v = tf.Variable(1.0, trainable=False)

    def call(self, x):
        self.add_update(tf.assign_add(self.v, 1.0))
        self.add_update(tf.assign(self.v, tf.reduce_sum(x)), inputs=True)
        self.add_update(lambda: tf.assign_add(self.v, 2.0))
        self.add_loss(tf.reduce_sum(x))
        self.add_loss(tf.reduce_sum(x), inputs=True)
        self.add_loss(self.v * 1.0)
        return x + 1


for x in (tf.keras.Input((3,)), tf.zeros((2, 3))):
    l1 = tf.keras.regularizers.l1(0.1)
    for layer in (Adds(), L.BatchNormalization(beta_regularizer="l2", activity_regularizer=l1)):
        layer(x)
        print([len(found) for found in (layer.updates, layer.losses)])
        for kind in (None, x):
            print(len(layer.get_updates_for(kind)), len(layer.get_losses_for(kind)))
layer = L.LSTM(2, stateful=True)
x = tf.zeros((2, 3, 4))
layer(x)
print(len(layer.get_updates_for(None)), len(layer.get_updates_for(x)))
# case: updates of layers inside of others
x = tf.keras.Input((3, 2))
layer = L.Bidirectional(L.SimpleRNN(3))
layer(x)
for each in (layer.forward_layer, layer.backward_layer):
    each.add_update(K.variable(0.0).assign_add(tf.reduce_sum(x)))
    each.add_update(K.variable(0.0).assign_add(1.0))
print(len(layer.updates), len(layer.get_updates_for(None)), len(layer.get_updates_for(x)))
# case: nested inputs


class Nested(L.Layer):
    def __init__(self, units):
        super(Nested, self).__init__()
        self.state_size = (tf.TensorShape([units]), tf.TensorShape([units, 2]))
        self.output_size = self.state_size

    def call(self, inputs, states):
        output = (inputs[0] + states[0], inputs[1] * states[1] + 1.0)
        return output, output


layer = L.RNN(Nested(3), return_sequences=True, return_state=True)
outputs = layer((tf.constant(fixed((2, 3, 3), 1)), tf.constant(fixed((2, 3, 3, 2), 2))))
print([y.shape.as_list() for y in tf.nest.flatten(outputs)], layer.input_spec, layer.state_spec)
made.append((layer, [outputs[0][1], outputs[1]]))
values()

# case: training given to layers whose call does not take it
class Plain(L.Layer):
    def call(self, x):
        return x * 1.0


class Phased(L.Layer):
    def call(self, x, training=None):
        print("training", training)
        return x * 2.0


class AnyKeyword(L.Layer):
    def call(self, x, **kwargs):
        print(sorted(kwargs.items()))
        return x


class Outer(L.Layer):
    def __init__(self):
        super(Outer, self).__init__()
        self.inner = Phased()

    def call(self, x):
        return self.inner(x)


class OldPlain(tf.layers.Layer):
    def call(self, x):
        return x * 3.0


x = tf.placeholder(tf.float32, [2, 4])
for layer in (L.Flatten(), L.Dense(3), tf.layers.Dense(3), L.Reshape((2, 2)), Plain(), OldPlain(), AnyKeyword()):
    print(type(layer).__name__, layer(x, training=True).shape)
for training in (True, False, None):
    Outer()(x, training=training)
inputs = tf.keras.Input((4,))
for layer in (Plain(), Phased()):
    model = tf.keras.Model(inputs, layer(inputs, training=True))
    print([at[3] for at in model.get_config()["layers"][1]["inbound_nodes"][0]])

# case: summaries of callbacks that programs derive from TensorBoard
import glob
import tempfile


class Rates(tf.keras.callbacks.TensorBoard):
    def on_epoch_end(self, epoch, logs=None):
        self._write_custom_summaries(epoch, {"rate": 0.5, "size": np.float32(2), "batch": np.array(3.0)})
        print(self._total_batches_seen, self._total_val_batches_seen, self._samples_seen)
        super(Rates, self).on_epoch_end(epoch, logs)


folder = tempfile.mkdtemp()
model = tf.keras.Sequential([L.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile("sgd", "mse")
callback = Rates(folder, update_freq=4)
model.fit(np.ones((8, 2)), np.zeros((8, 1)), batch_size=2, epochs=2, verbose=0, callbacks=[callback])
for path in glob.glob(folder + "/*tfevents*"):
    for event in tf.train.summary_iterator(path):
        for value in event.summary.value:
            print(event.step, value.tag, round(value.simple_value, 4))

# case: configurations inside of configurations
from tensorflow.python.keras.utils import generic_utils


class Part(object):
    def __init__(self, size=1):
        self.size = size

    def get_config(self):
        return {"size": self.size}


class Whole(object):
    def get_config(self):
        return {"part": Part(3), "dense": {"class_name": "Dense", "config": {"units": 2}}, "number": 4}


known = {"Part": Part, "Whole": Whole, "Dense": L.Dense}
written = generic_utils.serialize_keras_object(Whole())
print(written["class_name"], sorted(written["config"]), type(written["config"]["part"]).__name__)
cls, config = generic_utils.class_and_config_for_serialized_keras_object(written, {}, known)
print(cls.__name__, type(config["part"]).__name__, config["dense"], config["number"])


class Around(L.Wrapper):
    @classmethod
    def from_config(cls, config):
        inner = L.deserialize(config.pop("layer"))
        print(sorted(config), type(inner).__name__)
        return cls(inner, **config)

    def call(self, x):
        return self.layer(x)


model = tf.keras.Sequential([Around(L.Dense(2), input_shape=(3,)), L.TimeDistributed(L.Dense(2))][:1])
again = tf.keras.Sequential.from_config(model.get_config(), {"Around": Around})
print(again.layers[0].layer.units, again.output_shape)

# case: models of a subclass that take dicts
class OfDict(tf.keras.Model):
    def __init__(self):
        super(OfDict, self).__init__()
        self.dense = L.Dense(1, kernel_initializer="ones")

    def call(self, x):
        return self.dense(x["b"]) + self.dense(x["a"]) * 2.0


data, target = {"b": np.ones((4, 2)), "a": np.zeros((4, 2))}, np.zeros((4, 1))
model = OfDict()
model.compile("sgd", "mse")
print(np.round(model.fit(data, target, verbose=0).history["loss"], 4))
print(model.input_names, model.output_names, len(model.inputs))
print(np.round(model.predict({"a": np.ones((1, 2)), "b": np.zeros((1, 2))}), 4).tolist())
print(round(float(model.evaluate(data, target, verbose=0)), 4), round(float(model.train_on_batch(data, target)), 4))
text_of(lambda: model.predict({"a": np.ones((1, 2))}))
model = OfDict()
print(model.predict(data).ravel().tolist(), model.input_names)
model = OfDict()
model.compile("sgd", "mse")
batches = tf.data.Dataset.from_tensor_slices((data, target)).batch(2)
print(np.round(model.fit(batches, verbose=0, epochs=1, steps_per_epoch=2).history["loss"], 4))
