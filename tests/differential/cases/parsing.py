# case: parse_example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
s = tf.placeholder(tf.string, [None])
r = tf.parse_example(s, {"a": F([], tf.int64), "b": F([2], tf.float32, [1, 2]), "v": V(tf.string)})
for k in sorted(r):
    show(k, r[k] if isinstance(r[k], tf.Tensor) else [r[k].indices, r[k].values, r[k].dense_shape])
nodes()
# case: parse_example with sequences and sparse features
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
s = tf.placeholder(tf.string, [3])
wanted = {"q": Q([2], tf.int64, True), "sp": S("ix", "val", tf.float32, 100)}
wanted["sq"] = S(["i1", "i2"], "val", tf.float32, [100, 5], True)
r = tf.parse_example(s, wanted, example_names=["x", "y", "z"])
for k in sorted(r):
    show(k, r[k] if isinstance(r[k], tf.Tensor) else [r[k].indices, r[k].values, r[k].dense_shape])
nodes()
# case: parse_example with a name
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
r = tf.parse_example(
    ["a"], {"k*": F([], tf.int64, 3), "c:d": F([], tf.string, tf.constant("q"))}, name="pp"
)
for k in sorted(r):
    show(k, r[k] if isinstance(r[k], tf.Tensor) else [r[k].indices, r[k].values, r[k].dense_shape])
nodes()
# case: parse_single_example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
s = tf.placeholder(tf.string, [])
r = tf.parse_single_example(
    s, {"a": F([], tf.int64), "b": F([2], tf.float32, [1, 2]), "v": V(tf.string)}
)
for k in sorted(r):
    show(k, r[k] if isinstance(r[k], tf.Tensor) else [r[k].indices, r[k].values, r[k].dense_shape])
nodes()
# case: parse_single_example with a name of the example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
s = tf.placeholder(tf.string, [])
r = tf.parse_single_example(
    s, {"a": F([], tf.int64), "sp": S("ix", "val", tf.float32, 100)}, example_names="n"
)
for k in sorted(r):
    show(k, r[k] if isinstance(r[k], tf.Tensor) else [r[k].indices, r[k].values, r[k].dense_shape])
nodes()
# case: parse_single_example of an unknown rank
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
s = tf.placeholder(tf.string)
r = tf.parse_single_example(s, {"a": F([], tf.int64)}, example_names=tf.placeholder(tf.string))
for k in sorted(r):
    show(k, r[k] if isinstance(r[k], tf.Tensor) else [r[k].indices, r[k].values, r[k].dense_shape])
nodes()
# case: parse_single_sequence_example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
s = tf.placeholder(tf.string, [])
context = {"a": F([], tf.int64), "b": F([2], tf.float32, [1, 2]), "v": V(tf.string)}
lists = {"l": Q([2], tf.int64), "lm": Q([], tf.string, True), "w": V(tf.float32)}
r, t = tf.parse_single_sequence_example(s, context, lists)
show([t[k] for k in ("l", "lm")])
for k in sorted(r):
    show(k, r[k] if isinstance(r[k], tf.Tensor) else [r[k].indices, r[k].values, r[k].dense_shape])
nodes()
# case: parse_sequence_example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
s = tf.placeholder(tf.string, [None])
context = {"a": F([], tf.int64), "b": F([2], tf.float32, [1, 2]), "v": V(tf.string)}
lists = {"l": Q([2], tf.int64), "lm": Q([], tf.string, True), "w": V(tf.float32)}
r, t, n = tf.io.parse_sequence_example(s, context, lists)
show([t[k] for k in ("l", "lm")], [n[k] for k in ("l", "lm")])
for k in sorted(r):
    show(k, r[k] if isinstance(r[k], tf.Tensor) else [r[k].indices, r[k].values, r[k].dense_shape])
nodes()
# case: parse_example of wrong features
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
wrong = [
    None,
    {},
    {"a": 3},
    {"a": F([2], None)},
    {"a": V(None)},
    {"a": F(None, tf.string)},
    {"a": F([None], tf.string)},
    {"a": Q([2], tf.int64)},
    {"a": F([2, None], tf.int64)},
    {"a": F([], tf.int32)},
    {"a": V(tf.int32)},
    {"a": F([2], tf.float32, [1])},
    {"a": S("", "v", tf.float32, 3)},
    {"a": S("k", "", tf.float32, 3)},
    {"a": S("k", "v", tf.float32, None)},
    {"a": S(["k", "l"], "v", tf.float32, 3)},
    {"a": S(["k"], "v", tf.float32, [3, 4])},
    {"k": V(tf.float32), "a": S("k", "v", tf.float32, 3)},
    {"k": F([], tf.int64), "a": S("k", "v", tf.float32, 3)},
]
for features in wrong:
    for function, value in ((tf.parse_example, []), (tf.parse_single_example, "")):
        try:
            function(value, features)
        except Exception as error:
            print(type(error).__name__, error)
# case: parse_sequence_example of wrong features
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature
wrong = [
    (None, None),
    ({"a": 3}, None),
    (None, {"a": F([2], tf.int64)}),
    ({"a": Q([2], tf.int64)}, None),
    (None, {"a": S("k", "v", tf.int64, 3)}),
    (None, {"a": Q([2], tf.int64, False, 1)}),
    (None, {"a": Q([2], None)}),
    (None, {"a": Q([None], tf.int64)}),
    ({"a": F([None], tf.int64)}, None),
]
for pair in wrong:
    for function, value in (
        (tf.parse_single_sequence_example, ""),
        (tf.io.parse_sequence_example, []),
    ):
        try:
            function(value, *pair)
        except Exception as error:
            print(type(error).__name__, error)
# case: values of parse_example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature


def f(*v):
    return tf.train.Feature(float_list=tf.train.FloatList(value=v))


def i(*v):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=v))


def b(*v):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=v))


def E(**features):
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString()


def SE(context, lists):
    lists = {k: tf.train.FeatureList(feature=v) for k, v in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context),
        feature_lists=tf.train.FeatureLists(feature_list=lists),
    ).SerializeToString()


def attempt(function, *arguments, **keywords):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            parsed = function(*arguments, **keywords)
            for part in parsed if isinstance(parsed, tuple) else [parsed]:
                values = session.run(part) if part else {}
                for key in sorted(values):
                    show(key, values[key])
        except Exception as error:
            print(type(error).__name__, str(error).split("\n")[0])


none = tf.train.Feature()

attempt(tf.parse_example, [E(a=f(1)), E()], {"a": F([], tf.float32)})
attempt(tf.parse_example, [E(a=f(1)), E()], {"a": F([], tf.float32)}, example_names=["x", "y"])
attempt(tf.parse_example, [E(a=f(1)), E(a=i(1))], {"a": F([], tf.float32)})
attempt(
    tf.parse_example, [E(a=f(1)), E(a=f(1, 2))], {"a": F([], tf.float32)}, example_names=["x", "y"]
)
attempt(
    tf.parse_example, [E(a=i(1)), E(a=i(1, 2))], {"a": F([1], tf.int64)}, example_names=["x", "y"]
)
attempt(tf.parse_example, [E(a=b(b"q")), E(a=b(b"1", b"2"))], {"a": F([3], tf.string)})
attempt(tf.parse_example, [E(a=f(1)), E(a=b())], {"a": V(tf.float32)})
attempt(tf.parse_example, [E(a=f(1)), E(a=none)], {"a": V(tf.float32)})
attempt(tf.parse_example, [E(a=f(1)), E(a=none)], {"a": F([], tf.float32)})
attempt(tf.parse_example, [E(a=f(1)), E(a=none)], {"a": F([], tf.float32, 5)})
attempt(tf.parse_example, [E(a=f(1)), E(a=i())], {"a": F([], tf.float32, 5)})
attempt(tf.parse_example, [E(a=f(1)), E()], {"a": F([], tf.float32)}, example_names=["x"])
attempt(tf.parse_example, [E(a=f(1, 2, 3, 4)), E(), E(a=f(5, 6))], {"a": Q([2], tf.float32, True)})
attempt(
    tf.parse_example, [E(a=f(1, 2, 3, 4)), E(), E(a=f(5, 6))], {"a": Q([2], tf.float32, True, 9)}
)
attempt(
    tf.parse_example,
    [E(a=f(1, 2, 3)), E(), E(a=f(5, 6))],
    {"a": Q([2], tf.float32, True)},
    example_names=["x", "y", "z"],
)
attempt(tf.parse_example, [E(a=f(1, 2, 3, 4)), E(a=i(1))], {"a": Q([2], tf.float32, True)})
attempt(tf.parse_example, [E(a=b(b"1", b"2")), E(a=b(b"3"))], {"a": Q([], tf.string, True)})
attempt(
    tf.parse_example, [], {"a": Q([], tf.string, True), "b": F([2], tf.int64), "c": V(tf.int64)}
)
attempt(tf.parse_example, [E(a=f(1, 2)), E(a=f(3))], {"a": F([None], tf.float32)})
attempt(
    tf.parse_example,
    [E(k=i(3, 1), v=f(30, 10)), E(k=i(0), v=f(2))],
    {"s": S("k", "v", tf.float32, 100)},
)
attempt(
    tf.parse_example,
    [E(k=i(3, 1), v=f(30)), E(k=i(0), v=f(2))],
    {"s": S("k", "v", tf.float32, 100)},
)
attempt(
    tf.parse_example,
    [E(k=i(300, 1), v=f(30, 20)), E(k=i(0), v=f(2))],
    {"s": S("k", "v", tf.float32, 100)},
)
attempt(
    tf.parse_example,
    [E(k=i(3, 1), l=i(3, 1), v=f(30, 20))],
    {"s": S(["k", "l"], "v", tf.float32, [100, 7])},
)
attempt(tf.parse_example, [E(a=f(1)), E(a=f(3))], {"a": V(tf.float32), "b": V(tf.int64)})
# case: values of parse_single_example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature


def f(*v):
    return tf.train.Feature(float_list=tf.train.FloatList(value=v))


def i(*v):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=v))


def b(*v):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=v))


def E(**features):
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString()


def SE(context, lists):
    lists = {k: tf.train.FeatureList(feature=v) for k, v in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context),
        feature_lists=tf.train.FeatureLists(feature_list=lists),
    ).SerializeToString()


def attempt(function, *arguments, **keywords):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            parsed = function(*arguments, **keywords)
            for part in parsed if isinstance(parsed, tuple) else [parsed]:
                values = session.run(part) if part else {}
                for key in sorted(values):
                    show(key, values[key])
        except Exception as error:
            print(type(error).__name__, str(error).split("\n")[0])


none = tf.train.Feature()

attempt(tf.parse_single_example, E(), {"a": F([], tf.float32)})
attempt(tf.parse_single_example, E(a=i(1)), {"a": F([], tf.float32)})
attempt(tf.parse_single_example, E(a=f(1, 2)), {"a": F([], tf.float32)})
attempt(tf.parse_single_example, E(a=f(1, 2)), {"a": F([], tf.float32)}, example_names="n")
attempt(tf.parse_single_example, E(a=f(1, 2)), {"a": V(tf.int64)})
attempt(
    tf.parse_single_example,
    E(a=f(1, 2), b=none),
    {"a": V(tf.float32), "b": V(tf.int64), "c": V(tf.string)},
)
attempt(
    tf.parse_single_example,
    E(a=f(1, 2, 3, 4), b=none),
    {"a": Q([2], tf.float32, True), "b": Q([2], tf.int64, True), "c": Q([2], tf.int64, True, 7)},
)
attempt(tf.parse_single_example, E(a=f(1, 2, 3)), {"a": Q([2], tf.float32, True)})
attempt(tf.parse_single_example, E(a=none), {"a": F([2], tf.float32)})
attempt(tf.parse_single_example, E(a=none), {"a": F([2], tf.float32, [3, 4])})
attempt(tf.parse_single_example, E(k=i(3, 1), v=f(30, 10)), {"s": S("k", "v", tf.float32, 100)})
# case: values of parse_single_sequence_example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature


def f(*v):
    return tf.train.Feature(float_list=tf.train.FloatList(value=v))


def i(*v):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=v))


def b(*v):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=v))


def E(**features):
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString()


def SE(context, lists):
    lists = {k: tf.train.FeatureList(feature=v) for k, v in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context),
        feature_lists=tf.train.FeatureLists(feature_list=lists),
    ).SerializeToString()


def attempt(function, *arguments, **keywords):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            parsed = function(*arguments, **keywords)
            for part in parsed if isinstance(parsed, tuple) else [parsed]:
                values = session.run(part) if part else {}
                for key in sorted(values):
                    show(key, values[key])
        except Exception as error:
            print(type(error).__name__, str(error).split("\n")[0])


none = tf.train.Feature()

attempt(
    tf.parse_single_sequence_example,
    SE({"a": f(1)}, {"l": [i(1, 2), i(3, 4)], "w": [f(1), f(), f(2, 3)]}),
    {"a": F([], tf.float32), "v": V(tf.int64)},
    {"l": Q([2], tf.int64), "w": V(tf.float32), "m": Q([3], tf.int64, True)},
)
attempt(
    tf.parse_single_sequence_example,
    SE({"a": f(1)}, {}),
    {"a": F([], tf.float32)},
    {"l": Q([2], tf.int64)},
    "nm",
)
attempt(
    tf.parse_single_sequence_example,
    SE({"a": f(1)}, {"l": [i(1, 2), i(3)]}),
    None,
    {"l": Q([2], tf.int64)},
    "nm",
)
attempt(
    tf.parse_single_sequence_example,
    SE({"a": f(1)}, {"l": [i(1, 2), f(3)]}),
    None,
    {"l": Q([2], tf.int64)},
    "nm",
)
attempt(
    tf.parse_single_sequence_example,
    SE({"a": f(1)}, {"l": [i(1, 2), none]}),
    None,
    {"l": Q([2], tf.int64)},
    "nm",
)
attempt(
    tf.parse_single_sequence_example,
    SE({"a": f(1)}, {"l": [i(1, 2), f(3)]}),
    None,
    {"l": V(tf.int64)},
    "nm",
)
attempt(
    tf.parse_single_sequence_example,
    SE({"a": f(1)}, {"l": [i(1, 2), none]}),
    None,
    {"l": V(tf.int64)},
    "nm",
)
attempt(tf.parse_single_sequence_example, SE({"a": f(1)}, {}), {"b": F([], tf.float32)}, None, "nm")
attempt(tf.parse_single_sequence_example, SE({"a": f(1)}, {}), {"b": F([], tf.float32)}, None)
attempt(tf.parse_single_sequence_example, SE({"a": f(1)}, {}), {"a": F([], tf.int64)}, None, "nm")
attempt(tf.parse_single_sequence_example, SE({"a": f(1)}, {}), {"a": V(tf.int64)}, None, "nm")
attempt(
    tf.parse_single_sequence_example, SE({"a": f(1)}, {}), {"a": F([2], tf.float32)}, None, "nm"
)
attempt(
    tf.parse_single_sequence_example, SE({"a": none}, {}), {"a": F([2], tf.float32)}, None, "nm"
)
attempt(
    tf.parse_single_sequence_example,
    SE({"a": none}, {}),
    {"a": F([2], tf.float32, [1, 2])},
    None,
    "nm",
)
attempt(
    tf.parse_single_sequence_example,
    SE({"a": f()}, {}),
    {"a": F([2], tf.float32, [1, 2])},
    None,
    "nm",
)
attempt(tf.parse_single_sequence_example, SE({}, {"l": []}), None, {"l": Q([2], tf.int64)})
attempt(
    tf.parse_single_sequence_example,
    SE({}, {"l": [b(b"1"), b(b"1", b"2")]}),
    None,
    {"l": V(tf.string), "k": V(tf.int64)},
)
# case: values of io.parse_sequence_example
F, V = tf.FixedLenFeature, tf.VarLenFeature
Q, S = tf.FixedLenSequenceFeature, tf.SparseFeature


def f(*v):
    return tf.train.Feature(float_list=tf.train.FloatList(value=v))


def i(*v):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=v))


def b(*v):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=v))


def E(**features):
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString()


def SE(context, lists):
    lists = {k: tf.train.FeatureList(feature=v) for k, v in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context),
        feature_lists=tf.train.FeatureLists(feature_list=lists),
    ).SerializeToString()


def attempt(function, *arguments, **keywords):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            parsed = function(*arguments, **keywords)
            for part in parsed if isinstance(parsed, tuple) else [parsed]:
                values = session.run(part) if part else {}
                for key in sorted(values):
                    show(key, values[key])
        except Exception as error:
            print(type(error).__name__, str(error).split("\n")[0])


none = tf.train.Feature()

attempt(
    tf.io.parse_sequence_example,
    [
        SE({"a": f(1)}, {"l": [i(1, 2), i(3, 4)], "w": [f(1), f(), f(2, 3)]}),
        SE({"v": i(4)}, {"l": [i(5, 6)]}),
    ],
    {"a": F([], tf.float32, 7), "v": V(tf.int64)},
    {"l": Q([2], tf.int64), "w": V(tf.float32), "m": Q([3], tf.int64, True)},
)
attempt(
    tf.io.parse_sequence_example,
    [SE({}, {"l": [b(b"1"), b(b"1")]}), SE({}, {})],
    None,
    {"l": Q([], tf.string, True)},
)
attempt(
    tf.io.parse_sequence_example,
    [SE({}, {"l": [b(b"1"), b(b"1")]}), SE({}, {})],
    None,
    {"l": Q([], tf.string)},
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({}, {"l": [b(b"1"), b(b"1")]}), SE({}, {})],
    None,
    {"l": Q([], tf.string)},
)
attempt(
    tf.io.parse_sequence_example,
    [SE({}, {"l": [b(b"1"), b(b"1")]}), SE({}, {})],
    None,
    {"l": Q([], tf.int64)},
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({}, {"l": [b(b"1"), b(b"1", b"2")]}), SE({}, {})],
    None,
    {"l": Q([], tf.string, True)},
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({"a": f(1)}, {}), SE({}, {})],
    {"a": F([], tf.float32)},
    None,
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({"a": f(1)}, {}), SE({"a": i(1)}, {})],
    {"a": F([], tf.float32)},
    None,
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({"a": f(1)}, {}), SE({"a": f(1, 2)}, {})],
    {"a": F([], tf.float32)},
    None,
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({"a": f(1)}, {}), SE({"a": i(1, 2)}, {})],
    {"a": V(tf.float32)},
    None,
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({"a": f(1)}, {}), SE({"a": none}, {})],
    {"a": V(tf.float32)},
    None,
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({}, {"l": [i(1), none]}), SE({}, {"l": []})],
    None,
    {"l": V(tf.int64)},
    ["m", "n"],
)
attempt(
    tf.io.parse_sequence_example,
    [SE({}, {"l": [i(1), f(1)]}), SE({}, {"l": []})],
    None,
    {"l": V(tf.int64)},
    ["m", "n"],
)
# case: decode_csv
r = tf.decode_csv(["1,2"], [[1], tf.constant([], tf.float32)], ",", False, None, "N", [0, 2])
show(r, tf.decode_csv(["1,2"], [[1], []], name="q"))
nodes()


# case: values of decode_csv
def attempt(*arguments, **keywords):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            show(*session.run(tf.decode_csv(*arguments, **keywords)))
        except Exception as error:
            print(type(error).__name__, str(error).split("\n")[0])


attempt(["1,2.5,a,3,9"], [[1], [1.0], [""], np.array([], np.int64), np.array([], np.float64)])
attempt(["1,2", ",3"], [[7], [8]])
attempt(["1,2", ",3"], [np.array([], np.int32), [8]])
attempt(["1,2", "3"], [[7], [8]])
attempt(["1,2,3"], [[7], [8]])
attempt(["a,2"], [[7], [8]])
attempt([" 1 ,2"], [[7], [8]])
attempt(["99999999999,2"], [[7], [8]])
attempt(["1.5,2"], [[7], [8]])
attempt(["x"], [[1.0]])
attempt(["1e400"], [[1.0]])
attempt(["inf,nan,-1e-50"], [[1.0]] * 3)
attempt(['"a,b",c', '"a ""q"" b",d'], [[""], [""]])
attempt(['"a,b",c'], [[""]] * 3, use_quote_delim=False)
attempt(['a"b,c'], [[""]] * 2)
attempt(['"a"b,c'], [[""]] * 2)
attempt(['"a'], [[""]])
attempt(['"a,'], [[""]])
attempt(['""'], [["x"]])
attempt(['"",""'], [["x"]] * 2)
attempt([""], [["x"]])
attempt([""], [["x"]] * 2)
attempt([","], [["x"]] * 2)
attempt(["a,"], [["x"]] * 2)
attempt(["a,"], [["x"]])
attempt(["NA,2"], [[7], [8]], na_value="NA")
attempt(['NA,"NA"'], [["x"], ["y"]], na_value="NA")
attempt(["NA,2"], [np.array([], np.int32), [8]], na_value="NA")
attempt(["NA,"], [[7], ["y"]], na_value="NA")
attempt(["1;2"], [[7], [8]], field_delim=";")
attempt(["1 2"], [[7], [8]], field_delim=" ")
attempt(["1\t\t2"], [[7], [8], [9]], field_delim="\t")
attempt(["1;2"], [[7], [8]], field_delim=";;")
attempt(["1;2"], [[7], [8]], field_delim='"')
attempt(["1;2"], [[7], [8]], field_delim="\n")
attempt(["1;2"], [[7], [8]], field_delim="\r")
attempt(['1"2'], [[7], [8]], field_delim='"', use_quote_delim=False)
attempt(["a,b,c,d"], [[""]] * 2, select_cols=[1, 3])
attempt(["a,b,c"], [[""]] * 2, select_cols=[1, 3])
attempt(["a,b,c,d"], [[""]] * 2, select_cols=[3, 1])
attempt(["a,b,c,d"], [[""]] * 2, select_cols=[1, 1])
attempt(["a,b,c,d"], [[""]] * 2, select_cols=[1])
attempt(["a,b,c,d"], [[""]] * 2, select_cols=[-1, 1])
attempt(["1,b,c,d"], [[""], [1.0]], select_cols=[1, 2])
attempt("1,2", [1, 2])
attempt("1,2", [[1], [2, 3]])
attempt([["1,2"], ["3,4"]], [[1], [2]])
attempt("1,2", [[[1]], [2]])
attempt([], [[1]])
attempt("1,2", [[True], [2]])
attempt("1,2\n", [[1], [""]])
attempt("1,2\r\n", [[1], [""]])
attempt("1,2\r\n", [[1], [3]])
attempt("1\n,2", [[""], [3]])
attempt('a b, "c"', [[""], [""]])
attempt("+1,-0", [[1], [1]])
attempt("0x10,1e2", [[1], [1.0]])
attempt("0x10", [[1.0]])
attempt("1_0", [[1]])
attempt("1,2", [[1], [2]], ",", True, "nm")
attempt("1,2\n3,4", [[""], [""]])
attempt(['1,"2'], [[1], [""]])
attempt(['a"'], [[""]])
attempt(['"a""'], [[""]])
attempt(['"a"\n'], [[""]])
attempt(['"a" '], [[""]])
# case: decode_json_example
texts = [
    "{}",
    '{"features":{"feature":{"a":{"int64List":{"value":["1",2]}},"b":{"floatList":{"value":[1.5]}}}}}',
]
r = tf.decode_json_example(texts)
nodes()
with tf.Session() as session:
    for text in session.run(r):
        message = tf.train.Example.FromString(text)
        print([(k, str(message.features.feature[k])) for k in sorted(message.features.feature)])
