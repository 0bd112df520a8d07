# case: the loss of logits
loss = tf.contrib.seq2seq.sequence_loss
logits = tf.placeholder(tf.float32, [None, None, 5])
targets, weights = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.float32, [None, None])
show(loss(logits, targets, weights))
show(loss(logits, targets, weights, True, False))
show(loss(logits, targets, weights, False, True, name="n"))
show(loss(logits, targets, weights, False, False))
nodes()
# case: sums over steps and batch
loss = tf.contrib.seq2seq.sequence_loss
logits, targets, weights = tf.ones([2, 3, 5]), tf.zeros([2, 3], tf.int32), tf.ones([2, 3])
total = lambda labels, logits: tf.reduce_sum(logits, 1)
for steps in (True, False):
    for batch in (True, False):
        show(loss(logits, targets, weights, False, False, steps, batch, softmax_loss_function=total))
show(loss(logits, targets, weights, True, False, False, True))
show(loss(logits, targets, weights, False, True, True, False))
nodes()
# case: values
loss = tf.contrib.seq2seq.sequence_loss
logits = tf.constant(np.arange(30.0).reshape(2, 3, 5) % 7 * 0.3, tf.float32)
targets = tf.constant([[0, 1, 2], [3, 4, 0]])
weights = tf.constant([[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]])
with tf.Session() as session:
    for steps in (True, False):
        for batch in (True, False):
            show(session.run(loss(logits, targets, weights, steps, batch)))
            show(session.run(loss(logits, targets, weights, False, False, steps, batch)))
    show(session.run(tf.gradients(loss(logits, targets, weights), logits)))
# case: logits of rank 2
tf.contrib.seq2seq.sequence_loss(tf.ones([2, 3]), tf.ones([2]), tf.ones([2]), True, True, True, True)
# case: targets of rank 1
tf.contrib.seq2seq.sequence_loss(tf.ones([2, 3, 4]), tf.ones([2]), tf.ones([2]))
# case: weights of rank 1
tf.contrib.seq2seq.sequence_loss(tf.ones([2, 3, 4]), tf.ones([2, 3]), tf.ones([2]))
# case: logits of unknown rank
tf.contrib.seq2seq.sequence_loss(tf.placeholder(tf.float32), tf.ones([2, 3]), tf.ones([2, 3]))
# case: an average and a sum over the batch
tf.contrib.seq2seq.sequence_loss(tf.ones([2, 3, 4]), tf.ones([2, 3]), tf.ones([2, 3]), sum_over_batch=True)
# case: averages and sums over both
tf.contrib.seq2seq.sequence_loss(tf.ones([2, 3, 4]), tf.ones([2, 3]), tf.ones([2, 3]), True, True, True, True)
# case: another number of targets
tf.contrib.seq2seq.sequence_loss(tf.ones([2, 3, 4]), tf.ones([2, 2], tf.int32), tf.ones([2, 3]))
