K, M = tf.keras.backend, tf.keras.metrics
K.clear_session()
made = []
random = np.random.RandomState(3)
Y = (random.rand(2, 6) > 0.5).astype("float32")
P, W = random.rand(2, 2, 6).astype("float32")


def run(make, y=Y, p=P, w=None):
    metric = make()
    arguments = [tf.constant(v[0]) for v in (y, p) + (() if w is None else (w,))]
    again = [tf.constant(v[1]) for v in (y, p) + (() if w is None else (w,))]
    made.append((metric, metric.update_state(*arguments), metric.update_state(*again)))


def values():
    session = K.get_session()
    for i in (1, 2):
        session.run([each[i] for each in made])
    found = session.run([metric.result() for metric, _, _ in made])
    for value, (metric, _, _) in zip(found, made):
        print([(v.name, v.shape.as_list(), v.dtype.name) for v in metric.variables])
        show(np.round(value, 4))
        config = metric.get_config()
        print(metric.name, sorted(config), type(metric).from_config(config).get_config() == config)
    made[0][0].reset_states()
    show(session.run(made[0][0].variables))


def text_of(function):
    try:
        print(type(function()).__name__)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:180])


# case: areas
for curve in ("ROC", "PR"):
    for method in ("interpolation", "majoring", "minoring"):
        run(lambda: M.AUC(7, curve, method))
    run(lambda: M.AUC(curve=curve), w=W)
run(lambda: M.AUC(thresholds=[0.7, 0.3], name="x"), w=W)
values()
text_of(lambda: M.AUC(num_thresholds=1))
text_of(lambda: M.AUC(curve="x"))
text_of(lambda: M.AUC(summation_method="x"))
# case: sensitivity and specificity
for value in (0.3, 0.8):
    run(lambda: M.SensitivityAtSpecificity(value), w=W)
    run(lambda: M.SpecificityAtSensitivity(value, num_thresholds=5))
run(lambda: M.SpecificityAtSensitivity(0.5, num_thresholds=1))
values()
text_of(lambda: M.SensitivityAtSpecificity(2))
text_of(lambda: M.SpecificityAtSensitivity(-1))
text_of(lambda: M.SpecificityAtSensitivity(0.1, num_thresholds=0))
# case: means of tensors and of classes
classes = random.randint(0, 3, (2, 2, 2, 4)).astype("float32")
run(lambda: M.MeanIoU(3), classes[0], classes[1])
run(lambda: M.MeanIoU(4), classes[0], classes[1], np.abs(classes[1] - 1.5))
values()
for weights in (None, np.ones((2, 3)), np.array([[1.0], [2.0]]), np.array([1.0, 2.0])):
    metric = M.MeanTensor()
    print(metric.total, metric.count, metric.variables)
    kw = {} if weights is None else {"sample_weight": weights}
    update = metric.update_state(tf.constant(P[:, :3]), **kw)
    K.get_session().run(update)
    show([np.round(v, 4) for v in K.get_session().run([metric.result(), metric.count])])
metric.reset_states()
show(K.get_session().run(metric.count), metric.get_config())
text_of(lambda: M.MeanTensor().result())
text_of(lambda: metric.update_state(tf.zeros((3,))))
# case: metrics of a model
dense = tf.keras.layers.Dense(1, activation="sigmoid", input_shape=(3,), kernel_initializer="ones")
model = tf.keras.Sequential([dense])
model.compile("sgd", "mse", metrics=[M.AUC(), M.SensitivityAtSpecificity(0.5), M.MeanIoU(2)])
print(model.metrics_names)
show(np.round(model.evaluate(P[:, :3], Y[:, :1], verbose=0), 4))
