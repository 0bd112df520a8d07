
# case: nodes of gather_tree
s = tf.contrib.seq2seq
a = tf.placeholder(tf.int32, [None, 2, 3], name="a")
b = tf.placeholder(tf.int32, [4, None, 3], name="b")
show(s.gather_tree(a, b, tf.constant([3, 3]), 11), s.gather_tree(a, b, [3, 3], end_token=tf.constant(1), name="g"))
nodes()
# case: values of gather_tree
s = tf.contrib.seq2seq
ids = np.arange(1, 25).reshape(4, 2, 3).astype("i")
parents = np.array([[[0, 0, 0]] * 2, [[0, 1, 1], [1, 2, 0]], [[2, 1, 2], [2, 1, 1]], [[0, 0, 2], [1, 2, -1]]], "i")
with tf.Session() as session:
    for lengths in ([4, 4], [3, 2], [9, 1], [0, 4]):
        for end in (30, 8, 5):
            show(session.run(s.gather_tree(ids, np.abs(parents), lengths, end)))
    for bad in (
        lambda: s.gather_tree(ids, parents, [4, 4], 30),
        lambda: s.gather_tree(ids, np.abs(parents) + 2, [4, 4], 30),
        lambda: s.gather_tree(tf.placeholder_with_default(ids, None), tf.placeholder_with_default(parents[:2], None), [4, 4], 30),
        lambda: s.gather_tree(ids, parents, tf.placeholder_with_default([4], None), 30),
        lambda: s.gather_tree(ids, parents, [4, 4], tf.placeholder_with_default([4], None)),
        lambda: s.gather_tree(tf.placeholder_with_default(ids[0], None), parents, [4, 4], 3),
    ):
        try:
            show(session.run(bad()))
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])
# case: static shapes of gather_tree
s = tf.contrib.seq2seq
for x, y, n, e in (
    ([2, 3, 4], [2, 3, 4], [3], []),
    (None, [2, 3, 4], [3], []),
    ([2, 3, 4], None, [3], []),
    ([2, None, 4], [2, 3, 4], [3], []),
    ([2, 3, 4], [3, 3, 4], [3], []),
    ([2, 3], [2, 3], [3], []),
    ([2, None, 4], [2, None, 4], [3], []),
    ([2, 3, 4], [2, 3, 4], [2], []),
    ([2, 3, 4], [2, 3, 4], [3, 3], []),
    ([2, 3, 4], [2, 3, 4], [3], [1]),
):
    try:
        show(s.gather_tree(tf.placeholder(tf.int32, x), tf.placeholder(tf.int32, y), tf.placeholder(tf.int32, n), tf.placeholder(tf.int32, e)))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
# case: nodes of tile_batch
s = tf.contrib.seq2seq
x = tf.placeholder(tf.float32, [None, 3], name="x")
state = tf.nn.rnn_cell.LSTMStateTuple(x, tf.zeros([2, 3, 4]))
show(s.tile_batch(x, 3), s.tile_batch(state, multiplier=2), s.tile_batch(tf.placeholder(tf.int32, [2]), 4, name="t"), s.tile_batch(np.array([1, 2]), 2))
nodes()
# case: values of tile_batch
s = tf.contrib.seq2seq
with tf.Session() as session:
    show(session.run(s.tile_batch({"a": np.arange(6).reshape(2, 3), "b": np.array([1.5, 2.5])}, 3)))
    for bad in (lambda: s.tile_batch(3, 3), lambda: s.tile_batch(tf.placeholder(tf.float32, None), 2)):
        try:
            show(bad())
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])
# case: nodes of beam search
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
table = tf.get_variable("table", [6, 3])
start = tf.placeholder(tf.int32, [None], name="start")
decoder = s.BeamSearchDecoder(cell, table, start, 5, cell.zero_state(tf.size(start) * 2, tf.float32), 2, tf.layers.Dense(6))
show(decoder.batch_size, decoder.output_size, decoder.output_dtype, decoder.tracks_own_finished)
show(s.dynamic_decode(decoder, maximum_iterations=4))
nodes()
# case: nodes of beam search of a known batch
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(6)
state = s.tile_batch(tf.zeros([2, 6]), 3)
decoder = s.BeamSearchDecoder(cell, lambda ids: tf.one_hot(ids, 6), [0, 1], 5, state, 3, length_penalty_weight=0.7)
show(decoder.batch_size, decoder.output_size, decoder.output_dtype)
show(s.dynamic_decode(decoder, output_time_major=True, maximum_iterations=4))
nodes()
# case: beam search with a sorted history
s = tf.contrib.seq2seq
tf.set_random_seed(4)
start = tf.placeholder(tf.int32, [None], name="start")
n = tf.size(start)
memory = s.tile_batch(tf.placeholder(tf.float32, [None, 3, 5], name="memory"), 2)
cell = s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), s.LuongAttention(4, memory), alignment_history=True)
decoder = s.BeamSearchDecoder(cell, tf.constant(np.linspace(-2, 2, 18).reshape(6, 3).astype("f")), start, 5, cell.zero_state(n * 2, tf.float32), 2, tf.layers.Dense(6))
with tf.variable_scope("x", initializer=tf.random_normal_initializer(stddev=0.9, seed=1)):
    outputs, state, lengths = s.dynamic_decode(decoder, maximum_iterations=4)
show(outputs, lengths, state.cell_state.alignment_history)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        values = session.run([outputs, lengths, state.cell_state.alignment_history], {start: [0, 1], "memory:0": np.linspace(-2, 2, 30).reshape(2, 3, 5)})
        show(tf.contrib.framework.nest.map_structure(lambda a: np.round(a, 2), values))
nodes()
# case: nodes of beam search with coverage
s = tf.contrib.seq2seq
memory = s.tile_batch(tf.zeros([2, 3, 5]), 2)
m = s.LuongAttention(4, memory, s.tile_batch(tf.constant([2, 3]), 2))
cell = s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), m, 4, alignment_history=True)
decoder = s.BeamSearchDecoder(cell, tf.zeros([6, 3]), tf.fill([2], 1), 5, cell.zero_state(4, tf.float32), 2, tf.layers.Dense(6), 0.5, 0.3)
outputs, state, lengths = s.dynamic_decode(decoder, maximum_iterations=4)
show(outputs, lengths, state.log_probs, state.accumulated_attention_probs, state.cell_state.attention, state.cell_state.alignment_history.stack())
nodes()
# case: nodes of beam search with unsorted histories
s = tf.contrib.seq2seq
memory = s.tile_batch(tf.zeros([2, 3, 5]), 2)
cell = s.AttentionWrapper(tf.nn.rnn_cell.LSTMCell(4), [s.LuongAttention(4, memory), s.BahdanauAttention(4, memory)], alignment_history=True)
decoder = s.BeamSearchDecoder(cell, tf.zeros([6, 3]), tf.fill([2], 1), 5, cell.zero_state(4, tf.float32), 2, tf.layers.Dense(6), coverage_penalty_weight=0.2, reorder_tensor_arrays=False)
outputs, state, lengths = s.dynamic_decode(decoder, maximum_iterations=4)
show(outputs, lengths, [a.stack() for a in state.cell_state.alignment_history])
nodes()
# case: values of beam search
s = tf.contrib.seq2seq
tf.set_random_seed(3)
random = np.random.RandomState(1)
table = tf.constant(random.randn(7, 3).astype("f"))
memory = tf.constant(random.randn(3, 4, 5).astype("f"))
results = []
for i, (width, layer, keywords, limit) in enumerate((
    (1, True, {}, 5),
    (3, True, {}, 5),
    (3, True, {"length_penalty_weight": 1.0}, 6),
    (4, False, {"length_penalty_weight": 0.5}, 4),
    (3, True, {"coverage_penalty_weight": 0.8, "length_penalty_weight": 0.2}, 6),
    (2, True, {"reorder_tensor_arrays": False}, 3),
)):
    with tf.variable_scope("case%d" % i, initializer=tf.random_normal_initializer(stddev=0.9, seed=i)):
        tiled = s.tile_batch(memory, width)
        cell = s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(7), s.LuongAttention(7, tiled, s.tile_batch(tf.constant([4, 2, 3]), width)), 7, alignment_history=True)
        decoder = s.BeamSearchDecoder(cell, table, tf.constant([0, 1, 2]), 6, cell.zero_state(3 * width, tf.float32), width, tf.layers.Dense(7) if layer else None, **keywords)
        outputs, state, lengths = s.dynamic_decode(decoder, maximum_iterations=limit)
        history = state.cell_state.alignment_history
        results.append([outputs, lengths, state.log_probs, state.finished, state.lengths, state.accumulated_attention_probs, state.cell_state.attention, history if isinstance(history, tf.Tensor) else history.stack()])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        for values in session.run(results):
            show(tf.contrib.framework.nest.map_structure(lambda a: np.round(a, 2), values))
# case: beam search that ends at once
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
decoder = s.BeamSearchDecoder(cell, tf.zeros([4, 3]), [0, 1], 2, tf.zeros([6, 4]), 3, tf.layers.Dense(4, bias_initializer=tf.constant_initializer([0.0, 0.0, 90.0, 1.0])))
results = s.dynamic_decode(decoder)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(session.run(results))
# case: errors of beam search
s = tf.contrib.seq2seq
cell = tf.nn.rnn_cell.BasicRNNCell(4)
table = tf.zeros([4, 3])
state = tf.zeros([4, 4])
for call in (
    lambda: s.BeamSearchDecoder(3, table, [0, 1], 2, state, 2),
    lambda: s.BeamSearchDecoder(cell, table, [0, 1], 2, state, 2, 3),
    lambda: s.BeamSearchDecoder(cell, table, 0, 2, state, 2),
    lambda: s.BeamSearchDecoder(cell, table, [0, 1], [2], state, 2),
    lambda: s.BeamSearchDecoder(cell, table, [0, 1], 2, tf.zeros([5, 4]), 2),
    lambda: s.BeamSearchDecoder(cell, table, [0, 1], 2, tf.zeros([]), 2),
    lambda: s.BeamSearchDecoder(cell, None, [0, 1], 2, state, 2),
    lambda: s.BeamSearchDecoder(cell, table, [0, 1], 2, tf.placeholder(tf.float32, None), 2),
    lambda: s.dynamic_decode(s.BeamSearchDecoder(cell, table, [0, 1], 2, tf.zeros([4, 5]), 2), maximum_iterations=2),
):
    try:
        print(type(call()).__name__)
    except Exception as error:
        lines = str(error).splitlines()
        print(type(error).__name__, (lines[-1].replace("ValueError: ", "").strip() if "converted" in lines[0] else lines[0])[:200])
