# case: nodes of summaries that are always recorded
S = tf.contrib.summary
tf.train.get_or_create_global_step()
writer = S.create_file_writer("/tmp/x", flush_millis=10000, max_queue=5, filename_suffix=".s", name="nm")
with writer.as_default(), S.always_record_summaries():
    show(S.scalar("sc", 1.0), S.scalar("sc", 1.0, family="fam"))
    show(S.histogram("hi hi", [1.0, 2.0], step=3))
    show(S.image("im", tf.zeros([1, 2, 2, 3])), S.image("im", tf.zeros([1, 2, 2, 3]), step=1, max_images=1))
    show(S.audio("au", tf.zeros([1, 2, 2]), 44100.0, 3))
    show(S.generic("ge", [1, 2], metadata=tf.SummaryMetadata(summary_description="d"), step=2))
    show(S.generic("ge2", [1, 2]), S.generic("ge3", [1, 2], metadata=b""))
    show(S.import_event(tf.constant(b"")), S.graph(tf.constant(b""), step=2), S.graph(tf.constant(b""), name="g"))
    show(S.flush(), S.flush(name="fl"), S.flush(writer), S.flush(writer._resource))
    show(writer.init(), writer.flush(), writer.close(), S.should_record_summaries())
    with tf.name_scope("outer"), tf.device("/gpu:0"):
        show(S.scalar("/in/", 2))
show(S.scalar("none", 2), S.graph(tf.constant(b"")), S.flush(), S.should_record_summaries())
nodes()
show([op.device for op in tf.get_default_graph().get_operations()])
show(S.all_summary_ops(), S.summary_writer_initializer_op(), tf.summary.all_v2_summary_ops())
show(sorted(tf.get_default_graph().get_all_collection_keys()))
# case: nodes of summaries that are recorded at times
S = tf.contrib.summary
writer = S.create_file_writer("/tmp/x")
with writer.as_default(), S.record_summaries_every_n_global_steps(3):
    show(S.should_record_summaries(), S.scalar("sc", 1.0))
    with S.never_record_summaries():
        show(S.scalar("sc", 1.0))
    with tf.device("/gpu:0"):
        show(S.scalar("x", tf.constant(1.0)))
with writer.as_default():
    show(S.scalar("sc", 1.0))
with writer.as_default(), S.record_summaries_every_n_global_steps(2, tf.constant(4)):
    show(S.scalar("sc", 1.0))
nodes()
show([op.device for op in tf.get_default_graph().get_operations()])
# case: which events are recorded at which steps
import glob, tempfile
S = tf.contrib.summary
folder = tempfile.mkdtemp()
step = tf.train.create_global_step()
writer = S.create_file_writer(folder)
with writer.as_default(), S.record_summaries_every_n_global_steps(3):
    S.scalar("a", tf.cast(step, tf.float32) / 2)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(S.summary_writer_initializer_op())
    for _ in range(7):
        print([bool(x) for x in s.run(S.all_summary_ops())])
        s.run(step.assign_add(1))
    s.run(writer.close())
for event in tf.train.summary_iterator(glob.glob(folder + "/*")[0]):
    print(event.step, [(v.tag, v.simple_value) for v in event.summary.value], event.file_version)
# case: contents of events
import glob, tempfile
S = tf.contrib.summary
folder = tempfile.mkdtemp()
writer = S.create_file_writer(folder)
with writer.as_default(), S.always_record_summaries():
    summaries = [
        S.scalar("a b&c/d", 1.5, step=1),
        S.scalar("int", tf.constant(7, tf.int32), family="f g", step=tf.constant(2, tf.int64)),
        S.scalar("first of", [3.0, 4.0], step=1),
        S.histogram("hi", [[1.0], [-2.0]], step=3),
        S.generic("g", [1, 2], step=1, metadata=tf.SummaryMetadata(summary_description="d")),
        S.generic("s", ["a", "b"], step=1),
        S.generic("wrong", 1.0, metadata=b"\xff\xff\xff", step=1),
        S.audio("au", [[0.5, -1.0]], 44100.0, 3, step=1),
        S.audio("one", tf.zeros([2, 2, 2]), 1.0, 1, step=1),
        S.import_event(tf.Event(step=9, wall_time=3.0, summary=tf.Summary(value=[tf.Summary.Value(tag="z", simple_value=1)])).SerializeToString()),
        S.graph(tf.constant(tf.GraphDef().SerializeToString()), step=2),
    ]
    image = [S.image("im", tf.zeros([1, 1, 2, 3]), step=1), S.image("one", tf.zeros([2, 1, 2, 1], tf.uint8), max_images=1, step=1)]
    with tf.name_scope("outer"):
        summaries.append(S.scalar("in", 2.0, step=1))
with tf.Session() as s:
    s.run(writer.init())
    for summary in summaries:
        s.run(summary)
    s.run(image[0])
    s.run(image[1])
    s.run(writer.flush())
    s.run(writer.close())
for event in list(tf.train.summary_iterator(glob.glob(folder + "/*.v2")[0]))[1:]:
    print(event.step, event.wall_time if event.wall_time == 3 else "", event.WhichOneof("what"))
    for value in event.summary.value:
        kind = value.WhichOneof("value")
        found = getattr(value, kind)
        if kind == "image":
            found = [found.width, found.height, found.colorspace, len(found.encoded_image_string) > 0]
        show(value.tag, kind, found.SerializeToString() if hasattr(found, "SerializeToString") else found, value.metadata.SerializeToString(), value.HasField("metadata"))
# case: a writer that is not open
import tempfile
writer = tf.contrib.summary.create_file_writer(tempfile.mkdtemp(), name="w")
with writer.as_default(), tf.contrib.summary.always_record_summaries():
    a = tf.contrib.summary.scalar("a", 1.0, step=1)
with tf.Session() as s:
    s.run(a)
# case: flush of a writer that is not open
with tf.Session() as s:
    s.run(tf.contrib.summary.create_file_writer("/tmp/x", name="w").flush())
# case: a writer that is closed
import tempfile
writer = tf.contrib.summary.create_file_writer(tempfile.mkdtemp(), name="w")
with writer.as_default(), tf.contrib.summary.always_record_summaries():
    a = tf.contrib.summary.scalar("a", 1.0, step=1)
with tf.Session() as s:
    s.run(writer.init())
    s.run(writer.init())
    s.run(writer.close())
    s.run(a)
# case: a folder that is a file
import tempfile
file = tempfile.NamedTemporaryFile()
with tf.Session() as s:
    try:
        s.run(tf.contrib.summary.create_file_writer(file.name + "/in").init())
    except tf.errors.FailedPreconditionError as error:
        print(error.message.splitlines()[0].replace(file.name, "F"))
# case: values that cannot be written
import tempfile
S = tf.contrib.summary
writer = S.create_file_writer(tempfile.mkdtemp())
with writer.as_default(), S.always_record_summaries():
    wrong = [
        S.image("i", tf.zeros([2, 2, 3]), step=1),
        S.image("i", tf.zeros([1, 2, 2, 2]), step=1),
        S.image("i", tf.zeros([1, 2, 2, 3]), bad_color=tf.constant([1], tf.uint8), step=1),
        S.image("i", tf.zeros([1, 2, 2, 3]), bad_color=tf.constant([[1, 2, 3]], tf.uint8), step=1),
        S.histogram("h", [float("nan"), 1.0], step=1),
        S.histogram("h", [float("inf"), 1.0], step=1),
        S.audio("a", tf.zeros([1, 1, 1]), 0.0, 1, step=1),
        S.import_event(b"\xff\xff\xff"),
        S.graph(tf.constant(b"\xff\xff"), step=1),
        tf.compat.v2.summary.experimental.write_raw_pb(tf.constant(b"\xff\xff\xff"), step=1),
    ]
with tf.Session() as s:
    s.run(writer.init())
    for op in wrong:
        try:
            s.run(op)
            print("written")
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
# case: a step of another type
with tf.contrib.summary.create_file_writer("/tmp/x").as_default(), tf.contrib.summary.always_record_summaries():
    tf.contrib.summary.scalar("a", 1.0, step=tf.constant(3))
# case: a graph that is no tensor
with tf.contrib.summary.create_file_writer("/tmp/x").as_default():
    tf.contrib.summary.graph(5, step=1)
# case: initialize without a writer
tf.contrib.summary.initialize()
# case: initialize without a session
with tf.contrib.summary.create_file_writer("/tmp/x").as_default():
    tf.contrib.summary.initialize()
# case: initialize writes a graph
import glob, tempfile
folder = tempfile.mkdtemp()
with tf.contrib.summary.create_file_writer(folder).as_default(), tf.Session() as s:
    tf.contrib.summary.initialize(graph=tf.get_default_graph())
    s.run(tf.contrib.summary.flush())
nodes()
events = list(tf.train.summary_iterator(glob.glob(folder + "/*")[0]))
show([(e.step, e.WhichOneof("what")) for e in events])
show(sorted(n.name for n in tf.GraphDef.FromString(events[1].graph_def).node))
# case: writers of the second API
V = tf.compat.v2.summary
writer = V.create_file_writer("/tmp/x", name="q")
with writer.as_default():
    show(V.write("tag", 3.0, step=1), V.write("tag", tf.constant(1.0), step=1))
    with V.record_if(False):
        show(V.write("tag", 3.0, step=1, name="m"))
    with V.record_if(lambda: tf.constant(True)):
        show(V.write("tag", 3.0, step=1, name="m"))
    with V.record_if(tf.placeholder(tf.bool, [])):
        show(V.write("tag", 3.0, step=1, name="m"))
    show(V.experimental.write_raw_pb(tf.constant(b""), step=1))
    V.experimental.set_step(7)
    show(V.experimental.get_step(), V.write("tag", tf.constant(3), metadata=tf.SummaryMetadata()))
    V.experimental.set_step(None)
    for arguments in (("foo",), ("foo b&",), ("", "dd")):
        with V.experimental.summary_scope(*arguments) as found, V.experimental.summary_scope("in"):
            show(found)
nodes()
show(V.create_noop_writer().init(), V.create_noop_writer().flush(), V.create_noop_writer().close(), V.flush())
# case: no step
with tf.compat.v2.summary.create_file_writer("/tmp/x").as_default():
    tf.compat.v2.summary.write("a", 1.0)
# case: no folder
tf.compat.v2.summary.create_file_writer(None)
# case: plugins of the second API
import glob, tempfile
V = tf.compat.v2.summary
folder = tempfile.mkdtemp()
writer = V.create_file_writer(folder)
with writer.as_default():
    V.scalar("s", 2, step=1, description="d")
    with tf.name_scope("outer"):
        V.scalar("a b&", 1.5, step=1)
    V.histogram("h", [1.0, 2.0, 2.5], step=1, description="d", buckets=5)
    V.histogram("same", [2.0, 2.0], step=1)
    V.histogram("empty", tf.zeros([0]), step=1)
    V.image("i0", np.zeros([0, 2, 3, 3], np.uint8), step=1)
    V.text("t", [["a", "b"]], step=1, description="d")
    V.audio("au", np.full([2, 4, 1], 0.5, np.float32), 44100, step=1, description="d", max_outputs=1)
    V.audio("a0", np.zeros([0, 4, 2], np.float32), 8000, step=1, encoding="wav")
with tf.Session() as s:
    s.run(writer.init())
    for summary in tf.summary.all_v2_summary_ops():
        s.run(summary)
    s.run(writer.close())
for event in list(tf.train.summary_iterator(glob.glob(folder + "/*")[0]))[1:]:
    for value in event.summary.value:
        show(value.tag, event.step, tf.make_ndarray(value.tensor), value.metadata.SerializeToString())
# case: wrong values of the plugins of the second API
V = tf.compat.v2.summary
with V.create_file_writer("/tmp/x").as_default():
    for call in (
        lambda: V.scalar("v", [1.0, 2.0], step=1),
        lambda: V.image("v", np.zeros([2, 2]), step=1),
        lambda: V.audio("v", np.zeros([2, 2]), 1, step=1),
        lambda: V.audio("v", np.zeros([2, 2, 1]), 1, step=1, encoding="mp3"),
        lambda: V.scalar("v", 1.0),
    ):
        try:
            show(call())
        except (TypeError, ValueError, tf.errors.OpError) as error:
            print(type(error).__name__, str(error).splitlines()[0].strip())
# case: a file writer with a session
import glob, tempfile
folder = tempfile.mkdtemp()
with tf.Session() as s:
    writer = tf.summary.FileWriter(folder, session=s, filename_suffix=".q", flush_secs=7)
    nodes()
    show([op.device for op in tf.get_default_graph().get_operations()])
    writer.add_summary(tf.Summary(), 5)
    writer.flush()
    show([e.step for e in tf.train.summary_iterator(glob.glob(folder + "/*.q")[0])])
    other = tf.summary.FileWriter(folder, session=s)
    other.add_summary(tf.Summary(), 6)
    other.flush()
    show([e.step for e in tf.train.summary_iterator(glob.glob(folder + "/*.q")[0])])
    writer.close()
# case: folders of evaluations
S = tf.contrib.summary
show(S.eval_dir("/m"), S.eval_dir("/m", "n"), S.eval_dir("/m/", name="x"))
# case: events of file writers
import glob, tempfile
for arguments in (dict(graph_def=tf.GraphDef()), dict(graph=tf.GraphDef()), dict(graph=tf.Graph())):
    folder = tempfile.mkdtemp()
    tf.summary.FileWriter(folder, **arguments).close()
    show([e.WhichOneof("what") for e in tf.train.summary_iterator(glob.glob(folder + "/*")[0])])
# case: closed file writers warn
import tempfile, warnings
writer = tf.summary.FileWriter(tempfile.mkdtemp())
writer.close()
for call in (writer.flush, writer.close, writer.get_logdir, lambda: writer.add_summary(tf.Summary(), 1), lambda: writer.add_event(tf.Event()), lambda: writer.add_graph(tf.Graph())):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
        show([str(w.message) for w in found])
# case: assets of plugins
import os, tempfile
from tensorflow.python.summary import plugin_asset
class Asset(plugin_asset.PluginAsset):
    plugin_name = "plug"
    def assets(self):
        return {"a.txt": "hi", "b.txt": b"yo"}
asset = plugin_asset.get_plugin_asset(Asset)
show(asset is plugin_asset.get_plugin_asset(Asset), plugin_asset.get_all_plugin_assets() == [asset])
show(sorted(tf.get_default_graph().get_all_collection_keys()))
folder = tempfile.mkdtemp()
tf.summary.FileWriter(folder, tf.get_default_graph()).close()
with open(folder + "/plugins/plug/a.txt") as file:
    show(sorted(os.listdir(folder + "/plugins/plug")), file.read())
# case: an asset without a name
from tensorflow.python.summary import plugin_asset
class Asset(plugin_asset.PluginAsset):
    def assets(self):
        return {}
plugin_asset.get_plugin_asset(Asset)
# case: two assets of one name
from tensorflow.python.summary import plugin_asset
class First(plugin_asset.PluginAsset):
    plugin_name = "plug"
    def assets(self):
        return {}
class Second(plugin_asset.PluginAsset):
    plugin_name = "plug"
    def assets(self):
        return {}
plugin_asset.get_plugin_asset(First)
plugin_asset.get_plugin_asset(Second)
# case: configuration of the projector
import tempfile
from tensorflow.contrib.tensorboard.plugins import projector
config = projector.ProjectorConfig()
config.embeddings.add().tensor_name = "e"
writer = tf.summary.FileWriter(tempfile.mkdtemp() + "/new")
show(projector.visualize_embeddings(writer, config))
with open(writer.get_logdir() + "/projector_config.pbtxt") as file:
    show(file.read())
writer.close()
# case: a projector without a folder
from tensorflow.contrib.tensorboard.plugins import projector
class Writer(object):
    def get_logdir(self):
        return None
projector.visualize_embeddings(Writer(), projector.ProjectorConfig())
# case: events that tests look for
import os, tempfile, time
from tensorflow.contrib import testing
folder = tempfile.mkdtemp()
show(testing.latest_event_file(folder), list(testing.latest_events(folder)), testing.latest_summaries(folder + "/none"))
for tag in ("a", "b"):
    with tf.summary.FileWriter(folder, filename_suffix=tag) as writer:
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=2)]), 3)
        writer.add_graph(tf.Graph())
    time.sleep(1.1)
show(os.path.basename(testing.latest_event_file(folder))[-1], len(testing.latest_summaries(folder)))
show(testing.simple_values_from_events(testing.latest_events(folder), ["b", "a"]))
