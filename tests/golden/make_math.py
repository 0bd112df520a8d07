"""Writes math.json.gz and linalg.json.gz: results of math and linalg functions in TensorFlow.

Run it under TensorFlow 1.15: `python make_math.py [math | linalg] [family ...]`. The cases stand
in math_cases.txt and linalg_cases.txt; make_array.py says what a case is and what is recorded.
"""

import gzip
import json
import sys

import make_array


def main(subjects, names):
    import tensorflow as tf

    make_array.make_ndarray = tf.make_ndarray
    tf.logging.set_verbosity(tf.logging.ERROR)
    runner = make_array.Runner(tf)
    for subject in subjects:
        families = make_array.read_cases(make_array.FOLDER / (subject + "_cases.txt"))
        path = make_array.FOLDER / (subject + ".json.gz")
        results = json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}
        for family, cases in families.items():
            if not names or family in names:
                results[family] = [runner.run(c) for c in cases if make_array.usable(runner, c)]
        results = {family: results[family] for family in families if family in results}
        text = json.dumps(results, separators=(",", ":"))
        path.write_bytes(make_array._gz(text))


if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if name in ("math", "linalg")]
    main(chosen or ["math", "linalg"], [name for name in sys.argv[1:] if name not in chosen])
