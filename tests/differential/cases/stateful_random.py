# case: numbers
C = tf.constant
raw = tf.raw_ops
for name, types in (("StatefulUniform", (tf.float16, tf.float32, tf.float64)),
                    ("StatefulStandardNormalV2", (tf.float16, tf.float32, tf.float64)),
                    ("StatefulTruncatedNormal", (tf.float16, tf.float32, tf.float64)),
                    ("StatefulUniformFullInt", (tf.int32, tf.int64, tf.uint32, tf.uint64))):
    for dtype in types:
        state = tf.Variable(np.array([-3, 7, 12345], np.int64), use_resource=True)
        out = getattr(raw, name)(resource=state.handle, algorithm=C(1, tf.int64), shape=[2, 3], dtype=dtype)
        with tf.Session() as s:
            s.run(state.initializer)
            for _ in range(3):
                show(out, s.run(out))
                show(s.run(state.read_value()))
# case: integers and skipping
C = tf.constant
raw = tf.raw_ops
for dtype in (tf.int32, tf.int64):
    state = tf.Variable(np.array([2**62, -7, -5], np.int64), use_resource=True)
    out = raw.StatefulUniformInt(resource=state.handle, algorithm=C(1, tf.int64), shape=[5], minval=C(-5, dtype), maxval=C(100, dtype))
    with tf.Session() as s:
        s.run(state.initializer)
        for _ in range(2):
            show(out, s.run(out))
        for delta in (1, 5, -1, 2**40, 2**60):
            s.run(raw.RngSkip(resource=state.handle, algorithm=C(1, tf.int64), delta=C(delta, tf.int64)))
            show(s.run(state.read_value()))
        show(s.run(out))
# case: refused
C = tf.constant
raw = tf.raw_ops
def attempt(values, algorithm=1, shape=[2], **more):
    state = tf.Variable(values, use_resource=True)
    with tf.Session() as s:
        s.run(state.initializer)
        try:
            make = raw.StatefulUniformInt if more else raw.StatefulUniform
            s.run(make(resource=state.handle, algorithm=C(algorithm, tf.int64), shape=shape, **more))
        except (ValueError, tf.errors.OpError) as e:
            print(type(e).__name__, str(getattr(e, "message", e)).splitlines()[0].split(" for '")[0].split("\t")[0])
attempt(np.array([0, 7], np.int64))
attempt(np.array([0, 7, 1], np.int32))
attempt(np.array([0, 7, 1], np.float32))
attempt(np.array([[0, 7, 1]], np.int64))
attempt(np.array([0, 7, 1], np.int64), algorithm=2)
attempt(np.array([0, 7, 1], np.int64), algorithm=7)
attempt(np.array([0, 7, 1], np.int64), shape=3)
attempt(np.array([0, 7, 1], np.int64), minval=C(5), maxval=C(5))
attempt(np.array([0, 7, 1], np.int64), minval=C([5]), maxval=C(5))
# case: states of seeds
create = tf.random.experimental.create_rng_state
for seed in (1, -1, 2**70, 2**64 - 1, [1, 2, 3], [1, 2, 3, 4], np.array([1, 2])):
    for algorithm in (1, 2):
        show(create(seed, algorithm))
for arguments in ((1, 9), (1, "philox")):
    try:
        create(*arguments)
    except ValueError as e:
        print(e)
# case: generators
experimental = tf.random.experimental
G = experimental.Generator
for make in (lambda: G.from_seed(1), lambda: G.from_key_counter(3, [1, 2], 1), lambda: G.from_state([1, 2, 3], 1),
             lambda: G(copy_from=G.from_seed(8)), lambda: G(state=np.array([4, 5, 6]), alg=1)):
    g = make()
    values = [g.normal([3]), g.uniform([3]), g.uniform([3], 0, 10, tf.int32), g.uniform_full_int([2]),
              g.truncated_normal([2], 1.0, 2.0, tf.float64), g.make_seeds(2), g.key]
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for value in values:
            show(value, s.run(value))
        show(g.algorithm, s.run(g.state))
nodes()
# case: resetting
experimental = tf.random.experimental
g = experimental.Generator.from_seed(1)
g.reset([4, 5, 6])
g.reset_from_seed(8)
g.reset_from_key_counter(8, [1, 2])
g.skip(3)
nodes()
experimental.set_global_generator(g)
print(experimental.get_global_generator() is g)
for make in (lambda: g.uniform([2], dtype=tf.int32), lambda: experimental.Generator.from_key_counter(3, [1, 2], "philox"),
             lambda: experimental.Generator(state=[1, 2], alg=1)):
    try:
        make()
    except ValueError as e:
        print(e)
