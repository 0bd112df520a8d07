# case: nodes and values
with tf.Session() as s:
    pass
a = tf.nn.compute_average_loss([1.0, 2.0, 3.0])
b = tf.nn.compute_average_loss([1.0, 2.0, 3.0], sample_weight=[1.0, 0.0, 2.0], global_batch_size=6)
c = tf.nn.compute_average_loss(tf.placeholder_with_default([1.0, 2.0], [None]))
d = tf.nn.scale_regularization_loss(tf.constant(3.0))
e = tf.nn.scale_regularization_loss([tf.constant(3.0), tf.constant(4.0)])
nodes()
with tf.Session() as s:
    show(s.run([a, b, c, d, e]))
