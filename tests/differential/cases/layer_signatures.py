"""The signature of a layer's outputs."""

# case: shapes and types of outputs
for layer, shape in (
    (tf.layers.Dense(3), [2, 4]),
    (tf.layers.Dense(3, dtype=tf.float64), [None, 4]),
    (tf.layers.Flatten(), [None, 2, 3]),
    (tf.layers.Conv2D(5, 3, strides=2), [1, 8, 9, 2]),
):
    print(layer.compute_output_signature(tf.TensorSpec(shape, tf.float32)))
