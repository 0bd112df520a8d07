
# case: cells that are compatible with cuDNN
x = tf.placeholder(tf.float32, [2, 4], name="x")
for cell in (tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(3), tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell(3)):
    show(cell.name, cell.state_size, cell.output_size, cell(x, cell.zero_state(2, tf.float32)))
    show([v.name for v in cell.weights])
nodes()
# case: values of cells that are compatible with cuDNN
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
for cell in (tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(3), tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell(3)):
    output, state = cell(x, cell.zero_state(2, tf.float32))
    output, state = cell(x, state)
    results = [output, state, tf.gradients(output, [x] + cell.trainable_weights)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(results)))
