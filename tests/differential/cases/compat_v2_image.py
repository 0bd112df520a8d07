# case: images resized in the second form
image = tf.compat.v2.image
x = np.arange(24, dtype=np.float32).reshape(1, 3, 4, 2)

def attempt(make):
    try:
        y = make()
        with tf.Session() as session:
            show(y.dtype, y.shape, y.op.type, np.round(session.run(y), 3))
    except Exception as error:
        print(type(error).__name__, error)

print(sorted((k, v) for k, v in vars(image.ResizeMethod).items() if not k.startswith("_")))
for method in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian",
               "mitchellcubic"):
    for size in ([2, 3], [5, 4]):
        attempt(lambda: image.resize(x, size, method))
        attempt(lambda: image.resize(x, size, method, antialias=True))
attempt(lambda: image.resize(x[0], [2, 9], preserve_aspect_ratio=True))
attempt(lambda: image.resize(x, [3, 4]))
attempt(lambda: image.resize(x.astype(np.uint8), [2, 2], "gaussian"))
attempt(lambda: image.resize(x, [2, 3], "foo"))
attempt(lambda: image.resize(x[0, 0], [2, 3]))
attempt(lambda: image.resize(x, [2]))
attempt(lambda: image.resize_with_pad(x, 4, 4))
attempt(lambda: image.resize_with_pad(x[0], 2, 6, "nearest"))
attempt(lambda: image.resize_with_pad(x, 2, 2, "lanczos3", True))
attempt(lambda: image.resize_with_pad(x, 0, 2))
