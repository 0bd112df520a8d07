# case: made on demand
train = tf.train
print(train.get_global_step())
show(train.create_global_step(), train.get_global_step(), train.get_or_create_global_step() is train.get_global_step())
show(tf.get_collection("global_step"), tf.global_variables(), tf.trainable_variables())
nodes()
train.create_global_step()
# case: found by name
v = tf.Variable(0, name="global_step", trainable=False)
show(tf.train.get_global_step())
tf.train.create_global_step()
# case: found in the collection
v = tf.Variable(0, name="q")
tf.add_to_collection("global_step", v)
print(tf.train.get_global_step() is v)
tf.add_to_collection("global_step", tf.Variable(0))
print(tf.train.get_global_step())
# case: its value
v = tf.Variable(3, name="gs")
with tf.Session() as sess:
    sess.run(v.initializer)
    print(tf.train.global_step(sess, v), type(tf.train.global_step(sess, "gs:0")))
# case: tensors that are not valid global steps
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: tf.train.assert_global_step(tf.constant(1.0)))
attempt(lambda: tf.train.assert_global_step(3))
attempt(lambda: tf.train.assert_global_step(tf.Variable([1])))
attempt(lambda: tf.train.assert_global_step(tf.Variable(1)))
attempt(lambda: tf.train.assert_global_step(tf.Variable(1, use_resource=True)))
tf.Variable(0.0, name="global_step")
attempt(tf.train.get_global_step)
# case: in scopes and other graphs
with tf.variable_scope("x"):
    show(tf.train.create_global_step())
g = tf.Graph()
print(tf.train.create_global_step(g).graph is g)
with g.as_default(), tf.name_scope("n"):
    show(tf.train.get_or_create_global_step())
