# case: scaled and moved images
from tensorflow.python.ops import gen_image_ops
x = tf.constant(np.random.RandomState(0).uniform(0, 9, [1, 5, 6, 1]).astype(np.float32))

def attempt(images=x, size=(3, 4), scale=(0.61, 0.67), move=(0.0, 0.0), **options):
    try:
        y = gen_image_ops.scale_and_translate(images, list(size), scale, move, **options)
        with tf.Session() as session:
            for _ in range(2):
                show(y.shape, np.round(session.run(y), 2))
                if images is x:
                    show(np.round(session.run(tf.gradients(y, x)[0]), 2))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].split(" for '")[0])

for kind in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic",
             "mitchellcubic", "foo"):
    attempt(kernel_type=kind)
    attempt(kernel_type=kind, antialias=False)
    attempt(kernel_type=kind, size=(7, 8), scale=(1.4, 1.33))
attempt(move=(1.3, -2.1), size=(5, 6), scale=(1.0, 1.0))
attempt(move=(10.0, -20.0), size=(5, 6), scale=(1.0, 1.0))
attempt(images=tf.cast(x, tf.uint8), kernel_type="triangle")
attempt(images=x[0])
attempt(size=(3,))
attempt(size=(0, 3))
attempt(scale=(1.0, 2.0, 3.0))
attempt(scale=(0.0, 1.0))
attempt(scale=(-1.0, 1.0))
attempt(move=tf.placeholder_with_default([1.0], None))
