"""Runs calls of public functions that are given on standard input, and says what they raise.

Reads a JSON list of [number, source] pairs; writes a line of JSON for each call before it starts
and after it ended: [number, null] and [number, outcome]. It works in every Python from 3.6 on,
under Headwater and, with `--tensorflow`, under a real TensorFlow.
"""

import json
import os
import resource
import signal
import sys
import traceback
import warnings

import numpy as np

warnings.simplefilter("ignore")

SECONDS = 30
# Private memory that a call may have, with that of the libraries.
MOST_MEMORY = 5 << 30
MOST_RESULTS = 8


class Late(BaseException):
    """The time of a call is over."""


class Odd:
    """An object that is no tensor, number or list."""


def names_for(tf):
    """The names that calls use, made anew for each call."""
    feeds = {}

    def tensor(dtype, shape=None):
        """A placeholder that is fed with ones."""
        found = tf.placeholder(dtype, shape)
        sizes = [2] if shape is None else [2 if n is None else n for n in shape]
        kind = tf.as_dtype(dtype)
        if kind == tf.string:
            feeds[found] = np.full(sizes, b"1", object)
        elif not (kind in (tf.resource, tf.variant) or kind.is_quantized):
            feeds[found] = np.ones(sizes, kind.as_numpy_dtype)
        return found

    def variable(dtype, shape):
        kind = tf.as_dtype(dtype)
        return tf.Variable(np.ones(shape, kind.as_numpy_dtype), dtype=kind)

    def function(count):
        """A function with so many parameters that returns the first of them."""
        names = [f"a{i}" for i in range(count)]
        body = names[0] if count else "tf.constant(1.0)"
        return eval(f"lambda {', '.join(names)}: {body}", {"tf": tf})

    def itself():
        found = []
        found.append(found)
        return found

    def itself_as_dict():
        found = {}
        found["a"] = found
        return found

    def deep():
        found = [1.0]
        for _ in range(5000):
            found = [found]
        return found

    def of_another_graph():
        with tf.Graph().as_default():
            return tf.constant([1.0, 2.0])

    def raising(*arguments):
        raise RuntimeError("raised by the function that was given")

    makers = [tensor, variable, function, itself, itself_as_dict, deep, of_another_graph, raising]
    names = {maker.__name__: maker for maker in makers}
    names.update(tf=tf, np=np, odd=Odd)
    return names, feeds


def fetchable(tf, value, found, depth=0):
    """Collects the tensors and ops of what a call returned."""
    if len(found) >= MOST_RESULTS or depth > 4:
        return
    if isinstance(value, (tf.Tensor, tf.Operation, tf.SparseTensor, tf.IndexedSlices, tf.Variable)):
        found.append(value)
    elif isinstance(value, (list, tuple)):
        for v in value[:MOST_RESULTS]:
            fetchable(tf, v, found, depth + 1)
    elif isinstance(value, dict):
        fetchable(tf, [v for _, v in sorted(value.items(), key=repr)], found, depth + 1)


def run(tf, source):
    """Makes a call in an empty graph and computes what it returns."""
    with tf.Graph().as_default() as graph:
        names, feeds = names_for(tf)
        code = compile(source, "<call>", "eval")
        result = eval(code, names)
        fetches = []
        fetchable(tf, result, fetches)
        if not fetches:
            return
        fetches = [f for f in fetches if getattr(f, "graph", graph) is graph]
        options = tf.RunOptions(timeout_in_ms=1000)
        with tf.Session() as session:
            initializers = tf.global_variables_initializer(), tf.local_variables_initializer()
            session.run([*initializers, tf.tables_initializer()], feeds, options=options)
            session.run(fetches, feeds, options=options)


def outcome(tf, source):
    """[class, text, place] of the error that a call ends with, ["ok"] if there is none."""
    signal.alarm(SECONDS)
    try:
        run(tf, source)
    except Late:
        place = traceback.extract_tb(sys.exc_info()[2])[-1]
        return ["Late", "", f"{place[0]}:{place[1]}"]
    except BaseException as error:
        signal.alarm(0)
        frames = list(traceback.extract_tb(sys.exc_info()[2]))
        ours = [f for f in frames if "headwater" in f[0] or "tensorflow" in f[0]] or frames
        place = ours[-1]
        text = str(error)[:300]
        return [type(error).__name__, text, f"{place[0]}:{place[1]} {place[2]}"]
    finally:
        signal.alarm(0)
    return ["ok"]


def late(number, frame):
    raise Late


def main():
    """Runs the calls."""
    if "--tensorflow" in sys.argv:
        import tensorflow as tf

        tf.logging.set_verbosity(tf.logging.FATAL)
    else:
        import headwater as tf

        tf.logging.set_verbosity(tf.logging.FATAL)
    calls = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    # What functions print does not mix with the answers, and files that they write do not stay.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    os.dup2(nothing, 0)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 24, 1 << 24))
    signal.signal(signal.SIGALRM, late)
    for number, source in calls:
        answers.write(json.dumps([number, None]) + "\n")
        answers.flush()
        found = outcome(tf, source)
        answers.write(json.dumps([number, found]) + "\n")
        answers.flush()
    answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
