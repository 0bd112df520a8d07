"""Random graphs whose ops wait for each other through queues, and their expected values.

A program is a list of instructions. `build` makes a graph of it, with any TensorFlow; `interpret`
computes the values with NumPy, without one.
"""

from __future__ import annotations

import numpy as np

SHAPE = (3,)
RUNS = 4


def program(seed, size=40):
    """A random program: tuples of a kind and its arguments; values are numbered as they are made.

    The dequeues come first. A queue is full at the beginning of each run, so that something can be
    put into it when something was taken out; or it is empty, and then what is put into queue k
    depends on no dequeue from queue k or a later one. So there is an order in which everything can
    run, but it is not that of the list.
    """
    rng = np.random.RandomState(seed)
    queues, variables = rng.randint(1, 5), rng.randint(1, 4)
    full = [bool(rng.randint(3) == 0) for _ in range(queues)]
    instructions = [("dequeue", k, full[k]) for k in range(queues)]
    # The queue, if any, that a value depends on.
    levels = [-1 if full[k] else k for k in range(queues)]

    def some(below=queues):
        return int(rng.choice([i for i, level in enumerate(levels) if level < below]))

    def add(instruction, level):
        instructions.append(instruction)
        levels.append(level)

    for v in range(variables):
        add(("read", v), -1)
    kinds = ["add", "mul", "tanh", "python", "string", "cond", "check", "loop"]
    chances = [0.3, 0.15, 0.2, 0.07, 0.07, 0.07, 0.07, 0.07]
    filled = 0
    for i in range(size):
        if filled < queues and i >= (filled + 1) * size // (queues + 1):
            instructions.append(("enqueue", filled, some(queues if full[filled] else filled)))
            filled += 1
        kind = str(rng.choice(kinds, p=chances))
        values = [some() for _ in range(3)]
        used = {"add": 2, "mul": 2, "check": 2, "cond": 3}.get(kind, 1)
        add((kind, *values[:used]), max(levels[value] for value in values[:used]))
    instructions.extend(("summary", some()) for _ in range(3))
    instructions.extend(("update", v, some()) for v in range(variables))
    return instructions


def build(tf, instructions, resource, ordered):
    """Makes the graph of a program in the default graph.

    Args:
        tf: TensorFlow, of whichever make.
        instructions: the program.
        resource: whether variables are resource variables.
        ordered: whether the graph says that variables are read before they are updated.

    Returns:
        The values, the summaries, the updates, the variables, and the ops that fill queues.
    """
    count = max(i[1] for i in instructions if i[0] == "update") + 1
    variables = [
        tf.get_variable(f"v{v}", initializer=np.full(SHAPE, 0.5 + v, "f"), use_resource=resource)
        for v in range(count)
    ]
    queues, values, reads, summaries, updates, fill = {}, [], [], [], [], []
    for kind, *arguments in instructions:
        if kind == "dequeue":
            queues[arguments[0]] = tf.FIFOQueue(1, [tf.float32], [SHAPE])
            values.append(queues[arguments[0]].dequeue())
            if arguments[1]:
                fill.append(queues[arguments[0]].enqueue(np.full(SHAPE, -0.75, "f")))
        elif kind == "enqueue":
            updates.append(queues[arguments[0]].enqueue(values[arguments[1]]))
        elif kind == "read":
            # The product has the old value; what is read from a reference changes with it.
            values.append(variables[arguments[0]].read_value() * 1.0)
            reads.append(values[-1])
        elif kind == "update":
            with tf.control_dependencies(reads if ordered else []):
                change = values[arguments[1]] * 0.1
                updates.append(variables[arguments[0]].assign_add(change).op)
        elif kind == "summary":
            mean = tf.reduce_mean(values[arguments[0]])
            summaries.append(tf.summary.scalar(f"s{len(summaries)}", mean))
        else:
            values.append(_node(tf, kind, [values[i] for i in arguments]))
    return values, summaries, updates, variables, fill


def _node(tf, kind, inputs):
    x, y = inputs[0], inputs[-1]
    if kind == "add":
        return x + y
    if kind == "mul":
        return tf.tanh(x) * y
    if kind == "tanh":
        return tf.tanh(x) - 0.25
    if kind == "python":
        result = tf.py_func(lambda a: a * np.float32(0.5), [x], tf.float32)
        result.set_shape(SHAPE)
        return result
    if kind == "string":
        text = tf.as_string(tf.reduce_sum(x) > 0.0)
        return tf.where(tf.fill(SHAPE, tf.equal(text, "true")), x, -x)
    if kind == "cond":
        return tf.cond(
            tf.reduce_sum(x) > 0.0,
            lambda: tf.py_func(lambda a: a + np.float32(1.0), [inputs[1]], tf.float32) * 0.5,
            lambda: tf.tanh(y) + 0.125,
        )
    if kind == "check":
        finite = tf.Assert(tf.reduce_all(tf.abs(y) < 1e6), [y])
        with tf.control_dependencies([finite]):
            return tf.identity(x)
    assert kind == "loop"
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a + 0.1)), [0, x])[1]


def interpret(instructions, variables, queues):
    """Interprets one run of a program.

    Args:
        instructions: the program.
        variables: the values of the variables; updated in place.
        queues: what is in the queues that are full; updated in place.

    Returns:
        The values, and the means that the summaries tell.
    """
    source = {i[1]: i[2] for i in instructions if i[0] == "enqueue"}
    makers = [i for i in instructions if i[0] not in ("enqueue", "summary", "update")]
    done = {}

    def value(number):
        if number not in done:
            kind, *arguments = makers[number]
            if kind == "dequeue":
                queue, full = arguments
                done[number] = queues[queue] if full else value(source[queue])
            elif kind == "read":
                done[number] = variables[arguments[0]].copy()
            else:
                done[number] = _result(kind, [value(i) for i in arguments]).astype("f")
        return done[number]

    values = [value(number) for number in range(len(makers))]
    queues.update((queue, values[put]) for queue, put in source.items())
    means = [np.mean(values[i[1]]) for i in instructions if i[0] == "summary"]
    for kind, *arguments in instructions:
        if kind == "update":
            variables[arguments[0]] += values[arguments[1]] * np.float32(0.1)
    return values, means


def _result(kind, inputs):
    x, y = inputs[0], inputs[-1]
    if kind == "add":
        return x + y
    if kind == "mul":
        return np.tanh(x) * y
    if kind == "tanh":
        return np.tanh(x) - 0.25
    if kind == "python":
        return x * 0.5
    if kind == "string":
        return x if x.sum() > 0 else -x
    if kind == "cond":
        return (inputs[1] + 1.0) * 0.5 if x.sum() > 0 else np.tanh(y) + 0.125
    if kind == "check":
        return x
    for _ in range(3):
        x = np.tanh(x + 0.1)
    return x


def results(tf, session, seed, resource, ordered=False):
    """Builds a program in the default graph and runs it; gives one row of numbers for each run."""
    values, summaries, updates, variables, fill = build(tf, program(seed), resource, ordered)
    session.run([tf.global_variables_initializer(), fill])
    rows = []
    for _ in range(RUNS):
        found, texts, _ = session.run([values, summaries, updates])
        means = [tf.Summary.FromString(text).value[0].simple_value for text in texts]
        after = session.run(variables)
        rows.append(np.concatenate([*found, means, *after]))
    return np.array(rows)


def expected(seed):
    """The expected result of `results`."""
    instructions = program(seed)
    count = max(i[1] for i in instructions if i[0] == "update") + 1
    variables = [np.full(SHAPE, 0.5 + v, "f") for v in range(count)]
    queues = {i[1]: np.full(SHAPE, -0.75, "f") for i in instructions if i[0] == "dequeue"}
    rows = []
    for _ in range(RUNS):
        values, means = interpret(instructions, variables, queues)
        rows.append(np.concatenate([*values, means, *variables]))
    return np.array(rows)
