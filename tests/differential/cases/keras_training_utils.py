# case: arrays of inputs
from tensorflow.python.keras.engine import training_utils as u

a, b = np.ones((4, 2)), np.arange(4)


def run(function):
    try:
        print(function())
    except (ValueError, TypeError, AttributeError) as error:
        print(type(error).__name__, error)


def shapes(arrays):
    return [None if x is None else x.shape for x in arrays]


for data, names, given in (
    (a, ["x"], None),
    ([a], ["x"], [(None, 2)]),
    ([a, b], ["x", "y"], None),
    ({"x": a, "y": b}, ["y", "x"], None),
    (b, ["x"], [(None, 1)]),
    ([[1.0, 2.0], [3.0, 4.0]], ["x"], None),
    (None, ["x", "y"], None),
    (a, [], None),
    (None, [], None),
    ([a], ["x"], [(None, 3)]),
    ([a], ["x"], [(None, 2, 2)]),
    ([a, b, a], ["x", "y"], None),
    ([a], ["x", "y"], None),
    ({"x": a}, ["x", "y"], None),
    ([a, None], ["x", "y"], None),
):
    run(lambda: shapes(u.standardize_input_data(data, names, given, exception_prefix="input")))
run(lambda: shapes(u.standardize_input_data([a], ["x"], [(5, 2)], check_batch_axis=False)))
run(lambda: shapes(u.standardize_input_data([a], ["x"], [(5, 2)])))
run(lambda: u.standardize_single_array(b).shape)
run(lambda: u.standardize_single_array(None))

# case: weights of examples
from tensorflow.python.keras.engine import training_utils as u

y = np.array([[0], [1], [2]])


def run(function):
    try:
        print(function())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)


run(lambda: u.standardize_weights(y))
run(lambda: u.standardize_weights(y, sample_weight=np.array([1.0, 2.0, 3.0])))
run(lambda: u.standardize_weights(y, class_weight={0: 1.0, 1: 5.0, 2: 7.0}))
run(lambda: u.standardize_weights(np.eye(3), class_weight={0: 1.0, 1: 5.0, 2: 7.0}))
run(lambda: u.standardize_weights(y, sample_weight=np.array([1.0, 2.0, 3.0]), class_weight={0: 1.0, 1: 5.0, 2: 7.0}))
run(lambda: u.standardize_weights(y, class_weight={0: 1.0}))
run(lambda: u.standardize_weights(y, sample_weight=np.ones((3, 2))))
run(lambda: u.standardize_weights(y, sample_weight=np.ones(2)))
run(lambda: u.standardize_weights(np.ones((3, 2, 1)), sample_weight=np.ones((3, 2)), sample_weight_mode="temporal"))
run(lambda: u.standardize_weights(np.ones((3, 2, 1)), sample_weight=np.ones(3), sample_weight_mode="temporal"))
run(lambda: u.standardize_class_weights({0: 1.0}, ["o"]))
run(lambda: u.standardize_class_weights({"o": {0: 1.0}}, ["o", "p"]))
run(lambda: u.standardize_sample_weights([np.ones(2), None], ["o", "p"]))
run(lambda: u.standardize_sample_weights(None, ["o", "p"]))
run(lambda: u.standardize_sample_weights([np.ones(2)], ["o", "p"]))

# case: batches and names
from tensorflow.python.keras.engine import training_utils as u


def run(function):
    try:
        print(function())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)


np.random.seed(3)
print(sorted(u.batch_shuffle(np.arange(7), 3)), u.batch_shuffle(np.arange(7), 3)[-1])
print(u.slice_arrays(np.arange(5), [1, 2]), u.slice_arrays([np.arange(5), np.arange(5) * 2], [1, 3], contiguous=False))
for ins, kwargs in (([np.ones((4, 2))], {"batch_size": 2}), ([np.ones((4, 2))], {"steps": 3}), ([np.ones((4, 2))], {"batch_size": 2, "steps": 3}), ([], {"steps": 2}), ([tf.placeholder(tf.float32, [2, 2])], {"batch_size": 1})):
    run(lambda: u.check_num_samples(ins, **kwargs))
print(u.generic_output_names([1, 2]), u.list_to_tuple([1, 2]), u.list_to_tuple(3))
print([u.should_run_validation(f, e) for f, e in ((1, 0), (2, 0), (2, 1), ([1, 3], 2), ([1, 3], 1))])
run(lambda: u.should_run_validation(0, 1))
print(u.get_metric_name("accuracy"), u.get_metric_name("acc", True), u.get_metric_name(tf.keras.metrics.mse), u.get_metric_name(tf.keras.metrics.BinaryAccuracy(name="q")))
print(type(u.get_loss_function("mse")).__name__, u.get_loss_function(None), u.get_loss_function(tf.keras.losses.mse).name)
print([part.shape for part in u.unpack_validation_data((np.ones(2), np.ones(3)))[:2]], u.unpack_validation_data((1, 2, 3)))
x, t, w, vx, vt, vw = u.split_training_and_validation_data([np.arange(10)], [np.arange(10)], None, 0.3)
print(x, vx, vw)
run(lambda: u.split_training_and_validation_data([np.arange(1)], [np.arange(1)], None, 0.3))
print(u.has_tensors([1, tf.constant(1)]), u.has_tensors([1]), u.has_symbolic_tensors([tf.constant(1)]), u.is_feature_layer(tf.keras.layers.Dense(1)))
print(u.cast_single_tensor(np.ones(2)).dtype, u.cast_single_tensor(tf.ones([2], tf.float64)).dtype, u.cast_if_floating_dtype(tf.ones([2], tf.int32)).dtype)
run(lambda: u.check_array_lengths([np.ones(2)], [np.ones(3)]))
run(lambda: u.check_array_lengths([np.ones(2)], [np.ones(2)], [np.ones(2)]))
