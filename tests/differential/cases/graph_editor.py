# case: filters
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
print(len(S._get_input_ts(g)), len(S._get_output_ts(g)), S.can_be_regex('x'), S.can_be_regex(3))
print(names(S.filter_ops(g, lambda o: o.type == 'Add')), names(S.filter_ts(g, True)), names(S.filter_ts_from_regex(g, r'^.*/[fgh]:\d$')))
print(names(S.get_name_scope_ops(g, 'foo/')), names(S.get_name_scope_ops(g, 'foo/bar')))

# case: ops around
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
co = U.ControlOutputs(g)
print(sorted(names(S.get_ops_ios(op(g, 'foo/c'), control_ios=co))), sorted(names(S.get_ops_ios(op(g, 'foo/c')))))

# case: boundaries
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
for ops in ('foo/bar/g',), ('foo/bar/g', 'foo/bar/h'), ('foo/c', 'foo/bar/g'):
    print([names(x) for x in S.compute_boundary_ts([op(g, n) for n in ops])])

# case: within a boundary
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
co = U.ControlOutputs(g)
print(sorted(names(S.get_within_boundary_ops(g, op(g, 'foo/bar/f'), [op(g, 'foo/c'), op(g, 'foo/bar/h')], inclusive=False, control_ios=co))))
print(sorted(names(S.get_within_boundary_ops(g, op(g, 'foo/bar/h'), [op(g, 'foo/bar/f'), op(g, 'foo/bar/g')]))))

# case: boundary at the seeds
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
S.get_within_boundary_ops(g, op(g, 'a'), [op(g, 'a')])

# case: walks
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
c, k, h = op(g, 'foo/c'), op(g, 'foo/bar/g'), op(g, 'foo/bar/h')
print(sorted(names(S.get_forward_walk_ops(c))), sorted(names(S.get_forward_walk_ops(c, inclusive=False))), sorted(names(S.get_backward_walk_ops(k))))
print(sorted(names(S.get_forward_walk_ops(c.outputs[0]))), sorted(names(S.get_forward_walk_ops(c, stop_at_ts=k.outputs[0]))), sorted(names(S.get_backward_walk_ops(h, within_ops=[k, h]))))
print(sorted(names(S.get_walks_intersection_ops([c], [k]))), sorted(names(S.get_walks_union_ops([op(g, 'foo/bar/f')], [k]))))

# case: selections
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
print(names(S.select_ops('^foo/', graph=g)), names(S.select_ops('^foo/bar/', 'a', graph=g)), len(S.select_ts('.*:0', graph=g)))
print([names(x) for x in S.select_ops_and_ts('^foo/.*', '(?#ts)^foo/bar/.*', graph=g)])
print(names(S.select_ops('(?#ops)^a', graph=g, restrict_ops_regex=True)), names(S.select_ops('^a', graph=g, restrict_ops_regex=True)), names(S.select_ops(op(g, 'a'), [op(g, 'foo/b')])), names(S.select_ops('^foo', graph=g, positive_filter=lambda o: o.type == 'Const')))

# case: selection without a graph
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
S.select_ops('x')

# case: selection in no graph
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
S.select_ops('x', graph=3)

# case: selection with a wrong keyword
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
S.select_ops('x', graph=g, zz=3)

# case: wrong control outputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
S.check_cios(False, 3)

# case: control outputs twice
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
co = U.ControlOutputs(g)
S.check_cios(False, co, co)

# case: lists and trees
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
print(list(U.ListView([1, 2])), U.ListView([1]) + [2], bool(U.ListView([])))
print(U.flatten_tree([1, (2, {'a': 3})]), U.transform_tree([1, (2, {'a': 3})], lambda x: -x), U.transform_tree(iter([1]), lambda x: -x))
print(U.concatenate_unique([1], [1, 2, 2]))

# case: no graph of an empty list
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
print(U.get_unique_graph([], none_if_empty=True))
U.get_unique_graph([])

# case: several graphs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
U.check_graphs(g.get_operations()[0], mk().get_operations()[0])

# case: a graph where it may not be
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
U.make_list_of_op(g, allow_graph=False)

# case: names of placeholders
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
c = op(g, 'foo/c').outputs[0]
print(U.placeholder_name(c), U.placeholder_name(c, scope='zz'), U.placeholder_name(), U.placeholder_name(scope='q'), U.placeholder_name(c, scope=''))
print(U.scope_finalize('a'), U.scope_finalize(''), U.scope_dirname('a/b/c'), U.scope_basename('a/b/c'), U.scope_dirname('a'))

# case: a view
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
v = ge.sgv('^foo/bar/', graph=g)
print(names(v.ops), names(v.inputs), names(v.outputs), names(v.connected_inputs), names(v.connected_outputs), names(v.passthroughs), names(v.consumers()), v.graph is g, bool(v), bool(ge.sgv()))
print(names(v.remap_inputs([1, 0]).inputs), names(v.remap_outputs([0, 0]).outputs), names(v.remap_outputs([0, 0]).remap_outputs_make_unique().outputs), names(v.remap_inputs([1, 0]).remap_default().inputs))
print(names(v.remap([1], [0]).inputs), names(v.remap([1], [0]).outputs), names(v.copy().ops) == names(v.ops), ge.sgv(v) is v)

# case: a view of an op
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
v = ge.sgv(op(g, 'foo/c'))
print(names(v.inputs), names(v.outputs), names(v.remap_outputs_to_consumers().outputs), v.op(0).name, v.find_op_by_name('foo/c').name, v.input_index(v.inputs[1]), v.output_index(v.outputs[0]))
v.find_op_by_name('zz')

# case: a view with a wrong input
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
ge.sgv(op(g, 'foo/c')).remap_inputs([5])

# case: a view with a passthrough
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
v = ge.sgv(op(g, 'foo/c'), op(g, 'foo/d').outputs[0])
print(names(v.inputs), names(v.outputs), names(v.passthroughs), v.is_passthrough(v.passthroughs[0]), names(v.connected_inputs))
print(str(v).partition('\n')[2])

# case: a view of a scope
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
print(names(ge.sgv_scope('foo/bar', g).ops), names(ge.sgv('^foo', graph=g).remove_unused_ops().ops))

# case: swap_inputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
s0, s1 = ge.sgv(op(g, 'c0')), ge.sgv(op(g, 'c1'))
for x in ge.swap_inputs(s0, s1):
    print(names(x.inputs), names(x.outputs))
wires(g)

# case: reroute_inputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
s0, s1 = ge.sgv(op(g, 'c0')), ge.sgv(op(g, 'c1'))
for x in ge.reroute_inputs(s0, s1):
    print(names(x.inputs), names(x.outputs))
wires(g)

# case: swap_outputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
s0, s1 = ge.sgv(op(g, 'c0')), ge.sgv(op(g, 'c1'))
for x in ge.swap_outputs(s0, s1):
    print(names(x.inputs), names(x.outputs))
wires(g)

# case: reroute_outputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
s0, s1 = ge.sgv(op(g, 'c0')), ge.sgv(op(g, 'c1'))
for x in ge.reroute_outputs(s0, s1):
    print(names(x.inputs), names(x.outputs))
wires(g)

# case: swap_ios
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
s0, s1 = ge.sgv(op(g, 'c0')), ge.sgv(op(g, 'c1'))
for x in ge.swap_ios(s0, s1):
    print(names(x.inputs), names(x.outputs))
wires(g)

# case: reroute_ios
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
s0, s1 = ge.sgv(op(g, 'c0')), ge.sgv(op(g, 'c1'))
for x in ge.reroute_ios(s0, s1):
    print(names(x.inputs), names(x.outputs))
wires(g)

# case: swap_ts
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
print(ge.swap_ts([op(g, 'a0').outputs[0], op(g, 'b0').outputs[0]], [op(g, 'a1').outputs[0], op(g, 'b1').outputs[0]]))
wires(g)

# case: reroute_ts
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
print(ge.reroute_ts([op(g, 'a0').outputs[0], op(g, 'b0').outputs[0]], [op(g, 'a1').outputs[0], op(g, 'b1').outputs[0]]))
wires(g)

# case: reroute some
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
a, c = op(g, 'a0').outputs[0], op(g, 'c1').outputs[0]
print(ge.reroute_ts(a, c, can_modify=[op(g, 'd0')]), ge.reroute_ts(a, c, cannot_modify=[op(g, 'd1')]), ge.reroute_ts(a, c))

# case: reroute wrong shapes
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
ge.reroute_ts([op(g, 'a0').outputs[0]], [op(g, 'a2').outputs[0]])

# case: reroute wrong lengths
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
ge.reroute_ts([op(g, 'a0').outputs[0]], [])

# case: control inputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
d = op(g, 'd0')
ge.add_control_inputs(d, [op(g, 'a1'), op(g, 'b1')])
print(names(d.control_inputs))
ge.remove_control_inputs(d, op(g, 'a1'))
print(names(d.control_inputs))
ge.add_control_inputs(d, op(g, 'b1'))

# case: remove an op that is not a control input
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
def two():
    g = tf.Graph()
    with g.as_default():
        a0, b0 = tf.constant(1., shape=[2], name='a0'), tf.constant(2., shape=[2], name='b0'); c0 = tf.add(a0, b0, name='c0')
        a1, b1 = tf.constant(3., shape=[2], name='a1'), tf.constant(4., shape=[2], name='b1'); c1 = tf.add(a1, b1, name='c1')
        a2, b2 = tf.constant(3., shape=[3], name='a2'), tf.constant(4., shape=[3], name='b2'); c2 = tf.add(a2, b2, name='c2')
        d0 = tf.identity(c0, name='d0'); d1 = tf.identity(c1, name='d1')
    return g
g = two()
ge.remove_control_inputs(op(g, 'd0'), op(g, 'c2'))

# case: detach
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
s = ge.sgv('^foo/bar/', graph=g)
r = ge.detach(s, control_ios=U.ControlOutputs(g))
print(names(r[0].inputs), names(r[1]), names(r[2]))
wires(g)

# case: detach inputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
r = ge.detach_inputs(ge.sgv(op(g, 'foo/c')))
print(names(r[0].inputs), names(r[1]))
wires(g)

# case: detach outputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
r = ge.detach_outputs(ge.sgv(op(g, 'foo/c')))
print(names(r[0].outputs), names(r[1]))
wires(g)

# case: bypass
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
r = ge.bypass(ge.sgv(op(g, 'foo/bar/g')).remap_inputs([0]))
print(names(r[0].outputs), names(r[1]))
wires(g)

# case: connect
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
for first in (False, True):
    g = tf.Graph()
    with g.as_default():
        x = tf.constant([1.], name='x'); y = tf.constant([2.], name='y'); z = tf.add(x, y, name='z')
        p = tf.constant([5.], name='p'); q = tf.multiply(p, p, name='q'); r = tf.identity(z, name='r')
    ge.connect(ge.sgv(z.op), ge.sgv(q.op), disconnect_first=first)
    wires(g)

# case: copy in the graph
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
c = op(g, 'foo/c')
with g.as_default():
    tf.add_to_collection('mine', c.outputs[0])
s, info = ge.copy(ge.sgv('^foo/', graph=g), dst_scope='cp')
print(names(s.ops), names(s.inputs), names(s.outputs), info.transformed(c).name, info.original(info.transformed(c)).name, info.transformed(c.outputs[0]).name)
print(g.get_all_collection_keys(), info.transformed(op(g, 'a').outputs[0]))
wires(g)
print(names(ge.copy(ge.sgv('^foo/bar', graph=g), dst_scope='cp')[0].ops), names(ge.copy(ge.sgv('^foo/bar/e', graph=g), dst_scope='cp', reuse_dst_scope=True)[0].ops), names(ge.copy(ge.sgv('^foo/bar', graph=g), dst_scope='yy', src_scope='foo')[0].ops), names(ge.copy(ge.sgv('^foo/bar/[ef]$', graph=g))[0].ops))

# case: copy to a graph
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
d = tf.Graph()
ge.copy(ge.sgv('^foo/bar', graph=g), d)
wires(d)
d = tf.Graph()
ge.copy(g, d)
wires(d)

# case: copy with other inputs
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
with g.as_default():
    z = tf.constant([9., 9.], name='z')
ge.copy_with_input_replacements(ge.sgv('^foo/bar/', graph=g), {op(g, 'foo/c').outputs[0]: z}, dst_scope='rp')
wires(g)

# case: replace in a graph
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
c, d, h = [op(g, n).outputs[0] for n in ('foo/c', 'foo/d', 'foo/bar/h')]
r = ge.graph_replace(h, {c: d}, dst_scope='gr')
with tf.Session(graph=g) as s:
    print(r.name, s.run(r).tolist())
wires(g)
r = ge.graph_replace({'a': h, 'b': [op(g, 'a').outputs[0]]}, {c: d})
print(r['a'].name, r['b'][0].name)

# case: replacements that are not connected to the targets
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
ge.graph_replace([op(g, 'a').outputs[0]], {op(g, 'foo/c').outputs[0]: op(g, 'foo/d').outputs[0]})

# case: copy with a handler
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
t = ge.Transformer()
def h(info, op, new_inputs):
    return ge.copy_op_handler(info, op, new_inputs)
t.transform_op_handler = h
s, info = t(ge.sgv(g), tf.Graph(), '', '')
print(names(s.ops))

# case: copy a loop
ge = tf.contrib.graph_editor
def mk():
    g = tf.Graph()
    with g.as_default():
        a = tf.constant([1., 1.], name='a')
        with tf.name_scope('foo'):
            b = tf.constant([2., 2.], name='b'); c = tf.add(a, b, name='c'); d = tf.constant([3., 3.], name='d')
            with tf.name_scope('bar'):
                e = tf.add(c, d, name='e'); f = tf.add(c, d, name='f'); k = tf.add(c, a, name='g')
                with tf.control_dependencies([c.op]):
                    h = tf.add(f, k, name='h')
    return g
def op(g, n):
    return g.get_operation_by_name(n)
def names(l):
    return [x.name for x in l]
def wires(g):
    for o in g.get_operations():
        print(o.name, [i.name for i in o.inputs], [c.name for c in o.control_inputs])
g = mk()
S, U = ge.select, ge.util
g = tf.Graph()
with g.as_default():
    x = tf.placeholder(tf.float32, [])
    i = tf.while_loop(lambda a: a < x, lambda a: a + 1., [tf.constant(0.)])
d = tf.Graph()
s, info = ge.copy(g, d)
with tf.Session(graph=d) as s:
    print(s.run(info.transformed(i), {info.transformed(x): 3.5}))

