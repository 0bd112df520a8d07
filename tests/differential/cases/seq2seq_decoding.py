
# case: nodes of decoding with given inputs
x = tf.placeholder(tf.float32, [None, None, 3], name="x")
n = tf.placeholder(tf.int32, [None], name="n")
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
helper = s.TrainingHelper(x, n)
decoder = s.BasicDecoder(cell, helper, cell.zero_state(helper.batch_size, tf.float32))
show(helper.batch_size, helper.sample_ids_shape, helper.sample_ids_dtype, helper.sequence_length, helper.inputs)
show(decoder.batch_size, decoder.output_size, decoder.output_dtype, decoder.tracks_own_finished)
show(s.dynamic_decode(decoder))
nodes()
# case: nodes of decoding with imputed states, time-major, of a known batch
x = tf.placeholder(tf.float32, [5, 2, 3], name="x")
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicLSTMCell(4)
helper = s.TrainingHelper(x, [3, 4], time_major=True)
decoder = s.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), tf.layers.Dense(6))
show(decoder.batch_size, decoder.output_size, decoder.output_dtype)
show(s.dynamic_decode(decoder, output_time_major=True, impute_finished=True, maximum_iterations=7, parallel_iterations=3, swap_memory=True, scope="net"))
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of decoding with several inputs
x = (tf.zeros([2, 5, 3]), tf.zeros([2, 5, 2]))
s = tf.contrib.seq2seq
class Cell(tf.nn.rnn_cell.RNNCell):
    state_size = 3
    output_size = 2
    def __call__(self, inputs, state, scope=None):
        return inputs[1], state + inputs[0]
helper = s.TrainingHelper(x, tf.constant([3, 4]), name="teacher")
show(s.dynamic_decode(s.BasicDecoder(Cell(), helper, tf.zeros([2, 3])), maximum_iterations=tf.constant(4)))
nodes()
# case: nodes of greedy decoding
s = tf.contrib.seq2seq
table = tf.get_variable("table", [6, 3])
cell = tf.nn.rnn_cell.BasicRNNCell(4)
helper = s.GreedyEmbeddingHelper(table, tf.placeholder(tf.int32, [None], name="start"), 5)
show(helper.batch_size, helper.sample_ids_shape, helper.sample_ids_dtype)
decoder = s.BasicDecoder(cell, helper, cell.zero_state(helper.batch_size, tf.float32), tf.layers.Dense(6, name="projection"))
show(s.dynamic_decode(decoder, maximum_iterations=4, impute_finished=True))
nodes()
# case: nodes of greedy decoding with a function for an embedding
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
helper = s.GreedyEmbeddingHelper(lambda ids: tf.one_hot(ids, 4), tf.constant([0, 1]), 3)
decoder = s.BasicDecoder(cell, helper, tf.zeros([2, 4]))
show(s.dynamic_decode(decoder, maximum_iterations=4))
nodes()
# case: nodes of sampled decoding
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
for keywords in ({}, {"softmax_temperature": 0.5, "seed": 3}):
    helper = s.SampleEmbeddingHelper(tf.zeros([4, 3]), tf.constant([0, 1]), 3, **keywords)
    decoder = s.BasicDecoder(cell, helper, tf.zeros([2, 4]))
    show(s.dynamic_decode(decoder, maximum_iterations=4))
nodes()
# case: nodes of scheduled embeddings
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
x = tf.placeholder(tf.float32, [None, None, 3], name="x")
helper = s.ScheduledEmbeddingTrainingHelper(x, tf.constant([2, 3]), tf.zeros([4, 3]), 0.25)
decoder = s.BasicDecoder(cell, helper, tf.zeros([2, 4]))
show(s.dynamic_decode(decoder))
nodes()
# case: nodes of scheduled embeddings with seeds
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
x = tf.placeholder(tf.float32, [None, 2, 3], name="x")
p = tf.placeholder(tf.float32, [], name="p")
helper = s.ScheduledEmbeddingTrainingHelper(x, tf.constant([2, 3]), lambda ids: tf.one_hot(ids, 3), p, True, 3, 4, "chance")
decoder = s.BasicDecoder(cell, helper, tf.zeros([2, 4]))
show(s.dynamic_decode(decoder))
nodes()
# case: nodes of scheduled outputs
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(3)
x = tf.placeholder(tf.float32, [None, None, 3], name="x")
helper = s.ScheduledOutputTrainingHelper(x, tf.constant([2, 3]), 0.25)
show(s.dynamic_decode(s.BasicDecoder(cell, helper, tf.zeros([2, 3]))))
nodes()
# case: nodes of scheduled outputs with auxiliary inputs
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
x = tf.placeholder(tf.float32, [None, None, 3], name="x")
helper = s.ScheduledOutputTrainingHelper(x, tf.constant([2, 3]), 0.25, seed=3, next_inputs_fn=tf.layers.Dense(3), auxiliary_inputs=tf.zeros([2, 4, 2]))
show(s.dynamic_decode(s.BasicDecoder(cell, helper, tf.zeros([2, 4]))))
nodes()
# case: nodes of scheduled outputs of probability 0
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
helper = s.ScheduledOutputTrainingHelper(tf.zeros([2, 3, 4]), tf.constant([2, 3]), 0.0, auxiliary_inputs=tf.zeros([2, 3, 1]))
show(s.dynamic_decode(s.BasicDecoder(cell, helper, tf.zeros([2, 4]))))
nodes()
# case: nodes of own inference
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
for keywords in ({}, {"next_inputs_fn": lambda ids: ids * 2.0}):
    helper = s.InferenceHelper(lambda outputs: outputs + 1.0, [4], tf.float32, tf.ones([2, 4]), lambda ids: tf.reduce_all(ids > 3.0, 1), **keywords)
    show(helper.batch_size, helper.sample_ids_shape, helper.sample_ids_dtype)
    show(s.dynamic_decode(s.BasicDecoder(cell, helper, tf.zeros([2, 4])), maximum_iterations=3))
nodes()
# case: nodes of a custom helper
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
helper = s.CustomHelper(
    lambda: (tf.fill([2], False), tf.ones([2, 3])),
    lambda time, outputs, state: tf.argmax(outputs, 1, output_type=tf.int32),
    lambda time, outputs, state, sample_ids: (tf.equal(sample_ids, 1), tf.ones([2, 3]), state),
)
show(helper.sample_ids_shape, helper.sample_ids_dtype)
decoder = s.BasicDecoder(cell, helper, tf.zeros([2, 4]))
show(s.dynamic_decode(decoder, maximum_iterations=3))
show(helper.batch_size, decoder.batch_size)
helper = s.CustomHelper(None, None, None, tf.TensorShape([3]), tf.int64)
show(helper.sample_ids_shape, helper.sample_ids_dtype)
nodes()
# case: nodes of an own decoder
s = tf.contrib.seq2seq
class Counting(s.Decoder):
    tracks_own_finished = False
    @property
    def batch_size(self):
        return tf.constant(2)
    @property
    def output_size(self):
        return (tf.TensorShape([2, 3]), 1, tf.TensorShape([]))
    @property
    def output_dtype(self):
        return (tf.float32, tf.int64, tf.int32)
    def initialize(self, name=None):
        return tf.fill([2], False), tf.ones([2]), {"sum": tf.zeros([2, 1]), "count": tf.constant(0)}
    def step(self, time, inputs, state, name=None):
        state = {"sum": state["sum"] + 1.0, "count": state["count"] + 1}
        return (tf.ones([2, 2, 3]), tf.ones([2, 1], tf.int64), tf.fill([2], time)), state, inputs + 1.0, tf.stack([time > 1, time > 2])
    def finalize(self, outputs, final_state, sequence_lengths):
        return outputs + (sequence_lengths,), final_state
    
for own in (False, True):
    Counting.tracks_own_finished = own
    for impute in (False, True):
        results = s.dynamic_decode(Counting(), impute_finished=impute)
        show(results)
        with tf.Session() as session:
            show(session.run(results))
nodes()
# case: values of decoding
s = tf.contrib.seq2seq
tf.set_random_seed(3)
x = tf.placeholder(tf.float32, [None, None, 3])
n = tf.placeholder(tf.int32, [None])
table = tf.constant(np.linspace(-1, 1, 15).reshape(5, 3).astype("f"))
cell = tf.nn.rnn_cell.GRUCell(5)
results = []
for make in (
    lambda: s.TrainingHelper(x, n),
    lambda: s.GreedyEmbeddingHelper(table, tf.fill([tf.size(n)], 1), 3),
    lambda: s.SampleEmbeddingHelper(table, tf.fill([tf.size(n)], 1), 3, seed=2),
    lambda: s.SampleEmbeddingHelper(table, tf.fill([tf.size(n)], 1), 3, 0.3, seed=5),
    lambda: s.ScheduledEmbeddingTrainingHelper(x, n, table, 0.5, seed=3, scheduling_seed=4),
    lambda: s.ScheduledOutputTrainingHelper(x, n, 0.5, seed=3, next_inputs_fn=lambda o: o[:, :3]),
    lambda: s.ScheduledOutputTrainingHelper(x[:, :, :2], n, 0.5, seed=3, next_inputs_fn=lambda o: o[:, :2], auxiliary_inputs=x[:, :, 2:]),
):
    for keywords in ({}, {"output_time_major": True, "impute_finished": True}):
        helper = make()
        decoder = s.BasicDecoder(cell, helper, cell.zero_state(helper.batch_size, tf.float32))
        with tf.variable_scope("decoder", reuse=tf.AUTO_REUSE):
            results.append(s.dynamic_decode(decoder, maximum_iterations=4, parallel_iterations=1, **keywords))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    rows = np.linspace(-1, 1, 36).reshape(3, 4, 3)
    for lengths in ([4, 2, 0], [1, 2, 1]):
        for _ in range(2):
            for value in session.run(results, {x: rows, n: lengths}):
                show(tf.nest.map_structure(lambda a: np.round(a, 3), value))
# case: gradients of decoding
s = tf.contrib.seq2seq
tf.set_random_seed(3)
x = tf.constant(np.linspace(-1, 1, 36).reshape(3, 4, 3).astype("f"))
cell = tf.nn.rnn_cell.LSTMCell(5)
for impute in (False, True):
    helper = s.TrainingHelper(x, [4, 2, 0])
    decoder = s.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32), tf.layers.Dense(4, name="out", _reuse=tf.AUTO_REUSE))
    with tf.variable_scope("decoder", reuse=tf.AUTO_REUSE):
        outputs, state, lengths = s.dynamic_decode(decoder, impute_finished=impute)
    grads = tf.gradients([tf.square(outputs.rnn_output), state.c], [x] + tf.trainable_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in session.run([outputs, state, lengths] + grads):
            show(tf.nest.map_structure(lambda a: np.round(a, 3), value))
# case: errors of decoders and helpers
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
helper = s.TrainingHelper(tf.zeros([2, 3, 4]), [1, 2])
decoder = s.BasicDecoder(cell, helper, tf.zeros([2, 4]))
table = tf.zeros([5, 3])
for call in (
    lambda: s.TrainingHelper(tf.zeros([2, 3, 4]), 3),
    lambda: s.TrainingHelper(tf.zeros([2, 3, 4]), [1.5, 2.5]),
    lambda: s.TrainingHelper(3.0, [1, 2]),
    lambda: s.BasicDecoder(3, helper, None),
    lambda: s.BasicDecoder(cell, 3, None),
    lambda: s.BasicDecoder(cell, helper, None, output_layer=3),
    lambda: s.BasicDecoder(cell, helper, None, output_layer=tf.identity),
    lambda: s.dynamic_decode(3),
    lambda: s.dynamic_decode(decoder, maximum_iterations=[3]),
    lambda: s.dynamic_decode(decoder, maximum_iterations=3.5),
    lambda: s.dynamic_decode(s.BasicDecoder(cell, helper, tf.zeros([2, 5]))),
    lambda: s.dynamic_decode(s.BasicDecoder(cell, helper, (tf.zeros([2, 4]),))),
    lambda: s.dynamic_decode(s.BasicDecoder(cell, helper, None)),
    lambda: s.GreedyEmbeddingHelper(table, 3, 4),
    lambda: s.GreedyEmbeddingHelper(table, [3], [4]),
    lambda: s.GreedyEmbeddingHelper(table, [3.5], 4),
    lambda: s.GreedyEmbeddingHelper(None, [3], 4),
    lambda: s.ScheduledEmbeddingTrainingHelper(tf.zeros([2, 3, 4]), [1, 2], table, [[0.1]]),
    lambda: s.ScheduledOutputTrainingHelper(tf.zeros([2, 3, 4]), [1, 2], [[0.1]]),
    lambda: s.ScheduledOutputTrainingHelper(tf.zeros([2, 3, 4]), [1, 2], 0.1, auxiliary_inputs=(tf.zeros([2, 3, 4]),)),
    lambda: s.CustomHelper(None, None, None).batch_size,
    lambda: s.CustomHelper(lambda: (True, 3), None, None).initialize(),
    lambda: s.InferenceHelper(None, [], tf.int32, 3.0, None),
    lambda: s.Helper(),
    lambda: s.Decoder(),
    lambda: helper.sample(0, (tf.zeros([2, 3]),)),
    lambda: s.GreedyEmbeddingHelper(table, [3], 4).sample(0, 3, None),
    lambda: s.SampleEmbeddingHelper(table, [3], 4).sample(0, 3, None),
):
    try:
        print(type(call()).__name__)
    except Exception as error:
        lines = str(error).splitlines()
        line = lines[-1].replace("ValueError: ", "").strip() if "converted" in lines[0] else lines[0]
        print(type(error).__name__, line[:120])
# case: samplers one by one
s = tf.contrib.seq2seq
helper = s.TrainingHelper(tf.zeros([2, 3, 4]), [1, 2])
show(helper.initialize())
show(helper.sample(tf.constant(0), tf.zeros([2, 5])))
show(helper.next_inputs(tf.constant(0), None, "state"))
show(helper.initialize(name="a"), helper.sample(tf.constant(0), tf.zeros([2, 5]), name="b"), helper.next_inputs(tf.constant(0), None, "state", name="c"))
helper = s.GreedyEmbeddingHelper(tf.zeros([4, 3]), [1, 2], 3)
show(helper.initialize())
show(helper.sample(tf.constant(0), tf.zeros([2, 4]), None))
show(helper.next_inputs(tf.constant(0), None, "state", tf.constant([1, 3])))
helper = s.SampleEmbeddingHelper(tf.zeros([4, 3]), [1, 2], 3, softmax_temperature=tf.constant(2.0))
show(helper.sample(tf.constant(0), tf.zeros([2, 4]), None))
helper = s.ScheduledEmbeddingTrainingHelper(tf.zeros([2, 3, 4]), [1, 2], tf.zeros([4, 4]), 0.2)
show(helper.initialize())
show(helper.sample(tf.constant(0), tf.zeros([2, 4]), None))
show(helper.next_inputs(tf.constant(0), tf.zeros([2, 4]), "state", tf.constant([1, -1])))
helper = s.ScheduledOutputTrainingHelper(tf.zeros([2, 3, 4]), [1, 2], 0.2)
show(helper.initialize())
show(helper.sample(tf.constant(0), tf.zeros([2, 4]), None))
show(helper.next_inputs(tf.constant(0), tf.zeros([2, 4]), "state", tf.constant([True, False])))
nodes()
