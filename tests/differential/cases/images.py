# case: resized images
image = tf.placeholder(tf.float32, [2, 4, 5, 3])
for method in range(4):
    show(tf.image.resize_images(image, [7, 8], method))
show(tf.image.resize_images(image[0], [7, 8], align_corners=True))
show(
    tf.image.resize_images(tf.placeholder(tf.uint8, [None, None, 3]), tf.placeholder(tf.int32, [2]))
)
show(tf.gradients(tf.image.resize_bilinear(image, [3, 3]), image))
show(tf.gradients(tf.image.resize_nearest_neighbor(image, [3, 3]), image))
show(tf.gradients(tf.image.resize_bicubic(image, [3, 3]), image))
nodes()
# case: values of resized images
values = (np.arange(60) * 7 % 13).astype(np.float32).reshape(1, 4, 5, 3)
image = tf.constant(values)
results = []
for resize in (tf.image.resize_bilinear, tf.image.resize_nearest_neighbor, tf.image.resize_bicubic):
    for size in ([3, 7], [1, 1]):
        result = resize(image, size, align_corners=True)
        results += [result, tf.gradients(result, image)[0]]
results.append(tf.image.resize_area(image, [2, 3]))
with tf.Session() as session:
    for value in session.run(results):
        show(np.round(value.astype(np.float64), 4))
# case: images without rank
tf.image.resize_images(tf.placeholder(tf.float32), [3, 4])
# case: sizes of images
tf.image.resize_images(tf.placeholder(tf.float32, [4, 4, 3]), [3, 4, 5])
# case: flips and turns
image = tf.placeholder(tf.float32, [None, 5, 3])
show(tf.image.flip_left_right(image), tf.image.flip_up_down(image), tf.image.transpose_image(image))
show(tf.image.random_flip_left_right(image, seed=1))
show(tf.image.random_flip_up_down(tf.placeholder(tf.float32, [2, 4, 5, 3]), seed=1))
nodes()
# case: crops and pads
image = tf.placeholder(tf.float32, [None, 5, 3])
show(tf.image.resize_image_with_crop_or_pad(image, 6, 4))
show(
    tf.image.crop_to_bounding_box(image, 1, 2, 2, 3),
    tf.image.pad_to_bounding_box(image, 1, 2, 8, 9),
)
show(tf.image.central_crop(image, 0.5))
nodes()
# case: images that do not fit
tf.image.pad_to_bounding_box(tf.zeros([4, 5, 3]), 1, 2, 3, 9)
# case: adjusted images
tf.set_random_seed(7)
image = tf.placeholder(tf.uint8, [4, 4, 3])
show(tf.image.random_brightness(image, 0.1), tf.image.random_contrast(image, 0.1, 0.5))
show(tf.image.random_saturation(image, 0.1, 0.5), tf.image.random_hue(image, 0.1))
show(tf.image.per_image_standardization(image), tf.image.rgb_to_grayscale(image))
show(tf.image.adjust_gamma(image, 2.0), tf.image.convert_image_dtype(image, tf.float32))
nodes()
# case: values of adjusted images
values = ((np.arange(36) * 7 % 31) / 31.0).astype(np.float32).reshape(3, 4, 3)
image = tf.constant(values)
results = [tf.image.rgb_to_hsv(image), tf.image.hsv_to_rgb(image), tf.image.adjust_hue(image, 0.3)]
results += [tf.image.adjust_saturation(image, 1.7), tf.image.adjust_contrast(image, 1.4)]
results += [tf.image.per_image_standardization(image), tf.image.total_variation(image)]
with tf.Session() as session:
    for value in session.run(results):
        show(np.round(value.astype(np.float64), 3))
# case: PNG and JPEG
values = (np.arange(20 * 18 * 3) * 5 % 256).astype(np.uint8).reshape(20, 18, 3)
png = tf.image.decode_png(tf.image.encode_png(values))
small = tf.image.decode_png(tf.image.encode_png(values), channels=1)
jpeg = tf.image.encode_jpeg(values)
results = [png, small, jpeg, tf.image.decode_jpeg(jpeg), tf.image.decode_jpeg(jpeg, channels=1)]
results += [tf.image.decode_jpeg(jpeg, dct_method="INTEGER_ACCURATE"), tf.image.is_jpeg(jpeg)]
results += [tf.image.decode_image(jpeg), tf.image.extract_jpeg_shape(jpeg)]
with tf.Session() as session:
    for value in session.run(results):
        show(value)
# case: damaged images
with tf.Session() as session:
    session.run(tf.image.decode_png(b"\x89PNG\r\n\x1a\n damaged"))
# case: unknown formats
with tf.Session() as session:
    session.run(tf.image.decode_jpeg(b"hello"))
# case: crops of boxes
values = (np.arange(60) * 7 % 13).astype(np.float32).reshape(2, 5, 6, 1)
image, boxes = tf.constant(values), tf.constant([[0.1, 0.2, 0.7, 0.8], [-0.2, 0.3, 1.2, 0.9]])
crops = tf.image.crop_and_resize(image, boxes, [1, 0], [3, 4], extrapolation_value=0.5)
results = [crops, *tf.gradients(crops, [image, boxes])]
with tf.Session() as session:
    for value in session.run(results):
        show(np.round(value.astype(np.float64), 2))
# case: random boxes
box = tf.image.sample_distorted_bounding_box([40, 50, 3], [[[0.1, 0.2, 0.6, 0.9]]], seed=3)
with tf.Session() as session:
    for _ in range(3):
        show(session.run([box.begin, box.size] if hasattr(box, "begin") else list(box[:2])))
# case: chosen boxes
boxes = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11]], np.float32)
results = [tf.image.non_max_suppression(boxes, [0.9, 0.75, 0.6, 0.95], n, 0.5) for n in (1, 3)]
drawn = tf.image.draw_bounding_boxes(tf.zeros([1, 8, 9, 3]), boxes[None])
with tf.Session() as session:
    for value in session.run([*results, drawn]):
        show(value)
