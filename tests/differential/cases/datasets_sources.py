# case: dataset of text lines
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
a = write("a", b"one\ntwo\r\n\nfour\rx\nlast")
b = write("b", b"b\n")
z = write("z", zlib.compress(b"q1\nq2"))
g = write("g", gzip.compress(b"z1\nz2\n"))
text = tf.data.TextLineDataset
elements(lambda: text([a, write("empty", b""), b]))
elements(lambda: text(a).batch(2))
elements(lambda: text(b, buffer_size=1))
elements(lambda: text(b, buffer_size=-1))
elements(lambda: text(z, "ZLIB"))
elements(lambda: text(g, compression_type="GZIP"))
elements(lambda: text(b, "GZIP"), 1)
elements(lambda: text(b, "LZ4"))
elements(lambda: text([b, path("none")]), 2)
elements(lambda: text(folder), 1)
elements(lambda: text([]))
elements(lambda: text([a, b], num_parallel_reads=2))
elements(lambda: text(tf.data.Dataset.from_tensor_slices([b, a])), 3)
print(text("a"), tf.compat.v2.data.TextLineDataset.__name__[:15])
for wrong in (3, tf.data.Dataset.range(2), tf.data.Dataset.from_tensors(["a"])):
    elements(lambda: text(wrong))
elements(lambda: text("a", num_parallel_reads=tf.constant(2)))
tf.reset_default_graph()
text(["a", "b"], num_parallel_reads=2)
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
# case: dataset of records
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
def records(name, count=3):
    with tf.python_io.TFRecordWriter(path(name)) as writer:
        for i in range(count):
            writer.write(("%s-%d" % (name, i)).encode())
    with open(path(name), "rb") as file:
        return file.read()
a, b = records("a"), records("b")
size = len(a) // 3
def damaged(name, place):
    return write(name, a[:place] + bytes(bytearray([a[place] ^ 1])) + a[place + 1 :])
names = [damaged("data", size + 14), damaged("length", size + 1), write("cut", a[: 2 * size + 14]), write("header", a[: 2 * size + 5])]
dataset = tf.data.TFRecordDataset
elements(lambda: dataset([path("a"), path("b")]))
for name in names:
    elements(lambda: dataset([name, path("b")]))
elements(lambda: dataset([path("b"), path("none")]), 4)
elements(lambda: dataset([folder, path("b")]))
elements(lambda: dataset(write("g", gzip.compress(a)), "GZIP"))
elements(lambda: dataset(write("z", zlib.compress(a)), "ZLIB"))
elements(lambda: dataset(path("a"), "LZ4"))
elements(lambda: dataset(path("a"), "ZLIB"))
elements(lambda: dataset(path("a"), buffer_size=-1))
elements(lambda: dataset([path("a"), path("b")], num_parallel_reads=2).batch(4))
print(dataset("a"), tf.data.TextLineDataset("b").map(lambda x: x))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
# case: dataset of fixed length records
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
a = write("a", b"HEAaaaaabbbbbcccccFF")
odd = write("odd", b"HEAaaaaabbbbbccccFF")
fixed = tf.data.FixedLengthRecordDataset
elements(lambda: fixed([a, a], 5, 3, 2))
elements(lambda: fixed(a, 4))
elements(lambda: fixed(odd, 5, 3, 2), 1)
elements(lambda: fixed(write("short", b"HE"), 5, 3, 2), 1)
elements(lambda: fixed(path("none"), 5), 1)
elements(lambda: fixed(write("g", gzip.compress(b"HEAaaaaabbbbbcccccFF")), 5, 3, 2, compression_type="GZIP"))
elements(lambda: fixed([write("o", gzip.compress(b"HEAaaaaabbbbbccccFF")), path("g")], 5, 3, 2, compression_type="GZIP"))
elements(lambda: fixed(a, 5, 3, 2, compression_type="LZ4"))
elements(lambda: fixed(a, 0))
elements(lambda: fixed(a, -1))
elements(lambda: fixed(a, 5, -1))
elements(lambda: fixed(a, 5, 1, -1))
elements(lambda: fixed(a, 5, 3, 2, -1))
elements(lambda: fixed([a, a], 5, 3, 2, num_parallel_reads=2))
elements(lambda: fixed(a, 5, 3, 2).map(lambda x: tf.decode_raw(x, tf.uint8)))
print(fixed("a", 3))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
# case: dataset of generators
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
import collections
G = tf.data.Dataset.from_generator
elements(lambda: G(lambda: iter([1, 2, 3]), tf.int32))
elements(lambda: G(range, tf.int64, (), args=(3,)))
def tuples():
    yield 1, "a"
    yield 2, b"b"
    yield (3, u"\xe9")
elements(lambda: G(tuples, (tf.int32, tf.string), ((), ())))
def lists():
    yield [1, 2]
    yield [3]
elements(lambda: G(lists, tf.int32, [None]))
elements(lambda: G(lists, (tf.int32, tf.int32)))
elements(lambda: G(lists, tf.int32, [2]))
elements(lambda: G(lists, tf.float32))
def dicts():
    yield {"a": 1, "b": [2.5]}
    yield {"a": 1}
    yield {"a": 1, "b": [2.0], "c": 4}
    yield 3
    yield {"b": [4.0], "a": 4}
elements(lambda: G(dicts, {"a": tf.int32, "b": tf.float32}, {"a": (), "b": [1]}))
def mixed():
    yield 1
    yield "x"
    yield 2.5
    yield [1, 2]
    yield None
    yield np.float64(2.5)
    yield np.int64(7)
    yield 2 ** 40
for kind in (tf.int32, tf.float32, tf.string):
    elements(lambda: G(mixed, kind, ()))
elements(lambda: G(lambda: iter([1, 300, -1]), tf.uint8))
def raises():
    yield 1
    raise RuntimeError("boom")
elements(lambda: G(raises, tf.int32))
class Every:
    n = 0
    def __iter__(self):
        return self
    def __next__(self):
        Every.n += 1
        if Every.n % 2 == 0:
            raise ValueError("even %d" % Every.n)
        if Every.n > 4:
            raise StopIteration
        return Every.n
elements(lambda: G(Every, tf.int32))
elements(lambda: G(lambda: 3, tf.int32), 1)
log = []
def closing():
    try:
        log.append("start")
        yield 1
        yield 2
    finally:
        log.append("end")
elements(lambda: G(closing, tf.int32), 5)
print(log)
elements(lambda: G(lambda a, b: iter([a, b, type(a).__name__]), tf.string, args=(tf.constant("p"), "q")))
elements(lambda: G(lambda a: iter([type(a).__name__, str(a.dtype), str(a.shape)]), tf.string, args=([1, 2],)))
elements(lambda: G(lambda: iter(range(5)), tf.int32, ()).batch(2))
elements(lambda: G(lambda: iter([["a", "bc"], np.array(["x", "yz"])]), tf.string))
Pair = collections.namedtuple("Pair", "a b")
elements(lambda: G(lambda: iter([Pair(1, 2), (3, 4)]), Pair(tf.int32, tf.int32)))
elements(lambda: G(lambda: iter([((1, 2), 3), ((1,), 3), (1, 3)]), ((tf.int32, tf.int32), tf.int32)))
elements(lambda: G(3, tf.int32))
elements(lambda: G(range, tf.int32, args=4))
elements(lambda: G(range, tf.int32, output_shapes="x"))
elements(lambda: G(range, (tf.int32, tf.int32), output_shapes=((),)))
elements(lambda: tf.data.Dataset.range(3).flat_map(lambda n: G(range, tf.int64, (), args=(n,))))
tf.reset_default_graph()
print(G(range, (tf.int32, tf.string), ((), (None,)), args=(1, tf.constant("a"))))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
for function in sorted(tf.get_default_graph().as_graph_def().library.function, key=lambda f: f.signature.name):
    print(function.signature.name.rpartition("_")[0], len(function.signature.input_arg), [node.op for node in function.node_def])
# case: dataset of listed files
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
for name in ("a1", "a2", "b"):
    write(name, b"")
files = tf.data.Dataset.list_files
def names(make):
    tf.reset_default_graph()
    element = make().map(lambda name: tf.regex_replace(name, folder, "F")).make_initializable_iterator()
    following = element.get_next()
    with tf.Session() as sess:
        sess.run(element.initializer)
        try:
            while True:
                show(sess.run(following))
        except tf.errors.OutOfRangeError:
            print("end")
names(lambda: files(path("a*"), shuffle=False))
names(lambda: files([path("b"), path("a?")], shuffle=False))
for patterns in ([path("x*"), path("y*")], path("none/*")):
    elements(lambda: files(patterns, shuffle=False))
elements(lambda: files(3))
tf.reset_default_graph()
print(files("a", shuffle=False))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
tf.reset_default_graph()
with tf.Session() as sess:
    for count in (files([path("a?"), path("b")], shuffle=False), tf.data.TextLineDataset("a"), tf.data.Dataset.range(5)):
        show(sess.run(tf.data.experimental.cardinality(count)))
print(tf.data.experimental.INFINITE_CARDINALITY, tf.data.experimental.UNKNOWN_CARDINALITY)
# case: dataset of sparse slices
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
def slices(indices, values, shape):
    array = np.array(indices, np.int64).reshape(-1, len(shape))
    return lambda: tf.data.Dataset.from_sparse_tensor_slices(tf.SparseTensor(array, tf.constant(values), np.array(shape, np.int64)))
elements(slices([[0, 1], [0, 3], [2, 0]], [5, 6, 7], [4, 5]))
elements(slices([[0, 1, 1], [0, 3, 0], [2, 0, 2]], ["a", "b", "c"], [3, 5, 3]))
elements(slices([[2, 0], [0, 1]], [5, 6], [4, 5]))
elements(slices([[0, 2], [0, 1], [1, 1]], [5, 6, 7], [2, 5]))
elements(slices([[0, 2], [5, 1]], [5, 6], [3, 5]))
elements(slices([[-1, 2], [1, 1]], [5, 6], [3, 5]))
elements(slices([], np.zeros(0, np.int32), [2, 5]))
elements(slices([[1]], [2], [3]))
elements(lambda: tf.data.Dataset.from_sparse_tensor_slices(3))
tf.reset_default_graph()
print(tf.data.Dataset.from_sparse_tensor_slices(tf.sparse_placeholder(tf.int32)))
with tf.Session() as sess:
    show(sess.run(tf.data.experimental.cardinality(slices([[0, 1]], [5], [4, 5])())))
# case: dataset of csv records
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
def run(text, defaults, names=1, **options):
    write("c", text)
    elements(lambda: tf.data.experimental.CsvDataset([path("c")] * names, defaults, **options), 12)
i, f, S = tf.int32, tf.float32, tf.string
run(b'1,2.5,abc\n2,3.5,def\n',[i,f,S])
run(b'1,2.5,abc\r\n2,3.5,def\r\n',[i,f,S])
run(b'1,2.5,abc\r2,3.5,def\r3,4,x',[i,f,S])
run(b'1,2.5,abc\n2,3.5,def',[i,f,S])
run(b'1,2.5,abc\n\n2,3.5,def\n\n\n',[i,f,S])
run(b'a\n\nb\n\r\nc\n',[['z']])
run(b'1,2\n\n2,3\n',[[7],[8]])
run(b'"1","2.5","a,b"\n2,3,"x ""y"" z"\n3,4,"line\nbreak"\n4,5,"cr\r\nlf"\n',[i,f,S])
run(b'1,a"b\n2,c\n',[i,S])
run(b'1,"a"b\n2,c\n3,d\n',[i,S])
run(b'1,"a"b,"zz\n2,c\n3,d\n',[i,S])
run(b'1,"abc\n2,d\n',[i,S])
run(b'1,2\n3\n4,5\n',[i,i])
run(b'1,2\n3,4,5\n4,5\n',[i,i])
run(b'1,2\nx,3\n4,y\n5,6\n',[i,i])
run(b'1,2\nx,3,3\n4,y\n5,6\n',[i,i])
run(b'1.5\nabc\n1e5\ninf\nnan\n 2.5\n3.5 \n0x10\n',[f])
run(b'1\n 2\n3 \n+4\n-5\n2147483648\n-2147483649\n0x1\n1.0\n',[i])
run(b'9223372036854775807\n9223372036854775808\n',[tf.int64])
run(b'1e-320\n0.1\n1e400\n-1e400\n',[tf.float64])
run(b'1e-50\n0.1\n1e40\n',[tf.float32])
run(b'1,\n,2\n3,4\n',[i,i])
run(b'1,\n,2\n3,4\n,\n',[[5],[6]])
run(b'1,NA\nNA,2\n"NA",3\n',[[5],[6]],na_value='NA')
run(b'1,NA\nNA,2\n',[i,i],na_value='NA')
run(b'a,\n,b\n"",c\n',[['x'],['y']])
run(b'a,\n,b\n"",c\n',[S,S])
run(b'a,\n,b\n"",c\n',['x','y'])
run(b'h1,h2\n1,2\n3,4\n',[i,i],header=True)
run(b'"h\n1",h2\n1,2\n3,4\n',[i,i],header=True)
run(b'h1,h2',[i,i],header=True)
run(b'',[i,i],header=True)
run(b'',[i,i])
run(b'1|2\n3|4\n',[i,i],field_delim='|')
run(b'1\t2\n3\t4\n',[i,i],field_delim='\t')
run(b'1|2\n3|4\n',[i,i],field_delim='||')
run(b'1,"a\n2,b"c\n',[i,S],use_quote_delim=False)
run(b'1,"a\r\n2,b"c\r\n',[i,S],use_quote_delim=False)
run(b'1,2,3\n4,5,6\n',[i,i],select_cols=[0,2])
run(b'1,2,3\n4,5,6\n7,8\n9,10,11,12\n',[i],select_cols=[1])
run(b'1,2,3\n4\n7,8\n9,10,11,12\n',[i],select_cols=[1])
run(b'1,2,3\n4,5,6\n',[i,i],select_cols=[2,0])
run(b'1,2,3\n4,5,6\n',[i,i],select_cols=[1,1])
run(b'1,2,3\n4,5,6\n',[i],select_cols=[-1])
run(b'1,2,3\n4,5,6\n',[i],select_cols=[0,1])
run(b'1,2,3\n4,5,6\n',[i],select_cols=[5])
run(b"1\n",[[[1]]])
run(b"1\n",[[1,2]])
run(b'1\n2',[i],names=2)
run(b'h\n1\n2',[i],names=2,header=True)
run(b'',[i,i],compression_type='FOO')
run(b'1,2\n',[i,i],buffer_size=1)
run(b'1,2\n',[i,i],buffer_size=0)
run(b'1,2\n',[i,i],buffer_size=-1)
run(b'1,2,\n3,4,\n',[i,i])
run(b'1, "a"\n2,"b" \n3,c\n',[i,S])
run(b',\n',[['a'],['b']])
run(b'1,',[[3],[4]])
run(b'1\r\r2\r\n\r\n3',[[9]])
run(b'\xef\xbb\xbf1\n2\n',[i])
run(b'a\0b\nc\n',[S])
run(b'"a"\r\n"b"\r"c"\n"d"',[S])
run(gzip.compress(b"1,2\n3,4\n"), [i, i], compression_type="GZIP")
tf.reset_default_graph()
print(tf.data.experimental.CsvDataset(["a", "b"], [tf.float32, [1], tf.constant([1], tf.int64), ""]))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
# case: dataset of database rows
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
import sqlite3
connection = sqlite3.connect(path("db"))
connection.execute("create table t (id integer primary key, name text, val real, b blob, n integer, flag boolean)")
for i in range(3):
    values = (i, "n%d" % i, i + 0.5, bytes(bytearray([0, i])), None if i == 1 else i * 1000, i % 2)
    connection.execute("insert into t values (?,?,?,?,?,?)", values)
connection.commit()
connection.close()
def run(types, query, count=6, driver="sqlite"):
    once = ["select id,name from t", "select id from t", "select id from nope", "selec id", ""]
    elements(lambda: tf.data.experimental.SqlDataset(driver, path("db"), query, types), 1 if query in once or "insert" in query else count)
run((tf.int64,tf.string,tf.float64),'select id,name,val from t order by id')
run(tf.string,'select name from t order by id')
run((tf.int32,tf.string),'select id,name from t order by id desc')
run((tf.int8,tf.int16,tf.int32,tf.int64,tf.uint8,tf.uint16,tf.bool),'select id,id,id,id,id,id,id from t order by id')
run((tf.float32,),'select val from t')
run((tf.string,tf.string,tf.string,tf.string),'select id,val,b,n from t order by id')
run((tf.int32,),'select n from t order by id')
run((tf.float64,),'select n from t order by id')
run((tf.int32,),'select name from t order by id')
run((tf.int32,),'select val from t order by id')
run((tf.float64,),'select id from t order by id')
run((tf.bool,),'select flag from t order by id')
run((tf.bool,),'select name from t order by id')
run((tf.int8,),'select 300')
run((tf.int32,),'select 3000000000')
run((tf.uint8,),'select -1')
run((tf.int64,),'select 9223372036854775807')
run((tf.int32,),'select id,name from t')
run((tf.int32,tf.string),'select id from t')
run((tf.int32,),'select id from nope')
run((tf.int32,),'selec id')
run((tf.int32,),'select 1',driver='mysql')
run((tf.int32,),"insert into t values (9,'x',1.0,null,3,0)")
run((tf.int32,),"select id from t order by id",9)
run((tf.int32,),"select id from t where id>100")
run((tf.int32,tf.float64,tf.string),"select '12','3.5abc','x'")
run((tf.string,),"select 'h\xe9'")
run((tf.string,),"select 1e20 union all select 0.1 union all select 1.0 union all select 1e-7")
run((tf.float16,),"select 1")
run((tf.string,),"select cast(x'610062' as text)")
run((tf.int32,),"select 1; select 2")
run((tf.int32,),"")
print(tf.data.experimental.SqlDataset("sqlite", "a", "b", (tf.int32, tf.string)))
# case: dataset of random numbers
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
R = tf.raw_ops
def from_variant(seed, seed2):
    variant = R.RandomDataset(seed=tf.constant(seed, tf.int64), seed2=tf.constant(seed2, tf.int64), output_types=[tf.int64], output_shapes=[[]])
    return tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.int64))
for seeds in ((1, 2), (87654321, 4), (0, 5), (5, 0)):
    elements(lambda: tf.data.Dataset.range(1).flat_map(lambda _: from_variant(*seeds)), 6)
elements(lambda: tf.data.Dataset.range(1).flat_map(lambda _: from_variant(3, 4)).batch(5), 3)
with tf.Session() as sess:
    show(sess.run(tf.data.experimental.cardinality(from_variant(1, 2))))
# case: dataset of features of examples
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
def example(**lists):
    made = tf.train.Example()
    for name, values in lists.items():
        feature = made.features.feature[name]
        if isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif isinstance(values[0], float):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(values)
    return made.SerializeToString()
data = [example(a=[1], b=[b"x", b"y"], c=[1.0, 2.0], s=[1.5], i=[3]), example(a=[2], c=[3.0, 4.0], q=[1, 2, 3]), example(a=[3], b=[b"z"], q=[4])]
fixed, sequence = tf.FixedLenFeature, tf.FixedLenSequenceFeature
parse = tf.data.experimental.parse_example_dataset
def run(features, batch=2, **options):
    def make():
        dataset = tf.data.Dataset.from_tensor_slices(data).batch(batch)
        dataset = dataset.apply(parse(features, **options))
        print(dataset)
        print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
        return dataset
    elements(make, 4)
run({"a": fixed([], tf.int64), "b": tf.VarLenFeature(tf.string)})
run({"a": fixed([], tf.int64), "c": fixed([2], tf.float32, [9.0, 9.0]), "z": fixed([], tf.string, "dd")})
run({"q": sequence([], tf.int64, allow_missing=True), "a": fixed([1], tf.int64)})
run({"q": sequence([], tf.int64, allow_missing=True, default_value=-1)})
run({"q": sequence([], tf.int64)})
run({"sp": tf.SparseFeature("i", "s", tf.float32, 10), "a": fixed([], tf.int64)})
run({"sp": tf.SparseFeature(["i"], "s", tf.float32, [10]), "i": tf.VarLenFeature(tf.int64)})
run({"b": fixed([], tf.string)})
run({"a": fixed([], tf.float32)}, 1)
run({"a": fixed([], tf.int64)}, num_parallel_calls=2)
run({"a": fixed([], tf.int64)}, num_parallel_calls=-1)
run({"a": fixed([], tf.int64)}, num_parallel_calls=0)
run({})
run({"a": 3})
for dataset in (tf.data.Dataset.range(3), tf.data.Dataset.from_tensors("a"), tf.data.Dataset.from_tensors((["a"], ["b"]))):
    elements(lambda: dataset.apply(parse({"a": fixed([], tf.int64)})))
elements(lambda: parse(None))
# case: dataset of records written
import gzip, os, tempfile, zlib
folder = tempfile.mkdtemp()
def path(name):
    return os.path.join(folder, name)
def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)
def plain(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    text = text.strip().splitlines()[0].replace(folder, "F")
    if text.startswith("{{function_node"):
        text = text.partition("}} ")[2]
    print(type(error).__name__, text)
def elements(make, count=9):
    tf.reset_default_graph()
    try:
        iterator = make().make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            for _ in range(count):
                try:
                    show(sess.run(element))
                except tf.errors.OpError as error:
                    plain(error)
                    if "End of sequence" in str(error):
                        break
    except (tf.errors.OpError, ValueError, TypeError) as error:
        plain(error)
lines = write("lines", b"one\ntwo\n")
def run(make, name="out", compression=None):
    tf.reset_default_graph()
    kind = {"GZIP": 2, "ZLIB": 1}.get(compression, 0)
    try:
        with tf.Session() as sess:
            show(sess.run(tf.data.experimental.TFRecordWriter(path(name), compression).write(make())))
        print(list(tf.python_io.tf_record_iterator(path(name), tf.python_io.TFRecordOptions(kind))))
    except (tf.errors.OpError, TypeError) as error:
        plain(error)
run(lambda: tf.data.TextLineDataset(lines))
run(lambda: tf.data.TextLineDataset(lines), "z", "ZLIB")
run(lambda: tf.data.TextLineDataset(lines), "g", "GZIP")
run(lambda: tf.data.TextLineDataset(lines), "l", "LZ4")
run(lambda: tf.data.TextLineDataset(path("none")))
run(lambda: tf.data.TextLineDataset(lines), "none/out")
run(lambda: 3)
run(lambda: tf.data.Dataset.range(3))
run(lambda: tf.data.Dataset.from_tensors(["a"]))
tf.reset_default_graph()
tf.data.experimental.TFRecordWriter("x").write(tf.data.Dataset.from_tensors("a"))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
