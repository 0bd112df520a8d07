# case: functions of the modules
from tensorflow.python.ops.ragged import ragged_array_ops as array
from tensorflow.python.ops.ragged import ragged_batch_gather_with_default_op as with_default
from tensorflow.python.ops.ragged import ragged_conversion_ops as conversion
from tensorflow.python.ops.ragged import ragged_gather_ops as gathering
from tensorflow.python.ops.ragged import ragged_math_ops as math
from tensorflow.python.ops.ragged import ragged_string_ops as strings
from tensorflow.python.ops.ragged import ragged_tensor, ragged_util, ragged_where_op

session = tf.Session()


def run(x):
    value = session.run(x)
    print(value.to_list() if hasattr(value, "to_list") else value)


r = tf.ragged.constant([[3, 1, 4], [], [1, 5]])
t = tf.constant([[1, 2], [3, 4]])
for f in (math.reduce_sum, math.reduce_max, math.reduce_min, math.reduce_prod, math.reduce_mean):
    run(f(r, axis=1))
    run(f(r))
run(math.reduce_any(tf.ragged.constant([[True, False], [False]]), axis=1))
run(math.reduce_all(tf.ragged.constant([[True, False], [True]]), axis=1))
run(math.segment_sum(r, [0, 1, 0], 2))
run(math.segment_mean(tf.ragged.constant([[3.0, 1.0], [2.0]]), [0, 0], 1))
run(array.expand_dims(r, 1))
run(array.tile(r, [2, 1]))
run(array.size(r))
run(array.rank(r))
run(array.ragged_one_hot(r, 6))
run(conversion.from_tensor(t, lengths=[1, 2]))
run(conversion.to_tensor(r, default_value=-1))
run(conversion.from_sparse(conversion.to_sparse(r)))
run(gathering.gather(r, [2, 0]))
run(gathering.gather_nd(r, [[2, 1], [0, 0]]))
run(with_default.batch_gather_with_default(tf.ragged.constant([["a", "b"], [], ["c"]]), tf.ragged.constant([[1, 2, -1], [0], [0]]), "x"))
run(with_default.batch_gather_with_default(tf.constant([["a", "b"], ["c", "d"]]), tf.constant([[1, 2], [0, -1]])))
run(strings.reduce_join(tf.ragged.constant([["a", "b"], ["c"]]), axis=1, separator="-"))
run(ragged_util.lengths_to_splits(tf.constant([2, 0, 1])))
run(ragged_util.repeat_ranges(["a", "b", "c"], tf.constant([0, 2, 3], tf.int64), tf.constant([2, 2], tf.int64)))
run(ragged_util.repeat_ranges(["a", "b", "c"], tf.constant([0, 2, 3], tf.int64), tf.constant([3, 1], tf.int64)))
run(ragged_where_op.where(tf.ragged.constant([[True, False], [True]]), tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4, 5], [6]])))
run(ragged_tensor.convert_to_tensor_or_ragged_tensor([1, 2]))
kind, matched = ragged_tensor.match_row_splits_dtypes(r, return_dtype=True)
print(kind, len(matched), ragged_tensor.is_ragged(r), ragged_tensor.RaggedTensorType(tf.int32, 1).row_splits_dtype)
