"""The order of a run: edges, reads before unordered updates, determinism."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.base import process_group
from headwater.engine.analysis.ordering import needed_ops, ordered
from headwater.graph import build


def variable(value, name=None):
    array = np.asarray(value, np.float32)
    ref = build.VariableV2(shape=array.shape, dtype=tf.float32, name=name)
    return ref, build.Assign(ref, array)


@pytest.fixture(params=["auto", "always", "never"])
def any_tier(request, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", request.param)


def test_a_group_of_assigns_uses_the_values_from_before(any_tier):
    u, init_u = variable(1.0)
    v, init_v = variable(2.0)
    old_u, old_v = build.Identity(u), build.Identity(v)
    step = tf.group(build.Assign(u, old_v), build.Assign(v, build.Add(old_u, old_v)))
    with tf.Session() as session:
        session.run([init_u, init_v])
        pairs = []
        for _ in range(5):
            session.run(step)
            pairs.append(tuple(session.run([u, v])))
    assert pairs == [(2, 3), (3, 5), (5, 8), (8, 13), (13, 21)]


def test_a_read_that_nothing_orders_comes_before_the_update(any_tier):
    v, init = variable(1.0)
    update = build.AssignAdd(v, 1.0)
    read = build.Mul(build.Identity(v), 1.0)
    with tf.Session() as session:
        session.run(init)
        assert [tuple(session.run([update, read])) for _ in range(3)] == [(2, 1), (3, 2), (4, 3)]


def test_a_control_edge_puts_the_read_after_the_update(any_tier):
    v, init = variable(1.0)
    update = build.AssignAdd(v, 1.0)
    with tf.control_dependencies([update]):
        read = build.Identity(v)
    with tf.Session() as session:
        session.run(init)
        assert [session.run(read) for _ in range(3)] == [2, 3, 4]


def test_updates_that_nothing_orders_run_in_the_order_of_their_creation(any_tier):
    v, init = variable(1.0)
    double = build.Assign(v, build.Mul(build.Identity(v), 2.0))
    add = build.AssignAdd(v, 10.0)
    with tf.Session() as session:
        for _ in range(2):
            session.run(init)
            session.run([double.op, add.op])
            assert session.run(v) == 12


def test_an_update_sees_the_update_it_waits_for(any_tier):
    v, init = variable(3.0)
    first = build.AssignAdd(v, 1.0)
    with tf.control_dependencies([first]):
        second = build.Assign(v, build.Mul(build.Identity(v), 10.0))
    with tf.Session() as session:
        for _ in range(2):
            session.run(init)
            assert session.run(second) == 40


def test_wishes_that_form_a_cycle_still_give_an_order(any_tier):
    u, init_u = variable(1.0)
    v, init_v = variable(2.0)
    set_u = build.Assign(u, 10.0)
    set_v = build.Assign(v, 20.0)
    with tf.control_dependencies([set_u]):
        read_v = build.Identity(v)
    with tf.control_dependencies([set_v]):
        read_u = build.Identity(u)
    with tf.Session() as session:
        for _ in range(3):
            session.run([init_u, init_v])
            values = session.run([read_u, read_v])
            assert values[0] in (1, 10)
            assert values[1] in (2, 20)
            assert session.run([u, v]) == [10, 20]


def test_only_what_the_fetch_needs_is_part_of_the_run():
    a = tf.constant(1.0)
    b = tf.identity(a)
    tf.identity(b)
    assert [op.name for op in needed_ops([b], [], {})] == ["Const", "Identity"]
    assert needed_ops([b], [], {b: None}) == []


def test_host_ops_stand_together():
    ops = []
    for _ in range(4):
        ops.append(tf.identity(tf.constant(1.0)).op)
    host = {ops[0], ops[2]}
    order = ordered(ops, {}, host.__contains__)
    assert order == [ops[0], ops[2], ops[1], ops[3]]


def test_random_graphs_are_ordered_along_their_edges(rng):
    for _ in range(20):
        tensors = [tf.constant(1.0)]
        for _ in range(30):
            chosen = rng.choice(len(tensors), size=2)
            control = tensors[rng.choice(len(tensors))]
            with tf.control_dependencies([control]):
                tensors.append(build.Add(tensors[chosen[0]], tensors[chosen[1]]))
        ops = needed_ops(tensors, [], {})
        host = set(rng.choice(np.array(ops, dtype=object), size=10).tolist())
        order = ordered(ops, {}, host.__contains__)
        position = {op: i for i, op in enumerate(order)}
        assert sorted(position.values()) == list(range(len(ops)))
        for op in ops:
            before = [t.op for t in op.inputs] + op.control_inputs
            assert all(position[b] < position[op] for b in before)


def test_a_pure_op_that_is_only_waited_for_is_not_executed():
    v, init = variable(1.0)
    first = build.AssignAdd(v, 1.0)
    with tf.control_dependencies([first]):
        unused = build.Exp(build.Identity(v))
    with tf.control_dependencies([unused]):
        second = build.Assign(v, build.Mul(build.Identity(v), 10.0))
    with tf.Session() as session:
        for _ in range(3):
            session.run(init)
            # The order through it still holds.
            assert session.run(second) == 20
        (plan,) = [p for key, p in session._plans.items() if second in key]
    assert unused.op not in [node.op for node in plan.nodes]
    assert first.op in [node.op for node in plan.nodes]


def test_a_check_that_is_only_waited_for_is_executed():
    x = tf.placeholder(tf.float32, [2])
    with tf.control_dependencies([build.CheckNumerics(x, message="bad numbers")]):
        y = build.Mul(x, 2.0)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="bad num"):
        session.run(y, {x: [1.0, np.nan]})


def test_the_collectives_of_several_processes_run_in_the_order_of_their_making(monkeypatch):
    common = {"group_size": 2, "group_key": 1, "shape": [2]}
    late = build.CollectiveBcastRecv(T=tf.float32, instance_key=3, **common)
    early = build.CollectiveBcastSend(tf.constant([1.0, 2.0]) * 3.0, instance_key=1, **common)
    middle = build.CollectiveBcastRecv(T=tf.float32, instance_key=2, **common)
    ops = needed_ops([late, early, middle], [], ())

    def collectives():
        order = ordered(ops, (), lambda op: op.type.startswith("Collective"))
        return [op for op in order if op.type.startswith("Collective")]

    assert collectives() != [early.op, middle.op, late.op]
    monkeypatch.setattr(process_group, "_joined", [object()])
    assert collectives() == [early.op, middle.op, late.op]
