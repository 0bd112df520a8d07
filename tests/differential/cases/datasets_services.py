# case: statistics of a dataset
numbers = tf.data.Dataset.range
aggregator = tf.data.experimental.StatsAggregator()
dataset = numbers(10).map(lambda x: (x, tf.fill([3], tf.as_string(x))))
dataset = dataset.apply(tf.data.experimental.bytes_produced_stats("bytes"))
dataset = dataset.apply(tf.data.experimental.latency_stats("latency"))
options = tf.data.Options()
options.experimental_stats.aggregator = aggregator
options.experimental_stats.prefix = "train"
iterator = tf.data.make_initializable_iterator(dataset.with_options(options))
plain = tf.data.make_initializable_iterator(dataset)
element, other = iterator.get_next(), plain.get_next()
summary = aggregator.get_summary()
with tf.Session() as sess:
    print(len(tf.Summary.FromString(sess.run(summary)).value))
    sess.run([iterator.initializer, plain.initializer])
    for _ in range(10):
        sess.run(element)
    show(sess.run(other))
    values = tf.Summary.FromString(sess.run(summary)).value
    for value in sorted(values, key=lambda v: v.tag):
        print(value.tag, value.histo.num)
        if "bytes" in value.tag:
            histogram = value.histo
            print([float(v) for v in (histogram.min, histogram.max, histogram.sum, histogram.sum_squares)])
            print(list(histogram.bucket_limit), list(histogram.bucket))
print(sorted(op.type for op in tf.get_default_graph().get_operations() if "Stats" in op.type))
print([op.name for op in tf.get_default_graph().get_operations() if "Stats" in op.name])
# case: elements that are copied to a device
numbers = tf.data.Dataset.range
copied = numbers(5).map(lambda x: (x * 2, tf.as_string(x))).apply(tf.data.experimental.copy_to_device("/cpu:0"))
ahead = numbers(4).batch(2).apply(tf.data.experimental.prefetch_to_device("/cpu:0", 2))
iterators = [tf.data.make_initializable_iterator(d) for d in (copied, ahead)]
one_shot = tf.data.make_one_shot_iterator(copied).get_next()
sess = tf.Session()
for iterator in iterators:
    element = iterator.get_next()
    for _ in range(2):
        sess.run(iterator.initializer)
        try:
            while True:
                show(sess.run(element))
        except tf.errors.OutOfRangeError as error:
            print(error.message.splitlines()[0])
for _ in range(2):
    show(sess.run(one_shot))
print([(op.name, op.type, op.device) for op in tf.get_default_graph().get_operations() if "Dataset" in op.type])
# case: older names of specifications and of the functions of tf.contrib.data
experimental = tf.data.experimental
print(experimental.TensorStructure(tf.int32, [2]), experimental.SparseTensorStructure(tf.int32, [2, None]))
print(experimental.RaggedTensorStructure(tf.int32, [2, None], 1), experimental.Structure is tf.TypeSpec)
dataset = tf.data.Dataset.range(7).apply(tf.contrib.data.prefetch_to_device("/cpu:0"))
iterator = tf.data.make_initializable_iterator(dataset)
element = iterator.get_next()
with tf.Session() as sess:
    sess.run(iterator.initializer)
    show(sess.run(element))
    show(sess.run(element))
# case: classes derived from Dataset
class Doubled(tf.data.Dataset):
    def __init__(self, source):
        self._source = source
        super(Doubled, self).__init__()
    def _as_variant_tensor(self):
        return self._source.map(lambda x: x * 2)._variant_tensor
    def _inputs(self):
        return [self._source]
    @property
    def output_types(self):
        return tf.int64
    @property
    def output_shapes(self):
        return tf.TensorShape([])
    @property
    def output_classes(self):
        return tf.Tensor
dataset = Doubled(tf.data.Dataset.range(5))
print(dataset, dataset.element_spec)
element = tf.data.make_one_shot_iterator(dataset.filter(lambda x: x > 2)).get_next()
with tf.Session() as sess:
    show([sess.run(element) for _ in range(3)])
# case: names and numbers of the statistics of datasets
import re
D = tf.data.Dataset
exact = ("filtered_elements", "dropped_elements", "buffer_capacity", "feature_values_count", "features_count")
def tried(make, **stats):
    with tf.Graph().as_default(), tf.Session() as sess:
        aggregator = tf.data.experimental.StatsAggregator()
        options = tf.data.Options()
        options.experimental_stats.aggregator = aggregator
        for name, value in stats.items():
            setattr(options.experimental_stats, name, value)
        iterator = tf.data.make_initializable_iterator(make().with_options(options))
        element = iterator.get_next()
        sess.run(iterator.initializer)
        try:
            while True:
                sess.run(element)
        except tf.errors.OutOfRangeError:
            pass
        summary = tf.Summary.FromString(sess.run(aggregator.get_summary()))
    for value in sorted(summary.value, key=lambda v: v.tag):
        tag = re.sub(r"_\d+::exec", "_N::exec", value.tag)
        if value.HasField("histo"):
            histogram = value.histo
            found = (histogram.min, histogram.max, histogram.sum) if tag.endswith(exact) else ()
            print(tag, histogram.num, [float(x) for x in found])
        else:
            print(tag, value.simple_value if tag.endswith(exact) else "")
    print()
def numbers():
    return D.range(10)
tried(numbers)
tried(lambda: numbers().prefetch(0))
tried(lambda: numbers().prefetch(3), prefix="p", counter_prefix="c")
tried(lambda: numbers().map(lambda x: x + 1).filter(lambda x: tf.equal(x % 3, 0)).filter(lambda x: x > 5))
tried(lambda: numbers().map(lambda x: x + 1, num_parallel_calls=4).map(lambda x: x * 2, num_parallel_calls=2).prefetch(2))
tried(lambda: numbers().apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 3, num_parallel_batches=2)))
tried(lambda: numbers().interleave(lambda x: D.range(2), cycle_length=3, num_parallel_calls=2))
tried(lambda: D.zip((numbers().prefetch(1), numbers().prefetch(2).map(lambda x: x + 1, num_parallel_calls=2))))
tried(lambda: numbers().map(lambda x: x + 1).batch(2), latency_all_edges=True)
zipped = lambda: D.zip((numbers(), numbers().repeat(2)))
tried(lambda: zipped().flat_map(lambda x, y: D.from_tensors(x)).take(5), latency_all_edges=True)
def example(count):
    feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"] * count))
    fixed = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    features = tf.train.Features(feature={"a": fixed, "b": feature, "unused": fixed})
    return tf.train.Example(features=features).SerializeToString()
columns = {"a": tf.FixedLenFeature([2], tf.int64), "b": tf.VarLenFeature(tf.string)}
parse = tf.data.experimental.parse_example_dataset(columns)
tried(lambda: D.from_tensor_slices([example(i) for i in range(6)]).batch(2).apply(parse))
