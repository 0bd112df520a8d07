# case: functions of steps
k = tf.keras
model = k.Sequential([k.layers.Dense(2, input_shape=(3,), kernel_initializer="ones", name="d"), k.layers.Dropout(0.5, name="o")])
model._make_predict_function()
x, y = np.ones((4, 3), "f"), np.zeros((4, 2), "f")
show(model.predict_function([x]))
plain = k.Sequential([k.layers.Dense(2, input_shape=(3,), kernel_initializer="ones", name="e")])
plain.compile(k.optimizers.SGD(0.1), "mse", metrics=["mae"])
print(plain.train_function, plain.test_function, plain.predict_function, [f.name for f in plain.loss_functions])
plain._make_train_function()
plain._make_test_function()
plain._make_predict_function()
print([t.shape.as_list() for t in plain._feed_targets], plain._feed_input_names, plain._feed_output_names, plain._feed_sample_weights)
print([len(f.inputs) for f in (plain.test_function, plain.predict_function)], plain._is_compiled)
kept = plain.predict_function
plain._make_predict_function()
print(plain.predict_function is kept)
show([np.mean(v) for v in plain.test_function([x, y])[:1]])
show(plain.train_function([x, y])[0])
show(plain.predict(x)[0])
plain.train_function = None
plain.layers[0].trainable = False
print([v.shape for v in plain._standardize_user_data(x, y)[0]])
try:
    plain._standardize_user_data(np.ones((4, 2)), y)
except ValueError as error:
    print(error)
