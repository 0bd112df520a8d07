# case: a snapshot is written once, passed by while it is pending, and read when it is complete
import os, tempfile
from tensorflow.python.data.experimental.ops import snapshot
base = tempfile.mkdtemp()
numbers = tf.data.Dataset.range
def elements(dataset, count=None):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    found = []
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        try:
            while count is None or len(found) < count:
                found.append(sess.run(element).tolist())
        except tf.errors.OutOfRangeError as error:
            found.append(error.message.splitlines()[0])
    return found
def files(folder):
    found = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
    return sorted((os.path.basename(path), os.path.getsize(path)) for path in found if path.endswith('.snapshot'))
def kept(folder, **options):
    return snapshot.snapshot(os.path.join(base, folder), **options)
def tried(folder, dataset, count=None):
    show(elements(dataset, count))
    show(files(os.path.join(base, folder)))
tried("a", numbers(3).apply(kept("a")), 2)
tried("a", numbers(3).apply(kept("a")))
tried("b", numbers(3).apply(kept("b")), 3)
tried("b", numbers(3).apply(kept("b")))
tried("c", numbers(3).apply(kept("c")).repeat(2))
tried("d", numbers(0).apply(kept("d")))
tried("d", numbers(0).apply(kept("d")))
tried("e", numbers(6).apply(kept("e")).take(2))
large = numbers(6).map(lambda x: tf.fill([100000], x)).apply(kept("f", shard_size_bytes=1 << 20))
tried("f", large.map(lambda x: x[::50000]))
tried("f", large.map(lambda x: x[::50000]))
for _ in range(2):
    print(elements(numbers(3).apply(kept("g", compression=snapshot.COMPRESSION_GZIP))))
print([name for name, size in files(os.path.join(base, "g"))])
print(elements(numbers(6).apply(kept("h", num_writer_threads=2))))
print([name for name, size in files(os.path.join(base, "h"))])
print(sorted(map(str, elements(numbers(6).apply(kept("h", num_writer_threads=2))))))
# case: each dataset has a snapshot of its own
import os, tempfile
from tensorflow.python.data.experimental.ops import snapshot
base = tempfile.mkdtemp()
numbers = tf.data.Dataset.range
def kept(*datasets):
    for dataset in datasets:
        iterator = tf.data.make_initializable_iterator(dataset.apply(snapshot.snapshot(base)))
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            show([sess.run(element) for _ in range(2)])
        print(len(os.listdir(base)))
kept(numbers(5), numbers(5), numbers(6))
kept(numbers(5).map(lambda x: x + 1), numbers(5).map(lambda y: y + 1), numbers(5).map(lambda x: x + 2))
kept(numbers(5).batch(2), numbers(5).batch(3), numbers(6).batch(2))
kept(tf.data.Dataset.zip((numbers(5), numbers(2))), tf.data.Dataset.zip((numbers(2), numbers(5))))
kept(numbers(2).flat_map(lambda x: numbers(x + 1)), numbers(2).flat_map(lambda x: numbers(x + 1).map(lambda y: y)))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations() if "Snapshot" in op.type][:3])
print([op.name for op in tf.get_default_graph().get_operations() if "path" in op.name][:3])
# case: options of a snapshot that are refused
import tempfile
from tensorflow.python.data.experimental.ops import snapshot
base = tempfile.mkdtemp()
def tried(path, **options):
    try:
        dataset = tf.data.Dataset.range(3).apply(snapshot.snapshot(path, **options))
        iterator = tf.data.make_initializable_iterator(dataset)
        with tf.Session() as sess:
            sess.run(iterator.initializer)
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
tried(base, compression="ZLIB")
tried(base, shard_size_bytes=1000)
tried(base, pending_snapshot_expiry_seconds=0)
tried([base])
