"""Records what the picture functions of SciPy 1.0.1 return, in scipy_images.json.

    PYTHON tests/golden/make_scipy_images.py

PYTHON has scipy==1.0.1 and a Pillow of at least 8.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import misc

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
from scipy_image_cases import CASES  # noqa: E402

warnings.simplefilter("ignore")


def record(call):
    try:
        value = np.asarray(call(misc))
    except Exception as error:  # what the functions raise is recorded too
        return {"error": type(error).__name__, "text": str(error)}
    return {"dtype": value.dtype.name, "value": value.tolist()}


RESULTS = {name: record(call) for name, call in CASES.items()}
TEXT = json.dumps(RESULTS, separators=(",", ":")) + "\n"
(FOLDER / "scipy_images.json").write_text(TEXT, encoding="utf-8")
