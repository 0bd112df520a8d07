"""Records for which op types a real TensorFlow has gradients.

ORACLE/bin/python tests/golden/make_gradients.py, with release 1.15.5.
"""

import gzip
import json
import pathlib

from tensorflow.python.framework import op_def_registry, ops

HERE = pathlib.Path(__file__).resolve().parent


def main():
    # The gradients of contributed ops are registered when their package is loaded.
    from tensorflow.contrib import (  # noqa: F401
        boosted_trees,
        factorization,
        ffmpeg,
        image,
        nearest_neighbor,
        resampler,
        rnn,
        seq2seq,
        text,
    )
    from tensorflow.python.ops import while_v2  # noqa: F401

    for module in (boosted_trees, factorization, ffmpeg, image, resampler, text, nearest_neighbor):
        dir(module)

    with gzip.open(str(HERE / "opdefs-1.15.5.json.gz")) as file:
        names = sorted(row["name"] for row in json.loads(file.read().decode()))
    registered = op_def_registry.get_registered_ops()
    found = {"gradient": [], "not_differentiable": []}
    for name in names:
        if name not in registered:
            continue
        try:
            function = ops._gradient_registry.lookup(name)
        except LookupError:
            continue
        found["not_differentiable" if function is None else "gradient"].append(name)
    path = HERE / "gradients-1.15.5.json"
    path.write_text(json.dumps(found, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
