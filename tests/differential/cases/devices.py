# case: devices that do and do not exist
for device in ["/cpu:2", "/gpu:0", "/job:ps/task:0", "/job:localhost", "/job:localhost/replica:0/task:0/cpu:0", "/task:1", "/device:XLA_CPU:0", "/cpu:0", "/device:FOO:0"]:
    for soft in (False, True):
        tf.reset_default_graph()
        with tf.device(device):
            x = tf.identity(tf.constant(1.0, name="c"), name="x")
        try:
            with tf.Session(config=tf.ConfigProto(allow_soft_placement=soft)) as sess:
                show(device, soft, sess.run(x * 2.0))
        except tf.errors.InvalidArgumentError as e:
            print(device, soft, "Cannot assign a device for operation" in e.message, "was explicitly assigned to" in e.message, "Make sure the device specification refers to a valid device." in e.message)
# case: several CPU devices
with tf.device("/cpu:2"):
    v = tf.Variable([1.0, 2.0])
with tf.device("/cpu:1"):
    y = v * 3.0
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as sess:
    sess.run(v.initializer)
    show(sess.run(y))
    print([d.name for d in sess.list_devices() if d.device_type == "CPU"])
# case: devices of variables
with tf.device("/job:ps/task:7"):
    v = tf.Variable([1.0], name="v")
with tf.device("/gpu:0"):
    a = v.assign([2.0])
    t = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, var_list=[v])
    q = v + 1.0
print(v.device, a.device, q.device)
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, op.device)
