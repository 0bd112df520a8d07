"""Writes the folder debug_dumps/: dumps of watched runs, and what commands of tfdbg say of them.

Run it with the Python of TensorFlow 1.15.5, then with that of 1.0.0.
"""

import json
import os
import shutil

import numpy as np
import tensorflow as tf
from tensorflow.python import debug as tf_debug

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debug_dumps")
DUMP = os.path.join(FOLDER, tf.__version__)

COMMANDS = """lt
lt -f has_inf_or_nan
lt -f missing
lt -n scope/.* -t Mat.*|Log
lt -s dump_size -r
lt -s tensor_name
lt -s op_type
lt -f has_inf_or_nan -fenn scope.*
ni scope/m
ni -d -t scope/m:0
ni v -d
ni missing
li scope/l
li -r scope/l
li -r -c -t -d 2 while/add
lo -r scope/m
lo -c -t scope/m
lo scope/l
li missing
pt scope/m:0
pt scope/m
pt scope/m:0[0,:] -s
pt scope/l:0 -s -a
pt scope/m:0 -r [10,20]
pt missing:0
pt scope/m:3
pt while/add:0
pt while/add:0 -n 1
pt while/add:0 -n 7
pt scope/m:0 -n 3
pt words:0
pt wide:0
pt handle:0
eval np.sum(`scope/m:0`,axis=1)
eval "`scope/m:0` + `scope/sub:0`"
eval `while/add:0[2]`""".split("\n")


def run():
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = -1
    if tf.__version__ != "1.0.0":
        config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as graph, tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
        with tf.name_scope("scope"):
            m = tf.matmul(x, v, name="m")
            sub = tf.subtract(m, 10.0, name="sub")
            logarithm = tf.log(sub, name="l")
        one = tf.constant(1, name="one")
        count = tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, one, name="add"), [0])
        words = tf.string_join(["a", tf.constant(["b", "c"])], name="words")
        wide = tf.reshape(tf.range(2400.0), [40, 60], name="wide")
        fetches = [logarithm]
        # 1.0.0 never ends a watched loop.
        if tf.__version__ != "1.0.0":
            fetches += [count, words, wide]
            w = tf.get_variable("handle", initializer=2.0, use_resource=True)
            fetches.append(tf.identity(w.read_value()))
        session.run(tf.global_variables_initializer())
        options = tf.RunOptions()
        tf_debug.watch_graph(options, graph, debug_urls="file://" + DUMP)
        session.run(fetches, {x: [[1, 2], [3, 4]]}, options=options)


def shown(output):
    segments = {}
    for line, found in output.font_attr_segs.items():
        segments[line] = [(start, end, attr_text(attr)) for start, end, attr in found]
    return {"lines": output.lines, "segments": segments}


def attr_text(attr):
    if isinstance(attr, list):
        return [attr_text(each) for each in attr]
    return getattr(attr, "content", attr)


def commands():
    from tensorflow.python.debug.cli import (
        analyzer_cli,
        cli_config,
        command_parser,
        debugger_cli_common,
    )

    dump = tf_debug.DebugDumpDir(DUMP)
    config = cli_config.CLIConfig(config_file_path="/tmp/tfdbg_config")
    analyzer = analyzer_cli.DebugAnalyzer(dump, config)
    analyzer.add_tensor_filter("has_inf_or_nan", tf_debug.has_inf_or_nan)
    registry = debugger_cli_common.CommandHandlerRegistry()
    for name, handler in (
        ("lt", analyzer.list_tensors),
        ("ni", analyzer.node_info),
        ("li", analyzer.list_inputs),
        ("lo", analyzer.list_outputs),
        ("pt", analyzer.print_tensor),
        ("eval", analyzer.evaluate_expression),
    ):
        registry.register_command_handler(name, handler, "")
    result = {}
    for command in COMMANDS:
        words = command_parser.parse_command(command)
        output = registry.dispatch_command(words[0], words[1:], screen_info={"cols": 80})
        result[command] = shown(output)
    with open(os.path.join(FOLDER, "commands.json"), "w") as file:
        json.dump(result, file, indent=1, sort_keys=True)


np.random.seed(0)
shutil.rmtree(DUMP, ignore_errors=True)
run()
if tf.__version__ != "1.0.0":
    commands()
