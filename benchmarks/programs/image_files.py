"""JPEG and PNG files: pictures of 375x500 decoded, cropped and resized; one large picture."""

import numpy as np
import tensorflow as tf
from timing import measure

HEIGHT, WIDTH, FILES, LARGE = 375, 500, 8, 3000
rng = np.random.RandomState(0)


def picture(height, width):
    """Soft shapes with noise, which a JPEG file stores in the space of a photograph."""
    coarse = rng.randint(0, 256, (height // 25 + 2, width // 25 + 2, 3)).astype(np.float32)
    soft = np.kron(coarse, np.ones((25, 25, 1), np.float32))[:height, :width]
    for axis in (0, 1):
        for shift in (7, 11):
            soft = (soft + np.roll(soft, shift, axis)) / 2
    return np.clip(soft + rng.randn(height, width, 3) * 8, 0, 255).astype(np.uint8)


session = tf.Session()
pixels = tf.placeholder(tf.uint8, [None, None, 3])
file = tf.placeholder(tf.string, [])
to_jpeg, to_png = tf.image.encode_jpeg(pixels, quality=85), tf.image.encode_png(pixels)
files = [session.run(to_jpeg, {pixels: picture(HEIGHT, WIDTH)}) for _ in range(FILES)]
large = picture(LARGE, LARGE)
large_jpeg, large_png = (session.run(op, {pixels: large}) for op in (to_jpeg, to_png))


def each(fetch, contents):
    """A step that runs `fetch` for each file; what it returns last is kept for the check."""
    last = []

    def step():
        last[:] = [session.run(fetch, {file: content}) for content in contents]

    return step, lambda: float(np.mean(last[-1]))


decoded = tf.image.decode_jpeg(file, channels=3)
cropped = tf.image.crop_to_bounding_box(decoded, 30, 60, 300, 350)
resized = tf.image.resize_images(cropped, [224, 224])
for fetch, name, contents in (
    (decoded, "decode JPEG, 8 files", files),
    (tf.image.decode_jpeg(file, ratio=2), "decode JPEG at half size, 8 files", files),
    (resized, "decode JPEG, crop, resize, 8 files", files),
    (decoded, "decode large JPEG", [large_jpeg]),
    (tf.image.decode_png(file, channels=3), "decode large PNG", [large_png]),
    (tf.image.decode_png(file, channels=1), "decode large PNG as grey", [large_png]),
):
    step, check = each(fetch, contents)
    measure(step, name, check)
measure(lambda: session.run(to_png.op, {pixels: large}), "encode large PNG")
