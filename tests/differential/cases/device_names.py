# case: names of devices
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
for text in ["", "/", "/job:foo", "/job:foo/replica:0", "/job:foo/replica:0/task:0/cpu:0", "/cpu", "cpu", "/gpu:*", "/device:GPU", "/device:FOO:7", "/cpu:x", "/job:", "/task:a", "/foo:1", "/CPU:1", "/Gpu:1", "/xla_cpu:0", "/device:XLA_GPU:1", "/tpu:2", "/device:GPU:0/cpu:0", "/job:a/job:b", "/job:worker/task:1/cpu", "/device:cpu:0", "/device:"]:
    def parts():
        d = tf.DeviceSpec.from_string(text)
        return d.to_string(), d.job, d.replica, d.task, d.device_type, d.device_index
    attempt(parts)
for a, b in [("/job:a", "/cpu:0"), ("/cpu:0", "/gpu:1"), ("/gpu:*", "/gpu:1"), ("/gpu:1", "/gpu:*"), ("/job:a/task:1", "/job:b")]:
    d = tf.DeviceSpec.from_string(a)
    d.merge_from(tf.DeviceSpec.from_string(b))
    print(d.to_string())
d = tf.DeviceSpec(job="ps", device_type="gpu", device_index=0)
print(d.to_string())
d.device_type = "tpu"
print(d.to_string(), d == tf.DeviceSpec(job="ps", device_type="tpu", device_index=0), d == 3)
attempt(lambda: tf.DeviceSpec(replica="x"))
# case: internal functions of devices
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
from tensorflow.python.framework import device
from tensorflow.python.distribute import device_util
attempt(lambda: device.canonical_name("/job:foo/cpu:0"))
attempt(lambda: device.canonical_name(None))
attempt(lambda: device.canonical_name(tf.DeviceSpec(job="x")))
attempt(lambda: device.check_valid("/foo"))
attempt(lambda: device.check_valid("/cpu:0"))
with tf.device(device.merge_device("/job:ps/cpu:0")):
    with tf.device("/gpu:1"): print(tf.constant(1).device)
    with tf.device("/task:3"): print(tf.constant(1).device)
for d in ["", "/cpu:0", "/job:ps", "/gpu:*", "/task:3/gpu:0", None]:
    print(device_util.canonicalize(d), device_util.canonicalize(d, default="/job:foo/replica:10/gpu:1"), device_util.resolve(d or ""))
with tf.device("/job:x/task:3"):
    with tf.device("/gpu:2"):
        print(device_util.current(), device_util.resolve("/job:ps"))
# case: colocation
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
with tf.device("/cpu:1"): a = tf.constant(1, name="ca")
b = tf.constant(1, name="cb")
with tf.colocate_with(a):
    with tf.colocate_with(b): print(tf.constant(1).op.colocation_groups())
    with tf.colocate_with(b, ignore_existing=True): print(tf.constant(1).op.colocation_groups())
    with tf.colocate_with(None, True): print(tf.constant(1).op.colocation_groups())
with tf.device("/gpu:0"):
    with tf.colocate_with(a): print(tf.constant(1).device)
    with tf.colocate_with(a):
        with tf.device("/gpu:1"): print(tf.constant(1).device)
attempt(lambda: tf.get_default_graph().colocate_with(None).__enter__())


# case: texts that device functions return stand in nodes as they are
def attempt(function):
    try:
        show(function())
    except Exception as error:
        print(type(error).__name__, error)


def placed(function):
    with tf.Graph().as_default(), tf.device("/job:w"), tf.device(function):
        tf.constant(1.0, name="c")
    with tf.Graph().as_default(), tf.device(function), tf.device("/job:w"):
        return tf.constant(1.0, name="c").device


for device in ("cpu:1", "/gpu:0", b"/cpu:0", tf.DeviceSpec.from_string("/cpu:1"), 3, None):
    attempt(lambda: placed(lambda op: device))
with tf.device(lambda op: "/gpu:3"), tf.device(lambda op: "/cpu:2"):
    show(tf.constant(1).op.device)
with tf.device("/job:w"), tf.device(lambda op: "cpu:2"):
    show(tf.constant(1).op.device)
