"""Writes sequence_training.json: what TensorFlow computes when it trains sequence_models.py.

Run it with the Python of TensorFlow 1.15.5.
"""

import json
from pathlib import Path

import tensorflow as tf
from sequence_models import MODELS


def main():
    golden = {}
    for name, model in sorted(MODELS.items()):
        with tf.Graph().as_default():
            golden[name] = model(tf)
    Path(__file__).with_name("sequence_training.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
