# case: nodes of readers
queue = tf.FIFOQueue(9, tf.string)
handle = tf.train.string_input_producer(["a"]).queue_ref
for reader in (
    tf.WholeFileReader(),
    tf.WholeFileReader(name="whole"),
    tf.TextLineReader(),
    tf.TextLineReader(2, "lines"),
    tf.TFRecordReader(),
    tf.TFRecordReader("records", tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)),
    tf.FixedLengthRecordReader(3),
    tf.FixedLengthRecordReader(3, 1, 2, 4, "fixed", "GZIP"),
    tf.IdentityReader(),
    tf.IdentityReader("identity"),
    tf.LMDBReader(),
    tf.LMDBReader("lmdb"),
):
    show(reader.reader_ref, reader.supports_serialize)
    print(sorted((k, str(v)) for k, v in reader.reader_ref.op.node_def.attr.items()))
    show(reader.read(queue), reader.read(queue, name="r"))
    show(reader.read_up_to(queue, 3), reader.read_up_to(queue, tf.placeholder(tf.int64), name="u"))
    show(reader.num_records_produced(), reader.num_records_produced("n"))
    show(reader.num_work_units_completed(), reader.num_work_units_completed("w"))
    show(reader.serialize_state(), reader.serialize_state("s"))
    show(reader.restore_state("a"), reader.restore_state(b"b", "t"))
    show(reader.reset(), reader.reset("x"))
show(tf.IdentityReader().read(handle))
nodes()
# case: a reader is no queue
tf.IdentityReader().read(3)
# case: a string is no queue
tf.IdentityReader().read(tf.constant("a"))
# case: state of a wrong shape
tf.IdentityReader().restore_state(["a", "b"])
# case: state of a wrong type
tf.IdentityReader().restore_state(3)
# case: number of records of a wrong shape
tf.IdentityReader().read_up_to(tf.FIFOQueue(9, tf.string), [1, 2])
# case: number of records of a wrong type
tf.IdentityReader().read_up_to(tf.FIFOQueue(9, tf.string), "a")
# case: number of records of another integer type
tf.IdentityReader().read_up_to(tf.FIFOQueue(9, tf.string), tf.constant(0))
# case: no length of records
tf.FixedLengthRecordReader(None)
# case: compression that does not exist
tf.TFRecordReader(options="LZ4")
# case: counters while reading
queue = tf.FIFOQueue(9, tf.string, shared_name="q")
reader = tf.IdentityReader()
read = reader.read(queue)
counters = [reader.num_records_produced(), reader.num_work_units_completed()]
with tf.Session() as s:
    s.run(queue.enqueue_many([["a", "b", ""]]))
    s.run(queue.close())
    for _ in range(3):
        show(s.run(read))
        show(*s.run(counters))
    s.run(read)
# case: a pipeline of lines of numbers, which trains
import os, tempfile
folder = tempfile.mkdtemp()
names = []
for f in range(3):
    names.append(os.path.join(folder, "part%d.csv" % f))
    with open(names[-1], "w") as file:
        file.write("x,y,label\n")
        for i in range(4):
            k = f * 4 + i
            file.write("%s,%s,%d\n" % (k / 8.0, "" if k % 5 == 0 else (k % 3) / 2.0, k))
tf.set_random_seed(7)
files = tf.train.string_input_producer(names, num_epochs=2, shuffle=True, seed=3)
key, line = tf.TextLineReader(skip_header_lines=1).read(files)
x, y, label = tf.decode_csv(line, [[0.0], [-1.0], [0]])
keys, xs, labels = tf.train.shuffle_batch(
    [key, tf.stack([x, y]), label], batch_size=4, capacity=50, min_after_dequeue=24, seed=5
)
w = tf.Variable([[0.1], [0.2]])
loss = tf.reduce_mean(tf.square(tf.matmul(xs, w)[:, 0] - tf.cast(labels, tf.float32)))
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
with tf.Session() as s:
    s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coordinator)
    try:
        while not coordinator.should_stop():
            found, numbers, value, _ = s.run([keys, labels, loss, train])
            show([os.path.basename(k.decode()) for k in found], numbers, np.float32(value))
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coordinator.request_stop()
    coordinator.join(threads)
    show(s.run(w), [t.is_alive() for t in threads])
# case: a pipeline of binary records, as of CIFAR-10
import os, tempfile
folder = tempfile.mkdtemp()
names = [os.path.join(folder, "%d.bin" % f) for f in range(2)]
for f, name in enumerate(names):
    with open(name, "wb") as file:
        file.write(bytes(bytearray((f * 60 + i) % 256 for i in range(3 * 13))))
files = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
key, value = tf.FixedLengthRecordReader(record_bytes=13).read(files)
record = tf.decode_raw(value, tf.uint8)
label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
image = tf.transpose(tf.reshape(tf.strided_slice(record, [1], [13]), [3, 2, 2]), [1, 2, 0])
label.set_shape([1])
images, labels = tf.train.batch([tf.cast(image, tf.float32), label], batch_size=4, allow_smaller_final_batch=True)
with tf.Session() as s:
    s.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coordinator)
    try:
        while True:
            show(*s.run([images, labels]))
    except tf.errors.OutOfRangeError:
        print("done")
    coordinator.request_stop()
    coordinator.join(threads)
# case: a pipeline of Examples, several at a time
import os, tempfile
folder = tempfile.mkdtemp()
name = os.path.join(folder, "examples")
with tf.python_io.TFRecordWriter(name) as writer:
    for i in range(7):
        feature = {
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
            "raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x" * i])),
            "few": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * (i % 3))),
        }
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
files = tf.train.string_input_producer([name], num_epochs=1)
reader = tf.TFRecordReader()
_, several = reader.read_up_to(files, 3)
batch = tf.train.batch([several], 4, enqueue_many=True, shapes=[[]], allow_smaller_final_batch=True)
parsed = tf.parse_example(
    batch,
    {
        "label": tf.FixedLenFeature([], tf.int64),
        "raw": tf.FixedLenFeature([], tf.string),
        "few": tf.VarLenFeature(tf.float32),
    },
)
with tf.Session() as s:
    s.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coordinator)
    try:
        while True:
            found = s.run(parsed)
            show(found["label"], found["raw"], found["few"].values, found["few"].indices)
    except tf.errors.OutOfRangeError:
        print("done")
    coordinator.request_stop()
    coordinator.join(threads)
    show(*s.run([reader.num_records_produced(), reader.num_work_units_completed()]))
# case: a pipeline of single Examples and their images
import os, tempfile
folder = tempfile.mkdtemp()
name = os.path.join(folder, "examples")
with tf.python_io.TFRecordWriter(name) as writer:
    for i in range(4):
        raw = np.arange(i, i + 6, dtype=np.uint8).tobytes()
        feature = {
            "height": tf.train.Feature(int64_list=tf.train.Int64List(value=[2])),
            "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[raw])),
        }
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
files = tf.train.string_input_producer([name], num_epochs=2)
_, serialized = tf.TFRecordReader().read(files)
features = tf.parse_single_example(
    serialized,
    features={"image_raw": tf.FixedLenFeature([], tf.string), "height": tf.FixedLenFeature([], tf.int64)},
)
image = tf.decode_raw(features["image_raw"], tf.uint8)
image.set_shape([6])
image = tf.cast(image, tf.float32) * (1.0 / 255) - 0.5
images, heights = tf.train.batch([image, features["height"]], batch_size=3)
with tf.Session() as s:
    s.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coordinator)
    try:
        while True:
            show(*s.run([images, heights]))
    except tf.errors.OutOfRangeError:
        print("done")
    coordinator.request_stop()
    coordinator.join(threads)
# case: whole files that are pictures
import os, tempfile
folder = tempfile.mkdtemp()
with tf.Session() as s:
    for i in range(2):
        picture = np.full([4 + i, 5, 3], 40 * i + 10, np.uint8)
        with open(os.path.join(folder, "%d.png" % i), "wb") as file:
            file.write(s.run(tf.image.encode_png(picture)))
    for i in range(2):
        picture = np.full([4, 5 + i, 3], 90 * i + 10, np.uint8)
        with open(os.path.join(folder, "%d.jpg" % i), "wb") as file:
            file.write(s.run(tf.image.encode_jpeg(picture)))
tf.reset_default_graph()
for decode, pattern in ((tf.image.decode_png, "*.png"), (tf.image.decode_jpeg, "*.jpg")):
    files = tf.train.string_input_producer(
        tf.train.match_filenames_once(os.path.join(folder, pattern)), num_epochs=1, shuffle=False
    )
    key, value = tf.WholeFileReader().read(files)
    image = tf.image.resize_images(decode(value, channels=3), [2, 2])
    images = tf.train.batch([image], batch_size=2)
    with tf.Session() as s:
        s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(s, coordinator)
        try:
            while True:
                show(s.run(images))
        except tf.errors.OutOfRangeError:
            print("done")
        coordinator.request_stop()
        coordinator.join(threads)
# case: several readers and threads
import os, tempfile
folder = tempfile.mkdtemp()
names = [os.path.join(folder, str(i)) for i in range(5)]
for i, name in enumerate(names):
    with open(name, "w") as file:
        file.write("".join("%d\n" % (100 * i + j) for j in range(20)))
files = tf.train.string_input_producer(names, num_epochs=2)
lines = [[tf.TextLineReader().read(files)[1]] for _ in range(3)]
joined = tf.train.shuffle_batch_join(lines, 8, capacity=60, min_after_dequeue=20, allow_smaller_final_batch=True)
found = []
with tf.Session() as s:
    s.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coordinator)
    try:
        while not coordinator.should_stop():
            found.extend(int(v) for v in s.run(joined))
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coordinator.request_stop()
        coordinator.join(threads)
show(len(found), sum(found), sorted(found)[::20], [t.is_alive() for t in threads])
# case: an error in a record ends the pipeline
import os, tempfile
folder = tempfile.mkdtemp()
name = os.path.join(folder, "lines")
with open(name, "w") as file:
    file.write("1\n2\nx\n4\n")
files = tf.train.string_input_producer([name])
_, line = tf.TextLineReader().read(files)
(number,) = tf.decode_csv(line, [[0]])
numbers = tf.train.batch([number], 2)
with tf.Session() as s:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coordinator)
    show(s.run(numbers))
    try:
        s.run(numbers)
    except tf.errors.OutOfRangeError as error:
        print(error.message.split("\n")[0].split("'")[0])
    coordinator.request_stop()
    coordinator.join(threads)
# case: handles in an imported graph
queue = tf.FIFOQueue(9, tf.string, name="q")
reader = tf.IdentityReader(name="r")
reader.read(queue, name="read")
enqueue = queue.enqueue("a", name="put")
definition = tf.get_default_graph().as_graph_def()
with tf.Graph().as_default() as graph:
    tf.import_graph_def(definition, name="")
    with tf.Session() as s:
        s.run("put")
        show(*s.run(["read:0", "read:1"]))
# case: positional arguments
import inspect
for name in ("ReaderBase", "WholeFileReader", "TextLineReader", "TFRecordReader", "FixedLengthRecordReader", "IdentityReader", "LMDBReader"):
    cls = getattr(tf, name)
    show(name, issubclass(cls, tf.ReaderBase), sorted(n for n in dir(cls) if not n.startswith("_")))
# case: a reader of older graphs
import os, tempfile
folder = tempfile.mkdtemp()
def without_folder(result):
    return [text.decode().replace(folder, "") for part in result for text in np.ravel(part).tolist()]
names = [os.path.join(folder, name) for name in ("a", "b", "missing")]
for name in names[:2]:
    with open(name, "w") as file:
        file.write(name[-1] * 3)
queue = tf.FIFOQueue(9, tf.string, shared_name="q")
reader = tf.ReaderBase(tf.raw_ops.WholeFileReader(), supports_serialize=True)
ops = [
    reader.read(queue),
    reader.read_up_to(queue, 5),
    reader.num_records_produced(),
    reader.num_work_units_completed(),
    reader.serialize_state(),
]
state = tf.placeholder(tf.string, [])
restore = reader.restore_state(state)
nodes()
show(reader.reader_ref, reader.supports_serialize)
with tf.Session() as s:
    s.run(queue.enqueue_many([names]))
    for op in ops[:2]:
        show(without_folder(s.run(op)))
    show(*s.run(ops[2:4]))
    show(s.run(ops[4])[:8])
    s.run(reader.reset())
    show(s.run(ops[-1]))
    s.run(restore, {state: b"\x08\x05\x10\x05\x18\x07\x22\x01x"})
    show(*s.run(ops[2:]))
    try:
        s.run(restore, {state: "bad\xff\n"})
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split("\n")[0])
    try:
        s.run(ops[0])
    except tf.errors.NotFoundError as error:
        print(error.message.split("\n")[0].replace(folder, ""))
# case: a read in a loop
import os, tempfile
folder = tempfile.mkdtemp()
name = os.path.join(folder, "lines")
with open(name, "w") as file:
    file.write("".join("%d\n" % i for i in range(10)))
queue = tf.FIFOQueue(9, tf.string)
reader = tf.TextLineReader()
def body(i, total):
    line = reader.read(queue)[1]
    return i + 1, total + tf.string_to_number(line, tf.int32)
loop = tf.while_loop(lambda i, _: i < 5, body, [0, 0], parallel_iterations=1)
branch = tf.cond(tf.equal(loop[0], 5), lambda: reader.read(queue)[1], lambda: tf.constant("none"))
with tf.Session() as s:
    s.run(queue.enqueue(name))
    show(*s.run(loop))
    show(s.run(branch))
    show(s.run(reader.num_records_produced()))
# case: a run that enqueues and reads
queue = tf.FIFOQueue(9, tf.string)
reader = tf.IdentityReader()
several = reader.read_up_to(queue, 2)
with tf.Session() as s:
    show(s.run([several, queue.enqueue("a")])[0])
    show(s.run([several, reader.read(queue), queue.enqueue_many([["b", "c"]])])[0][0].shape)
    show(s.run(queue.size()))
