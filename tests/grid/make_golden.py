"""Records the results of a real TensorFlow for the cases of the grid.

ORACLE/bin/python tests/grid/make_golden.py [family ...]

Run it under TensorFlow 1.15.5 first, then under 1.0.0: of 1.0.0 only those outcomes are stored
that differ from 1.15.5's. Each family runs in a process of its own; a case that ends the process
is recorded as "crash" and left out when the rest runs again.
"""

import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
PATIENCE = 15  # seconds for one case
START = 120  # seconds until the first one


def main(names):
    import families  # noqa: F401
    import cases as grid

    names = names or sorted(grid.families())
    release = subprocess.check_output(
        [sys.executable, "-W", "ignore", "-c", "import tensorflow as tf; print(tf.__version__)"],
        stderr=subprocess.DEVNULL,
    )
    release = release.decode().split()[-1]
    for name in names:
        outcomes = record(name)
        import storing

        if release != "1.15.5":
            outcomes = differing(name, outcomes)
        storing.save(HERE / "golden" / ("%s-%s.npz" % (name, release)), outcomes)
        kinds = [k for cases in outcomes.values() for o in cases for k in o]
        print(
            name, release, len(outcomes), "op types", sum(map(len, outcomes.values())), "cases",
            {k: kinds.count(k) for k in sorted(set(kinds))}, flush=True,
        )  # fmt: skip


def differing(name, outcomes):
    """The outcomes that differ from those of 1.15.5; {"same": 1} for the others."""
    import comparing
    import storing

    wanted = storing.load(HERE / "golden" / ("%s-1.15.5.npz" % name))
    result = {}
    for op, cases in outcomes.items():
        result[op] = []
        for mine, theirs in zip(cases, wanted[op]):
            if "values" in mine and "values" in theirs:
                if not comparing.difference(mine["values"], theirs["values"]):
                    mine = {"same": 1}
            elif "error" in mine and "error" in theirs:
                if mine["error"][0] == theirs["error"][0]:
                    mine = {"same": 1}
            mine.pop("shapes", None)
            mine.pop("sum", None)
            result[op].append(mine)
    return result


def record(name):
    """{op: [outcome]} of one family, from as many processes as it takes."""
    done = {}
    crashed = []
    with tempfile.TemporaryDirectory() as folder:
        for attempt in range(150):
            path = os.path.join(folder, "%d.pickle" % attempt)
            command = [sys.executable, str(HERE / "make_golden.py"), "--worker", name, path]
            known = json.dumps([sorted(done), crashed])
            with open(os.path.join(folder, "errors"), "w") as errors:
                code = watched(
                    subprocess.Popen(
                        command + [known],
                        stderr=errors,
                        env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES=""),
                    ),
                    path,
                )
            current = None
            if os.path.exists(path):
                with open(path, "rb") as file:
                    while True:
                        try:
                            kind, key, value = pickle.load(file)
                        except (EOFError, pickle.UnpicklingError):
                            break
                        if kind == "at":
                            current = key
                        else:
                            done[key] = value
            if code == 0:
                return done
            # Python's own exceptions are mistakes of ours.
            if current is None or current in crashed or code == 1:
                with open(os.path.join(folder, "errors")) as errors:
                    raise RuntimeError("%s: no progress\n%s" % (name, errors.read()[-2000:]))
            print("crash", code, current, flush=True)
            crashed.append(current)
    raise RuntimeError(name + ": too many crashes")


def watched(process, path):
    """Waits for the end of a worker; one without output for a while is killed."""
    size, since = -1, time.time()
    while process.poll() is None:
        time.sleep(0.2)
        now = os.path.getsize(path) if os.path.exists(path) else -1
        if now != size:
            size, since = now, time.time()
        elif time.time() - since > (PATIENCE if size > 0 else START):
            process.kill()
            return process.wait()
    return process.returncode


def worker(name, path, known):
    warnings.simplefilter("ignore")
    import numpy as np

    np.seterr(all="ignore")
    import tensorflow as tf

    tf.logging.set_verbosity(tf.logging.FATAL)
    if name == "contrib":
        import tensorflow.contrib.framework
        import tensorflow.contrib.rnn
        import tensorflow.contrib.seq2seq  # noqa: F401

        # Release 1.15 loads the library of ops when a name is asked for.
        getattr(tf.contrib.seq2seq, "BeamSearchDecoder", None)
        with tf.Graph().as_default():
            tf.contrib.framework.zero_initializer(tf.Variable([1.0]))
    import families  # noqa: F401
    import cases as grid
    import running

    done, crashed = json.loads(known)
    with open(path, "wb") as file:

        def say(*entry):
            pickle.dump(entry, file)
            file.flush()

        oracle = Oracle(tf)
        for op in sorted(grid.families()[name]):
            if op not in done:
                skip = {c[1] for c in crashed if c[0] == op}
                cases = grid.cases_of(name, op)
                say("done", op, oracle.outcomes(op, cases, skip, say, running))


class Oracle:
    """Runs cases in the real TensorFlow of this process."""

    def __init__(self, tf):
        from tensorflow.core.framework import op_def_pb2
        from tensorflow.python.framework import op_def_library, op_def_registry

        self.tf = tf
        registered = op_def_registry.get_registered_ops()
        self.defs = dict(registered)
        ops = op_def_pb2.OpList()
        ops.op.extend(self.defs.values())
        self.library = op_def_library.OpDefLibrary()
        self.library.add_op_list(ops)
        self.config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        self.config.graph_options.optimizer_options.opt_level = -1
        try:
            self.config.graph_options.rewrite_options.disable_meta_optimizer = True
        except AttributeError:
            pass

    def make(self, op_type, inputs, attrs):
        definition = self.defs[op_type]
        arguments = {a.name: v for a, v in zip(definition.input_arg, inputs)}
        if len(inputs) != len(definition.input_arg):
            raise Absent
        present = {a.name: a for a in definition.attr}
        for name, value in attrs.items():
            if name not in present:
                raise Absent
            arguments[name] = value
        inferred = set()
        for arg in definition.input_arg:
            inferred.update([arg.type_attr, arg.number_attr, arg.type_list_attr])
        for name, attr in present.items():
            if name not in arguments and name not in inferred and attr.HasField("default_value"):
                arguments[name] = self.default(attr)
        before = len(self.tf.get_default_graph().get_operations())
        self.library.apply_op(op_type, **arguments)
        made = self.tf.get_default_graph().get_operations()[before:]
        return [op for op in made if op.type == op_type][-1]

    def default(self, attr):
        value = attr.default_value
        field = value.WhichOneof("value")
        if field == "list":
            for kind in ("s", "i", "f", "b", "type", "shape"):
                items = list(getattr(value.list, kind))
                if items:
                    return items
            return []
        if field == "shape":
            return self.tf.TensorShape(value.shape)
        if field == "type":
            return self.tf.as_dtype(value.type)
        return getattr(value, field)

    def outcomes(self, op, cases, skip, say, running):
        if op not in self.defs:
            return [{"absent": 1} for _ in cases]
        import storing

        results = []
        for i, case in enumerate(cases):
            if i in skip:
                results.append({"crash": 1})
                continue
            say("at", [op, i], None)
            outcome = self.outcome(case, running)
            outcome["sum"] = storing.checksum(case)
            results.append(outcome)
        return results

    def make_old(self, ops):
        """Lets the graph have ops that are only left for graphs of old releases."""
        versions = [self.defs[op].deprecation.version for op in ops if op in self.defs]
        versions = [version for version in versions if version > 1]
        if versions:
            from tensorflow.core.framework import graph_pb2

            old = graph_pb2.GraphDef()
            old.versions.producer = min(versions) - 1
            old.node.add(name="old", op="NoOp")
            self.tf.import_graph_def(old, name="")

    def outcome(self, case, running):
        import cases as grid

        tf = self.tf
        builder = running.Builder(tf, self.make)
        built, errors, shapes = {}, {}, []
        graph = tf.Graph()
        # Only the CPU's own kernels: release 1.15 would take those of XLA for types without one.
        with graph.as_default(), graph.device("/device:CPU:0"):
            self.make_old(grid.ops_of(case))
            for form in running.forms_of(case):
                try:
                    built[form] = builder.build(case, form)
                    shapes.append(built[form].shapes)
                except Absent:
                    return {"absent": 1}
                except Exception as error:
                    errors[form] = running.error_of(error)
                    shapes.append(None)
            outcome = {"shapes": shapes}
            if case.gradient and errors:
                # There is no gradient to compare.
                return {"absent": 1}
            for form in ("constant", "rank", "dimensions"):
                if form in built:
                    break
            else:
                outcome["error"] = errors["constant"]
                absent = any(text in errors["constant"][1] for text in NO_KERNEL)
                return {"absent": 1} if absent else outcome
            try:
                with tf.Session(graph=graph, config=self.config) as session:
                    values = built[form].run(session)
            except Exception as error:
                kind, line = running.error_of(error)
                if case.gradient or any(text in line for text in NO_KERNEL):
                    return {"absent": 1}
                outcome["later" if "constant" in errors else "error"] = [kind, line]
                values = None
            if "constant" in errors:
                outcome["error"] = errors["constant"]
            elif values is not None:
                outcome["values"] = values
            return outcome


NO_KERNEL = (
    "No OpKernel", "Cannot assign a device", "no supported kernel", "Op type not registered",
    "No C++ shape function", "No WhereOp available", "Only NHWC data_format supported on CPU",
)  # fmt: skip


class Absent(Exception):
    """This version of TensorFlow has no such attr or input."""


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    else:
        main(sys.argv[1:])
