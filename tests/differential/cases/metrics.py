# case: means
x, w = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.float32, [4, 1])
show(tf.metrics.mean(x, metrics_collections="m", updates_collections=["u"], name="named"))
print(tf.get_collection("m"), tf.get_collection("u"))
show(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES), tf.local_variables())
show(tf.metrics.mean(x, w), tf.metrics.mean_tensor(x), tf.metrics.mean_tensor(x, w, name="mt"))
show(tf.metrics.percentage_below(x, 0.5))
nodes()
# case: mean errors
x, y = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [4])
show(tf.metrics.mean_absolute_error(x, y), tf.metrics.mean_squared_error(x, y, weights=x))
show(tf.metrics.root_mean_squared_error(x, y), tf.metrics.mean_relative_error(x, y, y))
v = tf.placeholder(tf.float32, [4, 3])
show(tf.metrics.mean_cosine_distance(v, v, dim=1))
show(tf.metrics.mean_cosine_distance(v, v, dim=1, weights=x[:, tf.newaxis]))
nodes()
# case: counts
x, y = tf.placeholder(tf.int32, [4]), tf.placeholder(tf.int32, [4])
w = tf.placeholder(tf.float32, [4])
show(tf.metrics.accuracy(x, y), tf.metrics.accuracy(tf.to_int64(x), y, w, name="acc"))
show(tf.metrics.precision(x, y), tf.metrics.recall(x, y, w))
show(tf.metrics.true_positives(x, y), tf.metrics.true_negatives(x, y, w))
show(tf.metrics.false_positives(x, y), tf.metrics.false_negatives(x, y, 2.0, name="f"))
nodes()
# case: values of means and counts
labels = np.array([[1, 0, 3, 2], [2, 2, 0, 1]], np.float32)
found = np.array([[1, 0.5, 0, 2], [2, 3, 0, 0]], np.float32)
weights = np.array([[1, 0, 2, 1], [0.5, 1, 1, 3]], np.float32)
x, y, w = (tf.placeholder(tf.float32, [None]) for _ in range(3))
m = tf.metrics
results = [m.mean(y), m.mean(y, w), m.mean_absolute_error(x, y), m.mean_squared_error(x, y, w)]
results += [m.root_mean_squared_error(x, y), m.mean_relative_error(x, y, x), m.accuracy(x, y)]
results += [m.mean_cosine_distance(x / 3, y / 3, 0), m.percentage_below(y, 1.0, w)]
results += [m.precision(x, y), m.recall(x, y, w), m.true_positives(x, y, w)]
results += [m.true_negatives(x, y), m.false_positives(x, y, w), m.false_negatives(x, y)]
values, updates = zip(*results)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run(values))
    for batch in zip(labels, found, weights):
        show(session.run(updates, dict(zip((x, y, w), batch))))
        show(session.run(values))
# case: metrics of unfit shapes
tf.metrics.mean_absolute_error(tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [5]))
# case: predictions with a dimension too many
tf.metrics.accuracy(tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [4, 2]))
# case: confusion matrices
x, y = tf.placeholder(tf.int64, [4]), tf.placeholder(tf.int64, [4])
show(tf.confusion_matrix(x, y, 3, weights=tf.placeholder(tf.float32, [4]), name="c"))
show(tf.confusion_matrix(x, y), tf.confusion_matrix([1, 2], [[0], [2]], 3, tf.float32))
# case: values of confusion matrices
limited = tf.confusion_matrix([1, 2, 4], [2, 2, 3], 4)
x = tf.placeholder_with_default([1, -2, 4], [None])
negative = tf.confusion_matrix(x, [1, 2, 3], 5)
with tf.Session() as session:
    show(session.run(tf.confusion_matrix([1, 2, 4], [2, 2, 4])))
    show(session.run(tf.confusion_matrix([1, 2, 4], [2, 2, 4], 5, tf.float64, weights=[1, 2, 0.5])))
    for matrix in (limited, negative):
        try:
            session.run(matrix)
        except tf.errors.InvalidArgumentError as error:
            print(error.message.split("\n")[0])
# case: confusion matrices of negative numbers
tf.confusion_matrix([1, -2], [0, 0])
# case: values of metrics of classes
x, y, w = (tf.placeholder(t, [None]) for t in (tf.int32, tf.int64, tf.float32))
m = tf.metrics
results = [m.mean_iou(x, y, 4), m.mean_iou(x, y, 4, w), m.mean_per_class_accuracy(x, y, 4)]
results += [m.mean_per_class_accuracy(x, y, 4, w)]
values, updates = zip(*results)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run(values))
    for batch in (([0, 1, 2, 1], [0, 1, 1, 1], [1, 1, 0.5, 2]), ([2, 2, 0], [2, 0, 0], [1, 0, 3])):
        show(session.run(updates, dict(zip((x, y, w), batch))))
        show(session.run(values))
# case: values of metrics at thresholds
x, y, w = (tf.placeholder(t, [None]) for t in (tf.bool, tf.float32, tf.float32))
m = tf.metrics
results = [m.auc(x, y), m.auc(x, y, w, 10), m.auc(x, y, curve="PR", num_thresholds=20)]
for method in ("careful_interpolation", "minoring", "majoring"):
    for curve in ("ROC", "PR"):
        results.append(m.auc(x, y, num_thresholds=20, curve=curve, summation_method=method))
results.append(m.auc(x, y, thresholds=[0.7, 0.3]))
at = [0.2, 0.5, 0.9]
results += [m.precision_at_thresholds(x, y, at), m.recall_at_thresholds(x, y, at, w)]
results += [m.true_positives_at_thresholds(x, y, at), m.true_negatives_at_thresholds(x, y, at)]
results += [m.false_positives_at_thresholds(x, y, at), m.false_negatives_at_thresholds(x, y, at, w)]
results += [m.sensitivity_at_specificity(x, y, 0.6, num_thresholds=20)]
results += [m.specificity_at_sensitivity(x, y, 0.6, w, num_thresholds=20)]
values, updates = zip(*results)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run(values))
    labels = [[1, 0, 1, 0], [1, 1, 0]]
    found = [[0.9, 0.3, 0.4, 0.1], [0.2, 0.8, 0.6]]
    for batch in zip(labels, found, ([1, 1, 0.5, 2], [1, 0, 3])):
        show(session.run(updates, dict(zip((x, y, w), batch))))
        show(session.run(values))
    try:
        session.run(updates, {x: [1], y: [1.5], w: [1]})
    except tf.errors.InvalidArgumentError as error:
        print("predictions must be in [0, 1]" in error.message)
# case: an unknown curve
tf.metrics.auc(tf.placeholder(tf.bool), tf.placeholder(tf.float32), curve="X")
# case: an unknown sum
tf.metrics.auc(tf.constant([True]), tf.constant([0.5]), summation_method="X")
# case: a sensitivity out of range
tf.metrics.specificity_at_sensitivity([True], [0.5], 1.6)
# case: a specificity out of range
tf.metrics.sensitivity_at_specificity([True], [0.5], 1.6)
# case: precision and recall of the best
x, y = tf.placeholder(tf.int64, [4]), tf.placeholder(tf.float32, [4, 5])
show(tf.metrics.recall_at_k(x, y, 2))
show(tf.metrics.recall_at_k(x[:, tf.newaxis], y, 2, class_id=1))
show(tf.metrics.precision_at_k(x, y, 2), tf.metrics.precision_at_k(x, y, 2, class_id=3, name="p"))
z = tf.placeholder(tf.int64, [4, 2])
show(tf.metrics.precision_at_top_k(z, z, 2), tf.metrics.recall_at_top_k(z, z))
nodes()
# case: values of metrics of the best
y = tf.placeholder(tf.float32, [None, 5])
x, z, w = (tf.placeholder(t, [None, *n]) for t, n in ((tf.int64, [2]), (tf.int64, []), (tf.float32, [])))
s = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], tf.constant([0, 3, 4], tf.int64), [2, 3])
m = tf.metrics
results = [m.recall_at_k(x, y, 2), m.recall_at_k(z, y, 2), m.recall_at_k(x, y, 2, 1, w)]
results += [m.precision_at_k(x, y, 2), m.precision_at_k(z, y, 2, weights=w)]
results += [m.precision_at_k(x, y, 3, 1), m.average_precision_at_k(x, y, 3)]
results += [m.average_precision_at_k(x, y, 2, weights=w), m.recall_at_top_k(x, x, class_id=0)]
values, updates = zip(*results)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run(values))
    scores = [[[0.1, 0.9, 0.3, 0.2, 0.4], [5, 1, 2, 3, 4]], [[1, 2, 3, 4, 5], [2, 1, 3, 0, 9]]]
    labels = [[[1, 0], [4, 2]], [[1, 3], [4, -1]]]
    for batch in zip(scores, labels, ([1, 2], [4, 4]), ([1, 0.5], [2, 1])):
        show(session.run(updates, dict(zip((y, x, z, w), batch))))
        show(session.run(values))
# case: average_precision_at_k with k of 0
tf.metrics.average_precision_at_k(tf.placeholder(tf.int64, [4, 2]), tf.placeholder(tf.float32), 0)
