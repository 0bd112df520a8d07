"""Records the results of real TensorFlow for the case files.

ORACLE/bin/python tests/differential/make_golden.py [file ...]
"""

import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
import tensorflow as tf  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import running  # noqa: E402

tf.logging.set_verbosity(tf.logging.FATAL)
here = pathlib.Path(__file__).parent
for path in [pathlib.Path(p) for p in sys.argv[1:]] or sorted((here / "cases").glob("*.py")):
    cases = running.cases_of(path.read_text(encoding="utf-8"))
    golden = {title: running.outcome(tf, code, title) for title, code in cases.items()}
    target = here / "golden" / (path.stem + ".json")
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(path.stem, len(golden), "cases")
