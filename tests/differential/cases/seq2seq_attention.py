
# case: nodes of Luong attention
s = tf.contrib.seq2seq
memory = tf.placeholder(tf.float32, [None, None, 5], name="memory")
n = tf.placeholder(tf.int32, [None], name="n")
m = s.LuongAttention(4, memory, n)
show(type(m.memory_layer).__name__, m.query_layer, m.keys, m.values, m.batch_size, m.alignments_size, m.state_size)
show(m.initial_alignments(3, tf.float32), m.initial_state(tf.size(n), tf.float32))
show(m(tf.zeros([3, 4]), tf.zeros([3, 7])))
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of scaled Luong attention without lengths
s = tf.contrib.seq2seq
memory = tf.zeros([2, 3, 5])
m = s.LuongAttention(4, memory, scale=True, probability_fn=tf.nn.sigmoid, dtype=tf.float32, name="attend")
show(m.keys, m.values, m.batch_size, m.alignments_size, m.state_size)
show(m(tf.zeros([2, 4]), None))
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of Bahdanau attention
s = tf.contrib.seq2seq
memory = tf.placeholder(tf.float32, [2, None, 5], name="memory")
m = s.BahdanauAttention(4, memory, [3, 2], score_mask_value=-7.0)
show(m.memory_layer.name, m.query_layer.name, m.keys, m.values, m.batch_size, m.alignments_size, m.state_size)
show(m(tf.zeros([2, 6]), None))
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of normalized Bahdanau attention
s = tf.contrib.seq2seq
m = s.BahdanauAttention(4, tf.zeros([2, 3, 5], tf.float64), normalize=True, probability_fn=s.hardmax, dtype=tf.float64)
show(m(tf.zeros([2, 6], tf.float64), None))
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of attention with own keys and values
s = tf.contrib.seq2seq
m = s.BahdanauAttention(4, tf.zeros([2, 3, 5]), custom_key_value_fn=lambda k, v: (k * 2.0, v * 3.0))
show(m.keys, m.values)
m = s.LuongAttention(4, tf.zeros([2, 3, 5]), custom_key_value_fn=lambda k, v: (k * 2.0, v * 3.0))
show(m.keys, m.values)
nodes()
# case: nodes of monotonic Bahdanau attention
s = tf.contrib.seq2seq
m = s.BahdanauMonotonicAttention(4, tf.zeros([2, 3, 5]), [3, 2])
show(m.initial_alignments(2, tf.float32))
show(m(tf.zeros([2, 6]), tf.zeros([2, 3])))
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of noisy monotonic Bahdanau attention
s = tf.contrib.seq2seq
m = s.BahdanauMonotonicAttention(4, tf.zeros([2, 3, 5]), normalize=True, sigmoid_noise=1.0, sigmoid_noise_seed=3, score_bias_init=-2.0, mode="recursive")
show(m(tf.zeros([2, 6]), tf.zeros([2, 3])))
nodes()
# case: nodes of monotonic Luong attention
s = tf.contrib.seq2seq
for keywords in ({}, {"scale": True, "sigmoid_noise": 0.5, "mode": "hard", "memory_sequence_length": [1, 2]}):
    m = s.LuongMonotonicAttention(4, tf.zeros([2, 3, 5]), **keywords)
    show(m(tf.zeros([2, 4]), tf.zeros([2, 3])))
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of monotonic attention
s = tf.contrib.seq2seq
p = tf.placeholder(tf.float32, [None, 4], name="p")
for mode in ("recursive", "parallel", "hard"):
    show(s.monotonic_attention(p, tf.placeholder(tf.float32, [None, 4]), mode))
show(s.monotonic_attention(np.ones([2, 3], "f"), np.ones([2, 3], "f"), "recursive"))
show(s.safe_cumprod(p, axis=1, exclusive=True), s.safe_cumprod([1.0, 2.0]), s.hardmax(p), s.hardmax([[1.0, 2.0]], name="h"))
nodes()
# case: values of monotonic attention
s = tf.contrib.seq2seq
random = np.random.RandomState(0)
p = random.uniform(size=[3, 5]).astype("f")
a = random.uniform(size=[3, 5]).astype("f")
a /= a.sum(1, keepdims=True)
with tf.Session() as session:
    for mode in ("recursive", "parallel"):
        x, y = tf.constant(p), tf.constant(a)
        r = s.monotonic_attention(x, y, mode)
        for value in session.run([r] + tf.gradients(tf.square(r), [x, y])):
            show(np.round(value, 4))
    hard = np.eye(5)[[0, 2, 4]].astype("f")
    show(session.run(s.monotonic_attention((p > 0.5).astype("f"), hard, "hard")))
    for keywords in ({}, {"axis": 1}, {"axis": 1, "exclusive": True}, {"axis": 1, "reverse": True}):
        show(np.round(session.run(s.safe_cumprod(np.abs(p), **keywords)), 4))
    show(session.run(s.hardmax([[1.0, 3.0, 2.0], [5.0, 5.0, 0.0]])))
# case: nodes of an attention wrapper
s = tf.contrib.seq2seq
memory = tf.placeholder(tf.float32, [None, None, 5], name="memory")
n = tf.placeholder(tf.int32, [None], name="n")
m = s.LuongAttention(4, memory, n)
cell = s.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(4), m, 6)
show(cell.output_size, cell.state_size)
zero = cell.zero_state(tf.size(n), tf.float32)
show(zero)
show(cell(tf.zeros([3, 2]), zero))
show([v.name for v in tf.global_variables()], [v.name for v in cell.trainable_variables], cell.name)
nodes()
# case: nodes of an attention wrapper without a layer, with a history
s = tf.contrib.seq2seq
m = s.BahdanauAttention(4, tf.zeros([2, 3, 5]), [3, 2])
cell = s.AttentionWrapper(tf.nn.rnn_cell.LSTMCell(4), m, alignment_history=True, output_attention=False, name="attend")
show(cell.output_size, cell.state_size)
zero = cell.zero_state(2, tf.float32)
print(type(zero.alignment_history).__name__)
show(zero._replace(alignment_history=()))
output, state = cell(tf.zeros([2, 2]), zero)
show(output, state._replace(alignment_history=()))
show(state.alignment_history.stack())
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of an attention wrapper of two mechanisms
s = tf.contrib.seq2seq
m = [s.BahdanauAttention(4, tf.zeros([2, 3, 5])), s.LuongAttention(4, tf.zeros([2, 4, 5]))]
cell = s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), m, [6, 7], alignment_history=True, cell_input_fn=lambda inputs, attention: inputs + attention[:, :2])
show(cell.output_size, cell.state_size)
zero = cell.zero_state(2, tf.float32)
output, state = cell(tf.zeros([2, 2]), zero)
show(output, state._replace(alignment_history=()))
show([a.stack() for a in state.alignment_history])
show([v.name for v in tf.global_variables()])
nodes()
# case: nodes of an attention wrapper with a layer, a first state and an own function
s = tf.contrib.seq2seq
m = s.LuongAttention(4, tf.zeros([2, 3, 5]))
def attend(mechanism, output, state, layer):
    alignments, next_state = mechanism(output, state=state)
    return tf.zeros([2, 7]), alignments, next_state
for i, keywords in enumerate((
    {"attention_layer": tf.layers.Dense(6)},
    {"initial_cell_state": tf.ones([2, 4]), "attention_fn": attend, "attention_layer_size": 7},
    {"attention_layer": tf.layers.Dense(3, use_bias=False), "dtype": tf.float32},
)):
    cell = s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), m, name="wrapper%d" % i, **keywords)
    show(cell.output_size, cell.state_size)
    zero = cell.zero_state(2, tf.float32)
    show(cell(tf.zeros([2, 2]), zero))
show([v.name for v in tf.global_variables()])
nodes()
# case: copies of a state
s = tf.contrib.seq2seq
cell = s.AttentionWrapper(tf.nn.rnn_cell.LSTMCell(4), s.LuongAttention(4, tf.placeholder(tf.float32, [None, 3, 5])))
static = cell.zero_state(3, tf.float32)
n = tf.placeholder(tf.int32, [])
state = cell.zero_state(n, tf.float32)
show(static.clone(cell_state=state.cell_state, attention=state.attention))
show(static.clone(time=tf.constant(3)))
show(s.AttentionWrapperState._fields)
show(s.AttentionWrapperState(*[None] * 6).clone(time=1))
for change in ({"attention": tf.zeros([2, 4])}, {"cell_state": 3}, {"attention": None}):
    try:
        show(static.clone(**change))
    except Exception as error:
        print(type(error).__name__, (str(error).splitlines() or [""])[0])
# case: nodes of decoding with attention
s = tf.contrib.seq2seq
memory = tf.placeholder(tf.float32, [None, None, 5], name="memory")
n = tf.placeholder(tf.int32, [None], name="n")
m = s.BahdanauAttention(4, memory, n)
cell = s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), m, 6, alignment_history=True)
helper = s.TrainingHelper(tf.placeholder(tf.float32, [None, None, 2]), n)
outputs, state, lengths = s.dynamic_decode(s.BasicDecoder(cell, helper, cell.zero_state(tf.size(n), tf.float32), tf.layers.Dense(3)), impute_finished=True)
show(outputs, state._replace(alignment_history=()), lengths, state.alignment_history.stack())
show([v.name for v in tf.global_variables()])
nodes()
# case: values of decoding with attention
s = tf.contrib.seq2seq
random = np.random.RandomState(1)
encoded = random.randn(3, 4, 5).astype("f")
fed = random.randn(3, 3, 2).astype("f")
memory = tf.placeholder(tf.float32, [None, None, 5])
n = tf.placeholder(tf.int32, [None])
x = tf.placeholder(tf.float32, [None, None, 2])
cases = []
for i, (make, keywords) in enumerate((
    (s.LuongAttention, {}),
    (s.LuongAttention, {"scale": True}),
    (s.BahdanauAttention, {}),
    (s.BahdanauAttention, {"normalize": True}),
    (s.BahdanauAttention, {"probability_fn": s.hardmax}),
    (s.LuongMonotonicAttention, {"sigmoid_noise": 1.0, "sigmoid_noise_seed": 3}),
    (s.LuongMonotonicAttention, {"mode": "hard", "scale": True}),
    (s.BahdanauMonotonicAttention, {"mode": "recursive"}),
    (s.BahdanauMonotonicAttention, {"normalize": True, "score_bias_init": -1.0}),
)):
    with tf.variable_scope("case%d" % i, initializer=tf.random_normal_initializer(stddev=0.5, seed=3)):
        cell = s.AttentionWrapper(tf.nn.rnn_cell.LSTMCell(4), make(4, memory, n, **keywords), 6, alignment_history=True)
        outputs, state, _ = s.dynamic_decode(s.BasicDecoder(cell, s.TrainingHelper(x, n), cell.zero_state(tf.size(n), tf.float32)))
        grads = tf.gradients(tf.square(outputs.rnn_output), [memory, x] + tf.trainable_variables("case%d" % i))
        cases.append([outputs, state.attention, state.alignment_history.stack()] + [g for g in grads if g is not None])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for lengths in ([3, 1, 2], [1, 1, 1]):
        for values in session.run(cases, {memory: encoded, x: fed, n: lengths}):
            show(tf.contrib.framework.nest.map_structure(lambda a: np.round(a, 2), values))
# case: a state for another batch
s = tf.contrib.seq2seq
memory = tf.placeholder(tf.float32, [None, 3, 5])
cell = s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), s.LuongAttention(4, memory))
state = cell.zero_state(2, tf.float32)
with tf.Session() as session:
    show(session.run(state.attention, {memory: np.zeros([3, 3, 5])}))
# case: errors of attention
s = tf.contrib.seq2seq
memory = tf.zeros([2, 3, 5])
gru = tf.nn.rnn_cell.GRUCell(4)
luong = s.LuongAttention(4, memory)
bahdanau = s.BahdanauAttention(4, memory)
class Mechanism(s.AttentionMechanism):
    pass
for call in (
    lambda: s.AttentionWrapper(3, luong),
    lambda: s.AttentionWrapper(gru, 3),
    lambda: s.AttentionWrapper(gru, [luong, 3]),
    lambda: s.AttentionWrapper(gru, luong, cell_input_fn=3),
    lambda: s.AttentionWrapper(gru, luong, [3, 4]),
    lambda: s.AttentionWrapper(gru, [luong, luong], [3]),
    lambda: s.AttentionWrapper(gru, [luong, luong], attention_layer=[tf.layers.Dense(3)]),
    lambda: s.AttentionWrapper(gru, luong, 3, attention_layer=tf.layers.Dense(3)),
    lambda: s.AttentionWrapper(gru, luong, attention_fn=3),
    lambda: s.AttentionWrapper(gru, luong, initial_cell_state=tf.zeros([3, 4])).zero_state(2, tf.float32),
    lambda: s.AttentionWrapper(gru, luong, initial_cell_state=(tf.zeros([2, 4]),)).zero_state(2, tf.float32),
    lambda: s.AttentionWrapper(gru, luong)(tf.zeros([2, 2]), tf.zeros([2, 4])),
    lambda: luong(tf.zeros([2, 5]), None),
    lambda: luong(tf.zeros([2, 3, 4]), None),
    lambda: s.LuongAttention(4, tf.placeholder(tf.float32, [2, 3, None])),
    lambda: s.LuongAttention(4, tf.placeholder(tf.float32, [2])),
    lambda: s.LuongAttention(4, memory, [[1, 2]]),
    lambda: s.LuongAttention(4, memory, probability_fn=3),
    lambda: s.LuongAttention(4, memory, [1, 2, 3]),
    lambda: s.BahdanauAttention(4, None),
    lambda: s.monotonic_attention(tf.zeros([2, 3]), tf.zeros([2, 3]), "soft"),
    lambda: Mechanism().state_size,
    lambda: Mechanism().alignments_size,
):
    try:
        print(type(call()).__name__)
    except Exception as error:
        lines = str(error).splitlines() or [""]
        line = lines[-1].replace("TypeError: ", "").strip() if "converted" in lines[0] else lines[0]
        print(type(error).__name__, line.split(" Received type")[0][:700].strip())
