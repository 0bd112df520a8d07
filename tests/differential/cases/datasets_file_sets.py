# case: dataset of columns of CSV files
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
def w(name, text):
    write(name, text.encode())
w('a.csv','id,name,val,big\n'+''.join('%d,n%d,%d.5,%d\n'%(i,i,i,i*10**10) for i in range(5)))
w('b.csv','id,name,val,big\n'+''.join('%d,n%d,%d.5,%d\n'%(i,i,i,i*10**10) for i in range(5,9)))
w('c_bad.csv','id,nom,val,big\n1,2,3,4\n')
w('e.csv','')
w('dup.csv','a,a\n1,2\n')
w('q.csv','x|y\n1|"a|b"\n2|c\n')
w('types.csv','i,l,f,d,s,m,n\n1,1,1.5,1e300,abc,,1\n2,10000000000,2,2,1,,x\n')
w('na.csv','a,b\n1,NA\nNA,2\n3,4\n')
w('nh.csv','1,a\n2,b\n')
P = folder + "/"
def go(pattern, batch, n=4, ops=False, **options):
    tf.reset_default_graph()
    try:
        dataset = tf.data.experimental.make_csv_dataset(pattern, batch, **options)
    except ValueError as error:
        plain(error)
        return
    print(str(dataset).replace("OrderedDict", "dict"))
    if ops:
        print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
    following = dataset.make_initializable_iterator()
    element = following.get_next()
    with tf.Session() as sess:
        sess.run(following.initializer)
        for _ in range(n):
            try:
                found = sess.run(element)
                print(type(found).__name__)
                show(tuple(dict(part) if isinstance(part, dict) else part for part in found) if isinstance(found, tuple) else dict(found))
            except tf.errors.OpError as error:
                plain(error)
                if "End of sequence" in str(error):
                    break
go(P+'a.csv',2,num_epochs=1,shuffle=False,ops=True)
go(P+'a.csv',2,num_epochs=2,shuffle=False,label_name='val')
go([P+'a.csv',P+'b.csv'],3,num_epochs=1,shuffle=False,n=6)
go(P+'[ab].csv',4,shuffle=True,shuffle_seed=5,shuffle_buffer_size=3,ops=True,n=6)
go(P+'[ab].csv',4,shuffle=True,shuffle_seed=5,num_epochs=2,n=9)
go(P+'[ab].csv',4,num_epochs=1,shuffle=False,num_parallel_reads=2,ops=True)
go([P+'a.csv',P+'c_bad.csv'],3)
go(P+'e.csv',3)
go(P+'dup.csv',3)
go(P+'q.csv',2,field_delim='|',num_epochs=1,shuffle=False)
go(P+'q.csv',2,field_delim='|',num_epochs=1,shuffle=False,use_quote_delim=False)
go(P+'types.csv',2,num_epochs=1,shuffle=False)
go(P+'na.csv',2,num_epochs=1,shuffle=False,na_value='NA')
go(P+'na.csv',2,num_epochs=1,shuffle=False,na_value='NA',column_defaults=[9,8.])
go(P+'na.csv',2,num_epochs=1,shuffle=False,na_value='NA',column_defaults=[tf.int32,tf.float32])
go(P+'na.csv',2,num_epochs=1,shuffle=False,column_defaults=[tf.int32])
go(P+'nh.csv',2,num_epochs=1,shuffle=False,header=False,column_names=['x','y'])
go(P+'nh.csv',2,num_epochs=1,shuffle=False,header=False)
go(P+'a.csv',2,num_epochs=1,shuffle=False,select_columns=['val','id'])
go(P+'a.csv',2,num_epochs=1,shuffle=False,select_columns=[0,3],label_name='big')
go(P+'a.csv',2,num_epochs=1,shuffle=False,select_columns=[0,9])
go(P+'a.csv',2,num_epochs=1,shuffle=False,select_columns=['zz'])
go(P+'a.csv',2,num_epochs=1,shuffle=False,label_name='zz')
go(P+'a.csv',2,num_epochs=1,shuffle=False,select_columns=[0,1],column_defaults=[tf.int64,'z'])
go(P+'a.csv',2,num_epochs=1,shuffle=False,column_defaults=[tf.int64,'z'])
go(P+'a.csv',2,num_epochs=1,shuffle=False,column_names=['p','q','r','s'])
go(P+'a.csv',2,num_epochs=1,shuffle=False,column_names=['p','q'])
go(P+'none*.csv',2)
go(P+'a.csv',2,num_epochs=1,shuffle=False,num_rows_for_inference=1)
go(P+'a.csv',2,num_epochs=1,shuffle=False,prefetch_buffer_size=3,sloppy=True,ignore_errors=True)
go(P+'a.csv',2,select_columns=['val'],column_defaults=[tf.int32,tf.float32])

# case: dataset of features of files
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
        (feature.bytes_list if isinstance(values[0], bytes) else feature.int64_list).value.extend(values)
    return made.SerializeToString()
for n in range(2):
    with tf.python_io.TFRecordWriter(path("ex%d.rec" % n)) as writer:
        for i in range(5):
            writer.write(example(a=[n * 10 + i], b=[b"v%d" % i] * (i % 3) or [b""]))
F = {"a": tf.FixedLenFeature([], tf.int64), "b": tf.VarLenFeature(tf.string)}
P = path("ex?.rec")
d = tf.data
mb = tf.data.experimental.make_batched_features_dataset
def go(function, *args, **options):
    ops, n = options.pop("ops", False), options.pop("n", 4)
    def make():
        dataset = function(*args, **options)
        print(dataset)
        if ops:
            print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
        return dataset
    elements(make, n)
go(mb,P,3,F,num_epochs=1,shuffle=False,ops=True)
go(mb,P,3,F,shuffle_seed=4,shuffle_buffer_size=4,ops=True)
go(mb,P,3,F,num_epochs=1,shuffle=False,label_key='a',reader_num_threads=2,parser_num_threads=3,drop_final_batch=True)
go(mb,P,3,F,num_epochs=2,shuffle=False,label_key='zz')
go(mb,P,3,F,num_epochs=1,shuffle=False,reader=d.TFRecordDataset,reader_args=['GZIP'])
go(mb,P,3,F,num_epochs=1,shuffle=True,shuffle_seed=7,prefetch_buffer_size=1)
go(mb,[],3,F)
elements(lambda: mb(P, 3, F, reader=tf.TFRecordReader))
tf.reset_default_graph()
found = tf.contrib.data.read_batch_features(P, 3, F, randomize_input=False, num_epochs=1)
with tf.Session() as sess:
    for _ in range(4):
        show(sess.run(found))
elements(lambda: tf.data.TFRecordDataset(path("ex0.rec")).shuffle(3, seed=5).repeat(2).batch(4).map(lambda batch: tf.parse_example(batch, {"a": F["a"]})["a"]))
elements(lambda: tf.data.Dataset.list_files(P, seed=3).repeat(4).map(lambda name: tf.regex_replace(name, folder, "")))
# case: dataset of endless numbers
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
def go(make, n=5):
    def shown():
        dataset = make()
        print(dataset)
        print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
        return dataset
    elements(shown, n)
e, c = tf.data.experimental, tf.contrib.data
go(lambda: e.RandomDataset(42))
go(lambda: e.Counter())
go(lambda: e.Counter(3, 2, tf.int32).batch(3))
go(lambda: e.Counter(1.5, 0.5, tf.float32))
go(lambda: c.RandomDataset(4))
go(lambda: c.Counter(2))
def seeded():
    tf.set_random_seed(9)
    return e.RandomDataset()
go(seeded)
with tf.Session() as sess:
    for dataset in (e.Counter(), e.RandomDataset(), tf.data.Dataset.range(5).repeat(3), tf.data.Dataset.range(5).batch(2)):
        show(sess.run(e.cardinality(dataset)))
# case: batches of the records in files
import os, tempfile
from tensorflow.python.data.experimental.ops import readers
base = tempfile.mkdtemp()
for i in range(3):
    with tf.python_io.TFRecordWriter(os.path.join(base, "records.%d" % i)) as writer:
        for j in range(4):
            writer.write(b"%d" % j * (i + 1))
def tried(batch_size, **options):
    options.setdefault("num_epochs", 1)
    dataset = readers.make_tf_record_dataset(os.path.join(base, "rec*"), batch_size, **options)
    print(dataset.output_types, dataset.output_shapes)
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        try:
            for _ in range(6):
                show(sess.run(element))
        except tf.errors.OutOfRangeError:
            print("end")
tried(5, shuffle=False)
tried(5, shuffle=False, num_parallel_reads=1, drop_final_batch=True)
tried(5, shuffle=False, parser_fn=lambda x: (x, tf.strings.length(x)), num_parallel_parser_calls=2, prefetch_buffer_size=0)
tried(5, shuffle_seed=4, num_epochs=2)
tried(5, shuffle_seed=4, shuffle_buffer_size=3, num_epochs=None)
