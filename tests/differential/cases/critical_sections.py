# case: one section
v = tf.get_variable("v", initializer=0.0, use_resource=True)
section = tf.CriticalSection(shared_name="cs")


def add(x):
    before = v.read_value()
    with tf.control_dependencies([v.assign_add(x)]):
        return tf.identity(before)


first = section.execute(lambda: add(1.0))
second = section.execute(lambda: add(2.0), exclusive_resource_access=False, name="again")
nodes()
show(section.name, len(tf.get_collection("critical_sections")))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        # Either may come first.
        session.run([first, second])
        show(session.run(v))

# case: nested results and captured tensors
x = tf.constant(1.0)
ready = tf.no_op("ready")
section = tf.CriticalSection(name="named")


def build():
    with tf.control_dependencies([ready]):
        return [x + 1.0, (x * 2.0,)]


result = section.execute(build, name="pair")
with tf.control_dependencies([ready]):
    other = section.execute(lambda: {"a": tf.identity(x)}, name="mapped")
nodes()
show(result[0].shape, sorted(other))
with tf.Session() as session:
    show(session.run(result), session.run(other["a"]))

# case: reference variables
v = tf.get_variable("v", initializer=1.0)
section = tf.CriticalSection()
doubled = section.execute(lambda: v.assign(v * 2.0))
nodes()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(session.run(doubled), session.run(doubled))

# case: a section cannot enter itself
section = tf.CriticalSection()
section.execute(lambda: section.execute(lambda: tf.constant(1)))

# case: two sections cannot both have exclusive access to a variable
v = tf.get_variable("v", initializer=0.0, use_resource=True)
one, two = tf.CriticalSection(name="one"), tf.CriticalSection(name="two")
one.execute(lambda: v.read_value(), exclusive_resource_access=False)
two.execute(lambda: v.read_value(), exclusive_resource_access=False)
try:
    two.execute(lambda: v.read_value())
except ValueError as error:
    show("requested exclusive resource access of this resource" in str(error))
# case: sections have no protos
for arguments in ({"critical_section_def": 1}, {"critical_section_def": 1, "name": "n"}):
    try:
        tf.CriticalSection(**arguments)
    except (NotImplementedError, ValueError) as e:
        print(type(e).__name__, e)

# case: ops as results, and sections in branches
v = tf.Variable(0, use_resource=True)
u = tf.Variable(0, use_resource=True)
section = tf.CriticalSection()
cleared = section.execute(lambda: tf.group(v.assign(-1), u.assign(5)))
both = section.execute(lambda: [tf.no_op(), v + 1])
show(cleared.type, both[0].type, both[1])
positive = tf.placeholder(tf.bool, [])
found = []
for step in (1, 10):
    add = lambda: section.execute(lambda: v.assign_add(step))
    with tf.control_dependencies(found):
        found.append(tf.cond(positive, add, lambda: tf.constant(0)))
with tf.Session() as session:
    session.run([v.initializer, u.initializer])
    session.run(cleared)
    print(session.run([v, u]), session.run(both))
    print(session.run(found, {positive: True}), session.run(found, {positive: False}))
