"""`wrap_function`, and SavedModels of builders loaded as objects; values are those of 1.15.5."""

from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.model.function.wrapped import UnliftableError


def _variable(name="v", value=3.0, shape=(), **options):
    options = {"use_resource": True, **options}
    return tf.get_variable(name, shape, initializer=tf.constant_initializer(value), **options)


def _counting(x):
    v = _variable(shape=[1])
    with tf.control_dependencies([tf.assign_add(v, [1.0], name="count")]):
        tf.no_op(name="effect")
    return tf.add(tf.multiply(x, v, name="y"), 1.0, name="z")


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_a_wrapped_function_and_parts_of_it(session) -> None:
    wrapped = tf.wrap_function(_counting, [tf.TensorSpec([None], tf.float32)])
    assert (
        [v.name for v in wrapped.graph.variables]
        == ["v:0"]
        == [v.name for v in tf.global_variables()]
    )
    assert wrapped.structured_outputs.name == "z:0"
    assert wrapped.output_shapes.as_list() == [None]
    session.run(tf.global_variables_initializer())
    one = tf.constant([1.0])
    # Nothing orders the effect and the result: the effect is not needed for it.
    part = wrapped.prune(wrapped.inputs, {"y": "y:0", "both": ["z:0"]})
    assert session.run(part(one)) == {"y": [3.0], "both": [[4.0]]}
    assert [t.name for t in part.inputs[:1]] == [wrapped.inputs[0].name]
    assert session.run(wrapped.prune("y:0", "z:0")(tf.constant([7.0]))) == [8.0]
    effect = wrapped.prune([], "effect")()
    assert isinstance(effect, tf.Operation)
    session.run(effect)
    session.run(effect)
    named, nothing = wrapped.prune(wrapped.inputs[0], ["y:0", "effect"], name="named")(one)
    assert nothing is None
    assert session.run(tf.gradients(part(one)["y"], tf.global_variables())) == [[1.0]]
    assert session.run(named) >= [5.0]


def test_calls_of_wrapped_functions(session) -> None:
    def pair(a, b):
        return a, {"b": b}

    wrapped = tf.wrap_function(pair, [tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32)])
    assert session.run(wrapped(tf.constant(1.0), tf.constant(2))) == (1.0, {"b": 2})
    with pytest.raises(NotImplementedError, match="Keyword arguments not supported when calling"):
        wrapped(a=tf.constant(1.0))
    outer = tf.constant(5.0)
    captures = tf.wrap_function(lambda a: a * outer, [tf.TensorSpec([], tf.float32)])
    assert captures.captured_inputs == [outer]
    assert session.run(captures(tf.constant(2.0))) == 10.0
    assert isinstance(tf.wrap_function(lambda: None, [])(), tf.Operation)


def test_what_cannot_be_pruned(session) -> None:
    wrapped = tf.wrap_function(_counting, [tf.TensorSpec([None], tf.float32)])
    with pytest.raises(
        UnliftableError, match=r"e\.g\.: z \(Add\) <- y \(Mul\) <- .* \(Placeholder"
    ):
        wrapped.prune([], "z:0")
    with pytest.raises(ValueError, match=r"Feeds must be tensors\."):
        wrapped.prune(wrapped.graph.get_operation_by_name("y"), "z:0")
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than once in the input list"):
        wrapped.prune(["y:0", "y:0"], "z:0")
    with pytest.raises(KeyError, match="The operation, 'nope', does not exist"):
        wrapped.prune([], "nope:0")


def test_concrete_functions_take_tensors_of_their_shapes(session) -> None:
    concrete = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([None], tf.float32))
    for value in ([1.0], np.ones(1, np.float32), tf.Variable([1.0])):
        with pytest.raises(ValueError, match=r"the 0-th input \(.*\) was not a Tensor\."):
            concrete(value)
    with pytest.raises(
        ValueError, match=r"argument 'x' .*Expected shape \(\?,\), but got .*\(1, 1\)"
    ):
        concrete(tf.constant([[1.0]]))
    assert concrete(x=tf.constant([1.0, 2.0])).shape.as_list() == [2]


def _write(folder: Path, make, tags=("serve",), **options) -> str:
    path = str(folder / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = make()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        builder = tf.saved_model.Builder(path)
        assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS) or None
        builder.add_meta_graph_and_variables(
            session, tags, signatures, assets, main_op=tf.tables_initializer(), **options
        )
        builder.save()
    return path


def _predict(inputs, outputs):
    return tf.saved_model.predict_signature_def(inputs, outputs)


def _infos(**tensors):
    return {key: tf.saved_model.build_tensor_info(tensor) for key, tensor in tensors.items()}


def test_signatures_of_a_builders_model(session, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a\nb\nc\n")

    def make():
        x, words = tf.placeholder(tf.float32, [None], "x"), tf.placeholder(tf.string, [None])
        asset = tf.constant(str(tmp_path / "words.txt"))
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
        ids = tf.contrib.lookup.index_table_from_file(asset).lookup(words)
        held = _variable("held", 2.0, [1], use_resource=False)
        y = tf.add(x * held, _variable("w", 5.0, [1], trainable=False), name="y")
        sparse = tf.SparseTensor([[0]], x[:1], [1])
        return {
            "one": _predict({"x": x}, {"y": y}),
            "two": _predict({"b": x, "a": words}, {"y": y, "ids": ids}),
            "sparse": tf.saved_model.build_signature_def(_infos(x=x), _infos(s=sparse), "m"),
        }

    path = _write(tmp_path, make)
    (tmp_path / "words.txt").unlink()
    model = tf.saved_model.load_v2(path)
    assert sorted(model.signatures) == ["one", "sparse", "two"]
    assert [(v.name, v.trainable) for v in model.variables] == [("w:0", False)]
    assert tf.trainable_variables() == []
    one = model.signatures["one"]
    assert (one.inputs[0].name, one.structured_outputs["y"].name) == ("x:0", "y:0")
    y = one(tf.constant([1.0, 2.0]))["y"]
    two = model.signatures["two"](b=tf.constant([1.0]), a=tf.constant(["b", "z"]))
    sparse = model.signatures["sparse"](x=tf.constant([4.0]))["s"]
    part = model.prune("x:0", model.graph.get_tensor_by_name("y:0"))(tf.constant([3.0]))
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(y)
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    assert session.run(y).tolist() == [7.0, 9.0]
    values = session.run(two)
    assert (values["y"].tolist(), values["ids"].tolist()) == ([7.0], [1, -1])
    assert session.run(sparse).values.tolist() == [4.0]
    assert session.run(part).tolist() == [11.0]
    assert len(model.asset_paths) == 1
    with pytest.raises(TypeError, match="at most 0 positional arguments"):
        model.signatures["two"](tf.constant([1.0]), tf.constant(["a"]))
    with pytest.raises(ValueError, match=r"on invocation of pruned, the 0-th input"):
        one(x=[1.0])


def test_state_of_loaded_graphs(session, tmp_path: Path) -> None:
    def make():
        x = tf.placeholder(tf.float32, [], "x")
        held, local = (
            _variable("held", 1.0, use_resource=False),
            _variable("local", 4.0, collections=["local_variables"], trainable=False),
        )
        more = tf.identity(tf.assign_add(held, x))
        return {
            "read": _predict({"x": x}, {"y": x * held + _variable("w", 2.0) + local}),
            "add": _predict({"x": x}, {"more": more}),
        }

    path = _write(tmp_path, make)
    model, other = tf.saved_model.load_v2(path), tf.saved_model.load_v2(path)
    assert [v.name for v in other.variables] == ["w_1:0", "local_1:0"]
    assert [v.name for v in tf.local_variables()] == ["local:0", "local_1:0"]
    ten = tf.constant(10.0)
    read, add = model.signatures["read"](ten)["y"], model.signatures["add"](ten)["more"]
    others = other.signatures["read"](ten)["y"]
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    assert session.run(read) == 16.0
    assert session.run(add) == 11.0
    # The calls of one graph share its state; another copy of the graph has its own.
    assert session.run([read, others]) == [116.0, 16.0]
    train = tf.train.GradientDescentOptimizer(0.5).minimize(read, var_list=model.variables[:1])
    session.run(train)
    assert session.run([read, others]) == [115.5, 16.0]


def test_tags_of_a_builders_model(session, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    builder = tf.saved_model.Builder(path)
    for tags in (["a"], ["b", "c"]):
        with tf.Graph().as_default(), tf.Session() as saving:
            x = tf.placeholder(tf.float32, [None])
            y = x * _variable("v", 2.0)
            saving.run(tf.global_variables_initializer())
            arguments = (tags, {"p": _predict({"x": x}, {"y": y})})
            if "a" in tags:
                builder.add_meta_graph_and_variables(saving, *arguments)
            else:
                builder.add_meta_graph(*arguments)
    builder.save()
    for given in ("a", ["c", "b"]):
        assert sorted(tf.saved_model.load_v2(path, given).signatures) == ["p"]
    with pytest.raises(ValueError, match=r"sets \[\['a'\], \['b', 'c'\]\]\. Pass a 'tags=' arg"):
        tf.saved_model.load_v2(path)
    with pytest.raises(RuntimeError, match="associated with tags 'b' could not be found"):
        tf.saved_model.load_v2(path, ["b"])


def test_a_signature_without_one_of_its_placeholders(session, tmp_path: Path) -> None:
    def make():
        x, z = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [], name="z")
        return {"bad": _predict({"x": x}, {"y": x * z})}

    path = _write(tmp_path, make)
    with pytest.raises(
        UnliftableError, match=r"(?s)output for signature 'bad'.*<- z \(Placeholder"
    ):
        tf.saved_model.load_v2(path)
