# case: losses
v = tf.Variable([[1.0, 2.0]], name="v")
layers = tf.contrib.layers
losses = [layers.l1_regularizer(0.1)(v), layers.l2_regularizer(0.1)(v), layers.l1_l2_regularizer(0.1, 0.2)(v)]
losses += [layers.sum_regularizer([layers.l1_regularizer(0.1), layers.l2_regularizer(0.3)])(v)]
losses += [layers.l1_l2_regularizer(0.0, 0.2)(v), layers.l2_regularizer(0.1, scope="foo")(v)]
losses += [layers.l1_l2_regularizer(0.1, 0.2, scope="bar")(v), layers.sum_regularizer([layers.l1_regularizer(0.1)])(v)]
show(losses)
print(layers.l1_regularizer(0.0)(v), layers.l2_regularizer(0.0)(v), layers.l1_l2_regularizer(0.0, 0.0)(v), layers.sum_regularizer([None]))
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(losses))
# case: scales that do not fit
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
layers = tf.contrib.layers
attempt(lambda: layers.l1_regularizer(1))
attempt(lambda: layers.l1_regularizer(-0.1))
attempt(lambda: layers.l2_regularizer(1))
attempt(lambda: layers.l2_regularizer(-0.1))
attempt(lambda: layers.l1_l2_regularizer(1, 2))
attempt(lambda: layers.l1_l2_regularizer(1.0, 2))
attempt(lambda: layers.l1_l2_regularizer(-1.0, 2.0))
# case: regularization of several weights
v = tf.Variable([[1.0, 2.0]], name="v")
w = tf.Variable([1.0, 2.0], name="w")
layers = tf.contrib.layers
show(layers.apply_regularization(layers.l2_regularizer(0.1), [v, w]))
tf.add_to_collection("weights", v)
show(layers.apply_regularization(layers.l2_regularizer(0.1)))
show(tf.get_collection("regularization_losses"))
nodes()
layers.apply_regularization(lambda x: x, [tf.constant([1.0, 2.0])])
# case: regularization of no weights
tf.contrib.layers.apply_regularization(tf.contrib.layers.l2_regularizer(0.1), [])
# case: losses of variables
layers = tf.contrib.layers
tf.get_variable("a", [2, 3], regularizer=layers.l2_regularizer(0.1))
with tf.variable_scope("s", regularizer=layers.l1_regularizer(0.5)):
    tf.get_variable("b", [2])
show(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
nodes()
