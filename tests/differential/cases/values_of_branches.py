# case: shapes that a branch decides
pred = tf.placeholder(tf.bool, [])
sizes = tf.cond(pred, lambda: tf.constant([3, 4]), lambda: tf.constant([6, 2]))
made = [
    tf.reshape(tf.range(12), sizes),
    tf.zeros(sizes),
    tf.fill(tf.cond(pred, lambda: tf.constant([3]), lambda: tf.constant([6])), 1.0),
    tf.reduce_sum(tf.ones([2, 3]), tf.cond(pred, lambda: tf.constant(0), lambda: tf.constant(1))),
]
print([x.shape for x in made])
with tf.Session() as session:
    for value in (True, False):
        print([x.tolist() for x in session.run(made, {pred: value})])
# case: shapes that a loop decides
grown = tf.while_loop(lambda n: n[0] < 5, lambda n: n + 1, [tf.constant([1])])
made = tf.zeros(grown)
print(made.shape)
with tf.Session() as session:
    print(session.run(made).tolist())
# case: sparse tensors of branches
def sparse(values):
    return tf.SparseTensor([[0, 0], [1, 2]], values, [3, 4])


pred = tf.placeholder(tf.bool, [])
chosen = tf.cond(pred, lambda: sparse([1, 2]), lambda: sparse([3, 4]))
print(chosen.get_shape())
with tf.Session() as session:
    print(session.run(chosen, {pred: False}).values.tolist())
# case: dependencies by keyword
from tensorflow.python.ops import control_flow_ops

x = control_flow_ops.with_dependencies(
    dependencies=[tf.no_op()], output_tensor=tf.constant(1.0), name="after"
)
nodes()
# case: arrays of the state of a beam search
from tensorflow.contrib.seq2seq.python.ops import beam_search_decoder

for shape in ([15], [15, 3], [15, None], [5, 3], [5, None], [None, 3], [6, None]):
    shape = tf.TensorShape(shape)
    print(shape, beam_search_decoder._check_static_batch_beam_maybe(shape, 5, 3))
