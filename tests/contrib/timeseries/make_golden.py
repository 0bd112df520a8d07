"""Records what TensorFlow 1.15.5 computes for `models.py`.

Run: ORACLES/tf-1.15.5/bin/python tests/contrib/timeseries/make_golden.py
"""

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

import models
import tensorflow as tf
from tensorflow.contrib.timeseries.python.timeseries import ar_model, math_utils
from tensorflow.contrib.timeseries.python.timeseries.state_space_models import (
    filtering_postprocessor,
    level_trend,
    periodic,
    state_space_model,
    structural_ensemble,
    varma,
)

HERE = Path(__file__).resolve().parent


def modules():
    """Returns a namespace with all names that the models use."""
    names = {"tf": tf}
    for module in (
        ar_model,
        math_utils,
        filtering_postprocessor,
        level_trend,
        periodic,
        state_space_model,
        structural_ensemble,
        varma,
    ):
        names.update(vars(module))
    return SimpleNamespace(**names)


def main():
    """Writes models.json.gz."""
    recorded = {}
    for name, with_statistics in models.cases():
        with tf.Graph().as_default():
            try:
                values = models.flat(models.outcome(modules(), name, with_statistics))
            except Exception as error:
                values = {"error": f"{type(error).__name__}: {error}"}
        recorded[f"{name}, {with_statistics}"] = values
    text = json.dumps(recorded, sort_keys=True)
    with gzip.GzipFile(HERE / "models.json.gz", "wb", mtime=0) as file:
        file.write(text.encode())


if __name__ == "__main__":
    main()
