"""Lists, dicts and attributes of tracked objects; values and texts are those of 1.15.5."""

from __future__ import annotations

import collections
import copy
import pickle

import pytest

import headwater as tf
from headwater.model.trackable.base import no_automatic_dependency_tracking
from headwater.model.trackable.dict_wrapper import DictWrapper
from headwater.model.trackable.list_wrapper import ListWrapper

contrib = tf.contrib.checkpoint


class Owner(contrib.Checkpointable):
    pass


def names(obj):
    return [dependency.name for dependency in obj._checkpoint_dependencies]


def variable():
    return tf.Variable(1.0)


@pytest.fixture
def owner():
    return Owner()


def test_attributes(owner):
    owner.x = variable()
    owner.number = 3
    owner.free = contrib.NoDependency([variable()])
    owner.items = [variable()]
    assert names(owner) == ["x", "items"] and type(owner.free) is list
    second = variable()
    owner.x = second
    assert owner._lookup_dependency("x") is second and names(owner) == ["x", "items"]
    del owner.x
    assert names(owner) == ["items"] and not hasattr(owner, "x")


def test_methods_without_tracking():
    class Quiet(Owner):
        @no_automatic_dependency_tracking
        def fill(self):
            self.hidden = variable()

    quiet = Quiet()
    quiet.fill()
    quiet.shown = variable()
    assert names(quiet) == ["shown"]


def test_dependencies_by_hand():
    base = contrib.CheckpointableBase()
    first = base._track_trackable(variable(), "a")
    assert base._track_trackable(first, "a") is first
    with pytest.raises(TypeError, match=r"passed type <class 'int'>, not a Trackable"):
        base._track_trackable(3, "b")
    with pytest.raises(ValueError, match=r"with name='a', but .* already declared"):
        base._track_trackable(variable(), "a")


def test_lists(owner):
    owner.items = [1, variable(), [variable()], {"x": variable()}, (variable(),)]
    assert isinstance(owner.items, list) and names(owner.items) == ["1", "2", "3"]
    assert owner.items[0] == 1 and len(owner.items) == 5
    owner.more = []
    owner.more.append(variable())
    owner.more += [variable()]
    assert names(owner.more) == ["0", "1"] and len(owner.more.trainable_variables) == 2
    assert type(owner.more + [1]) is ListWrapper and type([1] + owner.more) is ListWrapper
    assert type(owner.more[:1]) is list
    owner.numbers = [2, 1]
    owner.numbers[0] = variable()
    assert names(owner.numbers) == ["0"]
    assert pickle.loads(pickle.dumps(ListWrapper([1, 2]))) == [1, 2]
    with pytest.raises(TypeError, match="unhashable type: 'ListWrapper'"):
        hash(owner.numbers)


@pytest.mark.parametrize(
    "change",
    [
        lambda items: items.__setitem__(0, variable()),
        lambda items: items.__setitem__(slice(0, 1), []),
        lambda items: items.__delitem__(0),
        lambda items: items.insert(0, 3),
        lambda items: items.pop(),
        lambda items: items.clear(),
        lambda items: items.sort(key=id),
        lambda items: items.__imul__(0),
    ],
)
def test_lists_that_lost_elements(owner, change):
    owner.items = [variable()]
    change(owner.items)
    with pytest.raises(ValueError, match=r"A list element was replaced \(__setitem__, __setslice"):
        names(owner.items)
    with pytest.raises(ValueError, match="Unable to save the object ListWrapper"):
        contrib.list_objects(owner)


def test_lists_changed_behind_the_wrapper(owner):
    plain = [variable()]
    owner.items = plain
    plain.append(variable())
    with pytest.raises(ValueError, match="The wrapped list was modified outside the wrapper"):
        contrib.list_objects(owner)
    with pytest.raises(ValueError, match="The wrapped list was modified outside the wrapper"):
        contrib.list_objects(copy.copy(owner.items))
    owner.items = contrib.NoDependency(plain)


def test_dicts(owner):
    owner.table = {"a": variable(), "b": 1, "c": [1], 3: 4}
    assert isinstance(owner.table, dict) and names(owner.table) == ["a", "c"]
    owner.table["d"] = variable()
    owner.table.update(e=variable())
    assert names(owner.table) == ["a", "c", "d", "e"] and len(owner.table) == 6
    del owner.table["b"]
    assert "b" not in owner.table and list(owner.table) == ["a", "c", 3, "d", "e"]
    owner.empty = {}
    assert owner.empty == {} and owner.empty != {1: 2}
    owner.ordered = collections.OrderedDict(z=variable(), a=variable())
    assert names(owner.ordered) == ["z", "a"] and isinstance(owner.table.copy(), dict)
    owner.other = collections.defaultdict(list)
    assert type(owner.other) is collections.defaultdict
    with pytest.raises(TypeError, match="unhashable type: 'DictWrapper'"):
        hash(owner.table)


def test_dicts_that_cannot_be_saved(owner):
    owner.table = {1: variable()}
    with pytest.raises(ValueError, match="contains a non-string key which maps to a trackable"):
        contrib.list_objects(owner)
    plain = {"a": variable()}
    owner.table = plain
    plain["b"] = variable()
    with pytest.raises(ValueError, match="The wrapped dictionary was modified outside the wrapper"):
        contrib.list_objects(owner)
    owner.table = {"a": variable()}
    owner.table.pop("a")
    with pytest.raises(ValueError, match="The wrapped dictionary was modified outside the wrapper"):
        contrib.list_objects(owner)
    dirty = owner.table
    with pytest.raises(ValueError, match="The wrapped dictionary was modified outside the wrapper"):
        contrib.list_objects(copy.copy(dirty))
    assert isinstance(copy.deepcopy(DictWrapper({"a": [1]}))["a"], ListWrapper)


def test_append_only_lists():
    v, w = variable(), tf.Variable(1.0, trainable=False)
    items = contrib.List([v])
    items.append(w)
    assert items.trainable_weights == [v] and items.non_trainable_weights == [w]
    items.trainable = False
    assert items.trainable_weights == [] and items.weights == [v, w]
    assert list(items.copy()) == [v, w] and items[1:] == [w] and list(2 * items) == [v, w] * 2
    with pytest.raises(ValueError, match="List only supports append"):
        items *= 0
    with pytest.raises(ValueError, match="may be stored in a List object"):
        items.append(1)
    assert len({contrib.List(), contrib.List()}) == 2 and not hasattr(items, "pop")
    layer = tf.layers.Dense(1)
    layers = contrib.List([contrib.List([layer])])
    layer(tf.ones([2, 3]))
    assert layers.layers == [layer] and len(layers.variables) == 2


def test_append_only_mappings():
    v = variable()
    mapping = contrib.Mapping(a=v)
    mapping["b"] = contrib.List()
    assert dict(mapping)["a"] is v and len(mapping) == 2
    with pytest.raises(ValueError, match="Tried to overwrite the key 'a' with value"):
        mapping["a"] = variable()
    with pytest.raises(TypeError, match="Mapping accepts only string keys, but got a key 1"):
        mapping[1] = v
    with pytest.raises(ValueError, match="Got 3, which does not inherit from Trackable"):
        mapping.update(c=3)
    assert "c" not in mapping and mapping["a"] is v


def test_unique_names():
    tracker = contrib.UniqueNameTracker()
    for name in ("x", "x", "x_1", "y"):
        tracker.track(variable(), name)
    assert names(tracker) == ["x", "x_1", "x_1_1", "y"]
    with pytest.raises(ValueError, match="Expected a trackable value, got 3"):
        tracker.track(3, "z")


def test_templates():
    def outer():
        a = tf.get_variable("a", [1])
        with tf.variable_scope("in"):
            return a + tf.get_variable("b", [1]) + inner()

    inner = tf.make_template("inner", lambda: tf.get_variable("c", [1]))
    template = tf.make_template("outer", outer)
    template()
    template()
    assert names(template)[:2] == ["a", "in/b"] and names(inner) == ["c"]


def test_modules():
    class Net(tf.Module):
        def __init__(self, depth, name=None):
            super().__init__(name=name)
            with self.name_scope:
                self.child = Net(depth - 1) if depth > 1 else None
                self.w = tf.Variable(1.0, name="w", trainable=depth > 1)

        @tf.Module.with_name_scope
        def __call__(self):
            return tf.constant(1.0, name="c")

    net = Net(2)
    assert (net.name, net.name_scope.name, net.child.name_scope.name) == ("net", "net/", "net/net/")
    assert [v.name for v in net.variables] == ["net/w:0", "net/net/w:0"]
    assert net.trainable_variables == (net.w,) and net.submodules == (net.child,)
    assert (net().name, net().name) == ("net/c:0", "net/c_1:0")
    assert Net(1).name_scope.name == "net_1/"
    net.parts = [Net(1), {"k": tf.Variable(2.0)}]
    assert len(net.variables) == 4 and list(net._flatten(recursive=False, with_path=True))
    with pytest.raises(ValueError, match="'a b' is not a valid module name"):
        tf.Module("a b")


def test_linear_operators_are_modules():
    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    assert isinstance(operator, tf.Module) and operator.variables == ()
    assert isinstance(operator.graph_parents, list)
