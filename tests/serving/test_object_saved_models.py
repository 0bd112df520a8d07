"""tf.saved_model.save and load_v2: objects with variables and functions, both ways with 1.15.5."""

from __future__ import annotations

import textwrap

import pytest

import headwater as tf

# Runs in Headwater and in 1.15.5: saves an object, or loads it and prints what its functions give.
SAVE = """
class Scale(tf.Module):
    def __init__(self):
        super(Scale, self).__init__()
        self.w = tf.Variable([1.0, 2.0], use_resource=True, name="w")
        self.offset = tf.constant(7.0)
        last = tf.Variable(6.0, use_resource=True)
        self.parts = [tf.Variable(5.0, use_resource=True), {"a": last}]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x):
        return {"y": x * self.w, "z": self.offset + self.parts[0]}

    @tf.function
    def add(self, x, k=2):
        return x + k

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)])
    def update(self, b, a):
        self.parts[0].assign_add(a)
        return self.parts[0].read_value() * b, a

    @tf.function
    def nested(self, x):
        return self(x)["y"] + 1.0

scale = Scale()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(scale.w.assign([2.0, 3.0]))
    scale.add(tf.constant([1.0, 1.0]), k=5), scale.add(tf.constant(2))
    scale.nested(tf.constant([1.0, 2.0]))
    tf.saved_model.save(scale, FOLDER, {"serving_default": scale.__call__, "update": scale.update})
"""
LOAD = """
loaded = tf.saved_model.load_v2(FOLDER)
served = loaded.signatures["serving_default"](x=tf.constant([1.0, 2.0]))
update = loaded.signatures["update"](b=tf.constant(1.0), a=tf.constant(2.0))
fetches = [
    loaded.w, loaded.parts[0], loaded.parts[1]["a"], loaded([1.0, 2.0])["y"],
    loaded.add(tf.constant([1.0, 1.0]), k=5), loaded.add(tf.constant(2)),
    loaded.nested(tf.constant([1.0, 2.0])), served["y"], served["z"],
    tf.gradients(loaded(tf.constant([1.0, 2.0]))["y"], loaded.w)[0],
]
with tf.Session() as session:
    session.run([v.initializer for v in tf.global_variables()])
    print([x.tolist() for x in session.run(fetches)])
    print(sorted((k, v.tolist()) for k, v in session.run(update).items()))
    print(session.run(loaded.update(2.0, 3.0))[0].tolist())
"""
LOADED = (
    "[[2.0, 3.0], 5.0, 6.0, [2.0, 6.0], [6.0, 6.0], 4, [3.0, 7.0], [2.0, 6.0], 12.0, [1.0, 2.0]]\n"
    "[('output_0', 7.0), ('output_1', 2.0)]\n"
    "20.0\n"
)


def _run(source, folder):
    exec(textwrap.dedent(source), {"tf": tf, "FOLDER": str(folder)})


def _program(source, folder):
    return f"import tensorflow as tf\nFOLDER = {str(folder)!r}\n{source}"


def test_an_object_is_loaded_with_its_variables_and_functions(tmp_path, capsys):
    _run(SAVE, tmp_path / "m")
    tf.reset_default_graph()
    capsys.readouterr()
    _run(LOAD, tmp_path / "m")
    assert capsys.readouterr().out == LOADED


def test_two_models_are_loaded_into_one_graph(tmp_path, session):
    class Offset(tf.Module):
        def __init__(self, value):
            super().__init__()
            self.v = tf.Variable(value, use_resource=True)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def add(self, x):
            return x + self.v

    modules = [Offset(1.0), Offset(20.0)]
    session.run(tf.global_variables_initializer())
    for i, module in enumerate(modules):
        # The only function with an input signature is the default signature.
        tf.saved_model.save(module, str(tmp_path / str(i)))
    loaded = [tf.saved_model.load_v2(str(tmp_path / str(i))) for i in range(2)]
    session.run([model.v.initializer for model in loaded])
    assert session.run([model.add(1.0) for model in loaded]) == [2.0, 21.0]
    assert [list(model.signatures) for model in loaded] == [["serving_default"]] * 2


def test_the_session_loader_reads_it(tmp_path, capsys):
    _run(SAVE, tmp_path / "m")
    tf.reset_default_graph()
    with tf.Session() as session:
        meta_graph = tf.saved_model.load(session, ["serve"], str(tmp_path / "m"))
        signature = meta_graph.signature_def["serving_default"]
        y = signature.outputs["y"].name
        fed = {signature.inputs["x"].name: [1.0, 2.0]}
        assert session.run(y, fed).tolist() == [2.0, 6.0]


def test_what_cannot_be_saved(tmp_path, session):
    untracked = tf.Variable(1.0, use_resource=True)

    class Captures(tf.Module):
        @tf.function(input_signature=[])
        def f(self):
            return untracked + 1.0

    with pytest.raises(ValueError, match="Expected a Trackable object for export, got 3"):
        tf.saved_model.save(3, str(tmp_path / "a"))
    with pytest.raises(AssertionError, match="Tried to export a function which references untrack"):
        tf.saved_model.save(Captures(), str(tmp_path / "b"))
    with pytest.raises(ValueError, match="Expected a TensorFlow function to generate a signature"):
        tf.saved_model.save(tf.Module(), str(tmp_path / "c"), signatures=lambda x: x)
    module = tf.Module()
    module.v = tf.Variable(1.0, use_resource=False)
    with pytest.raises(ValueError, match="is not a resource variable"):
        tf.saved_model.save(module, str(tmp_path / "d"))


def test_calls_that_fit_no_traced_function(tmp_path, capsys):
    _run(SAVE, tmp_path / "m")
    tf.reset_default_graph()
    loaded = tf.saved_model.load_v2(str(tmp_path / "m"))
    with pytest.raises(ValueError, match="Could not find matching function to call loaded from"):
        loaded.add(tf.constant(2.0))
    with pytest.raises(ValueError, match=r"one MetaGraph with tags \['serve'\], but got an incomp"):
        tf.saved_model.load_v2(str(tmp_path / "m"), tags=["other"])
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load_v2(str(tmp_path / "none"))


@pytest.mark.oracle
def test_objects_go_both_ways_with_tensorflow(tmp_path, oracle, capsys):
    _run(SAVE, tmp_path / "ours")
    assert oracle(_program(LOAD, tmp_path / "ours")).endswith(LOADED)
    oracle(_program(SAVE, tmp_path / "theirs"))
    tf.reset_default_graph()
    capsys.readouterr()
    _run(LOAD, tmp_path / "theirs")
    assert capsys.readouterr().out == LOADED


SAVE_TABLES = """
with open(FOLDER + ".txt", "w") as file:
    file.write("a\\nb\\nc\\n")
model = tf.Module()
lines = tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
words = tf.lookup.TextFileInitializer(FOLDER + ".txt", tf.string, *lines)
model.words = tf.lookup.StaticHashTable(words, -1)
pairs = tf.lookup.KeyValueTensorInitializer(["x", "y"], [10, 20])
model.pairs = tf.lookup.StaticHashTable(pairs, -5)
model.scale = tf.Variable(3, dtype=tf.int64, use_resource=True)
one_text = [tf.TensorSpec([None], tf.string)]
model.f = tf.function(lambda x: model.words.lookup(x) * model.scale, input_signature=one_text)
model.g = tf.function(lambda x: model.pairs.lookup(x), input_signature=one_text)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    tf.saved_model.save(model, FOLDER, signatures={"f": model.f})
"""
LOAD_TABLES = """
model = tf.saved_model.load_v2(FOLDER)
f, g = model.f(tf.constant(["b", "c", "z"])), model.g(tf.constant(["y", "q"]))
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    print(session.run(f).tolist(), session.run(g).tolist())
with tf.Graph().as_default(), tf.Session() as session:
    f = tf.saved_model.load(session, ["serve"], FOLDER).signature_def["f"]
    print(session.run(f.outputs["output_0"].name, {f.inputs["x"].name: ["b", "z"]}).tolist())
"""
LOADED_TABLES = "[3, 6, -3] [20, -5]\n[3, -3]\n"


def test_tables_of_an_object(tmp_path, capsys):
    _run(SAVE_TABLES, tmp_path / "m")
    (tmp_path / "m.txt").unlink()
    tf.reset_default_graph()
    capsys.readouterr()
    _run(LOAD_TABLES, tmp_path / "m")
    assert capsys.readouterr().out == LOADED_TABLES


@pytest.mark.oracle
def test_tables_go_both_ways_with_tensorflow(tmp_path, oracle, capsys):
    _run(SAVE_TABLES, tmp_path / "ours")
    (tmp_path / "ours.txt").unlink()
    assert oracle(_program(LOAD_TABLES, tmp_path / "ours")).endswith(LOADED_TABLES)
    oracle(_program(SAVE_TABLES, tmp_path / "theirs"))
    (tmp_path / "theirs.txt").unlink()
    tf.reset_default_graph()
    capsys.readouterr()
    _run(LOAD_TABLES, tmp_path / "theirs")
    assert capsys.readouterr().out == LOADED_TABLES


def test_signatures_may_have_no_inputs_or_no_outputs(tmp_path, session):
    module = tf.Module()
    module.step = tf.Variable(7, use_resource=True)
    read = tf.function(lambda: {"step": module.step + 1}, input_signature=())
    ignore = tf.function(lambda x: (), input_signature=[tf.TensorSpec([], tf.float32)])
    session.run(tf.global_variables_initializer())
    tf.saved_model.save(module, str(tmp_path / "m"), {"read": read, "ignore": ignore})
    loaded = tf.saved_model.loader.load(session, ["serve"], str(tmp_path / "m")).signature_def
    assert not loaded["read"].inputs and not loaded["ignore"].outputs
    assert session.run(loaded["read"].outputs["step"].name) == 8
