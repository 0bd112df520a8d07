"""Records what a client and a server of TensorFlow 1.15.5 say to each other: wire_1.15.5.json.

Run with HEADWATER_ORACLES=DIR (DIR/tf-1.15.5/bin/python): python tests/golden/make_wire.py
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import grpc

from headwater.distributed.threads import Threads
from headwater.distributed.transport import MASTER, MASTER_METHODS

PYTHON = Path(os.environ["HEADWATER_ORACLES"]) / "tf-1.15.5" / "bin" / "python"

SERVER = """
import sys, tensorflow as tf
server = tf.train.Server.create_local_server()
print(server.target[7:], flush=True)
sys.stdin.read()
"""

CLIENT = """
import sys, tensorflow as tf
x = tf.placeholder(tf.float32, [2], name="x")
v = tf.Variable([1.0, 2.0], name="v")
with tf.Session("grpc://" + sys.argv[1]) as session:
    session.run(v.initializer)
    session.run([v * x, tf.constant(["a", "bc"], name="text")], {x: [3.0, 4.0]})
    session.run(v.assign_add(x), {x: [0.5, 0.5]})
    try:
        session.run(tf.check_numerics(tf.log(-v), "bad", name="cn"))
    except tf.errors.InvalidArgumentError:
        pass
"""


def main() -> None:
    server = subprocess.Popen(
        [PYTHON, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    channel = grpc.insecure_channel(server.stdout.readline().strip())
    found: list[dict[str, str]] = []

    def recorded(method: str) -> Any:
        call = channel.unary_unary(f"/{MASTER}/{method}")

        def answer(request: bytes, context: Any) -> bytes:
            response: bytes = call(request)
            texts = (base64.b64encode(data).decode() for data in (request, response))
            found.append(dict(zip(("method", "request", "response"), (method, *texts))))
            return response

        return grpc.unary_unary_rpc_method_handler(answer)

    proxy = grpc.server(Threads())
    handlers = {name: recorded(name) for name in MASTER_METHODS}
    proxy.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(MASTER, handlers),))
    port = proxy.add_insecure_port("127.0.0.1:0")
    proxy.start()
    subprocess.run([PYTHON, "-c", CLIENT, f"localhost:{port}"], check=True)
    server.kill()
    path = Path(__file__).with_name("wire_1.15.5.json")
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
