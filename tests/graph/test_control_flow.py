"""Contexts of branches and loops, where the differential cases do not reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.base import nest
from headwater.graph import build
from headwater.graph.collection_protos import proto_functions_of, register_proto_function
from headwater.graph.control_flow import util
from headwater.graph.control_flow.context import XLAControlFlowContext
from headwater.graph.scope_names import prepend_name_scope, strip_name_scope

NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_]{0,5}(/[a-z]{1,3}){0,2}", fullmatch=True)


@given(NAMES, NAMES, st.sampled_from(["", "^", "loc:@"]))
def test_names_lose_the_scope_that_they_were_given(name, scope, mark):
    inside = prepend_name_scope(mark + name, scope)
    assert inside == f"{mark}{scope}/{name}"
    assert strip_name_scope(inside, scope) == mark + name
    assert strip_name_scope(inside, None) == inside


def test_values_enter_a_context_for_xla_as_they_are():
    x = tf.placeholder(tf.float32, [2])
    context = XLAControlFlowContext()
    context.Enter()
    y = x + 1.0
    context.Exit()
    assert y.op.inputs[0] is x
    assert y.op._get_control_flow_context() is context
    assert util.is_in_xla_context(y.op)
    assert not util.is_in_xla_context(x.op)
    assert not util.is_in_while_loop(y.op)


def test_contexts_are_left_when_a_body_raises():
    def body(i):
        raise KeyError("body")

    with pytest.raises(KeyError):
        tf.while_loop(lambda i: i < 3, body, [0])
    with pytest.raises(KeyError):
        tf.cond(tf.constant(True), lambda: body(0), lambda: 1)
    assert tf.get_default_graph()._get_control_flow_context() is None
    assert tf.constant(1).op._get_control_flow_context() is None


def test_questions_about_ops_of_a_loop_and_a_branch():
    p = tf.placeholder(tf.bool, [])
    r = tf.while_loop(lambda i: i < 3, lambda i: tf.cond(p, lambda: i + 1, lambda: i + 2), [0])
    ops = {op.name: op for op in tf.get_default_graph().get_operations()}
    assert util.is_loop_merge(ops["while/Merge"]) and not util.is_cond_merge(ops["while/Merge"])
    assert util.is_loop_switch(ops["while/Switch"])
    assert util.is_cond_merge(ops["while/cond/Merge"])
    assert util.is_cond_switch(ops["while/cond/add/Switch"])
    assert util.loop_constant_enter(ops["while/cond/pred_id"].outputs[0]).type == "Enter"
    assert util.loop_constant_enter(ops["while/Identity"].outputs[0]) is None
    branch = ops["while/cond/add"]._get_control_flow_context()
    loop = branch.outer_context
    assert util.containing_while_context(branch) is loop is branch.GetWhileContext()
    assert util.containing_cond_context(branch) is branch
    assert util.op_in_context(branch.pivot.op, loop)
    assert util.output_context(r.op) is None
    assert loop.back_prop and branch.back_prop


def test_structures_with_sparse_tensors_are_taken_apart_and_put_together():
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    slices = tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([0]))
    structure = {"a": sparse, "b": (slices, 3)}
    leaves = nest.flatten(structure, expand_composites=True)
    parts = [sparse.indices, sparse.values, sparse.dense_shape, slices.values, slices.indices, 3]
    assert all(x is y for x, y in zip(leaves, parts, strict=True))
    packed = nest.pack_sequence_as(structure, leaves, expand_composites=True)
    assert packed["a"].values is sparse.values
    assert packed["b"][0].dense_shape is None
    assert nest.flatten(structure) == [sparse, slices, 3]
    doubled = nest.map_structure(lambda x: x * 2, slices, expand_composites=True)
    assert isinstance(doubled, tf.IndexedSlices)
    with pytest.raises(TypeError, match="don't have the same nested structure"):
        nest.assert_same_structure([sparse], [slices], expand_composites=True)
    with pytest.raises(ValueError, match="Incompatible CompositeTensor TypeSpecs"):
        other = tf.SparseTensor([[0, 1]], [1], [2, 3])
        nest.assert_same_structure([sparse], [other], expand_composites=True)
    nest.assert_same_structure([sparse], [3])


def test_proto_functions_are_registered_once():
    register_proto_function("a collection of this test", proto_type=int, from_proto=str)
    assert proto_functions_of("a collection of this test").proto_type is int
    with pytest.raises(KeyError, match="Registering two proto_functions"):
        register_proto_function("a collection of this test")
    with pytest.raises(TypeError, match="to_proto must be callable"):
        register_proto_function("another collection", to_proto=3)


def test_an_abort_node_ends_the_run():
    with tf.Session() as session, pytest.raises(tf.errors.AbortedError, match="enough"):
        session.run(build.Abort(error_msg="enough"))


def test_a_loop_runs_on_a_graph_that_is_exported_and_imported():
    x = tf.placeholder(tf.float32, [2], name="x")
    _, r = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta)
        again = tf.train.export_meta_graph()
        with tf.Session() as session:
            value = session.run(r.name, {x.name: [1.0, 2.0]})
        (context,) = graph.get_collection("while_context")
    np.testing.assert_array_equal(value, [1.0, 16.0])
    assert context.loop_exits[1].name == r.name
    assert len(again.collection_def["while_context"].bytes_list.value) == 1
    nodes, nodes_again = ({n.name: n for n in m.graph_def.node} for m in (meta, again))
    assert nodes_again == nodes
