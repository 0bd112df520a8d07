"""A program of the time with the newest pandas, Matplotlib, scikit-learn and scikit-image."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# For Python 3.11; they bring what they need.
PACKAGES = ["pandas", "matplotlib", "scikit-learn", "scikit-image"]
PROGRAM = """
import io
import matplotlib
matplotlib.use("Agg", warn=False)
import matplotlib.mlab as mlab
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from mpl_toolkits.mplot3d import Axes3D
from skimage.measure import compare_psnr, compare_ssim
from sklearn.cross_validation import KFold, train_test_split
from sklearn.datasets.samples_generator import make_blobs
from sklearn.externals import joblib
from sklearn.externals.six import string_types
from sklearn.manifold import TSNE
from sklearn.preprocessing import Imputer, OneHotEncoder
from sklearn.utils.linear_assignment_ import linear_assignment
import tensorflow as tf

frame = pd.read_csv(io.StringIO("a b c\\n1 x 1\\n2 y \\n3 z 3\\n"), " ")
assert frame.b.values.dtype == object and frame.dtypes["b"] == object
assert frame.append(frame.ix[0]).shape == (4, 3)
assert frame.append({"a": 9}, ignore_index=True).a.tolist() == [1, 2, 3, 9]
assert frame.drop("a", 1).columns.tolist() == ["b", "c"]
assert pd.concat([frame, frame], 1).shape == (3, 6)
assert frame.as_matrix(["a"]).tolist() == [[1], [2], [3]]
assert frame.fillna(method="ffill").c.tolist() == [1, 1, 3]
named = pd.DataFrame(np.eye(3), index=list("abc"), columns=list("pqr"))
assert named.ix[1, "q"] == 1 and named.ix["a":"b"].shape == (2, 3)
named.ix["d"] = 5
named.ix[0, 0] = 7
assert named.as_matrix()[:, 0].tolist() == [7, 0, 0, 5]
assert [key for key, _ in frame.iteritems()] == ["a", "b", "c"]
assert pd.rolling_mean(frame.a, 2).tolist()[1:] == [1.5, 2.5]
assert tf.Session().run(tf.string_join([tf.constant(frame.b), "!"])).tolist()[0] == b"x!"

plt.style.use("seaborn-whitegrid")
plt.hold(True)
axes = plt.figure().gca(projection="3d")
assert isinstance(axes, Axes3D)
plt.figure()
axes = plt.subplot("111", axisbg="r")
assert plt.figure().add_subplot("111")
axes.hist([1, 2, 3], normed=True)
plt.hist([1, 2], normed=1)
plt.grid(b=True)
axes.set_axis_bgcolor("b")
plt.gcf().canvas.set_window_title("x")
assert plt.cm.get_cmap("jet", 4).N == 4 and plt.cm.spectral
assert abs(mlab.normpdf(0, 0, 1) - 0.3989) < 1e-4
plt.savefig(io.BytesIO())

assert len(train_test_split(range(4), test_size=1)[0]) == 3
assert [len(test) for _, test in KFold(4, 2)] == [2, 2]
points, _ = make_blobs(10, 3, random_state=0)
model = TSNE(n_components=2, init="random", perplexity=3, n_iter=250)
assert model.fit_transform(points.astype(np.float32)).shape == (10, 2)
assert OneHotEncoder(sparse=False).fit_transform([[1], [2]]).tolist() == [[1, 0], [0, 1]]
assert Imputer().fit_transform([[1.0], [np.nan]]).tolist() == [[1], [1]]
assert linear_assignment(np.array([[2, 1], [1, 2]])).tolist() == [[0, 1], [1, 0]]
black = np.zeros((16, 16, 3))
assert compare_ssim(black, black, multichannel=True, data_range=1) == 1
assert compare_psnr(black, black + 0.1, data_range=1) > 19
print("done")
"""


@pytest.mark.ecosystem
@pytest.mark.timeout(600)
def test_old_names_of_libraries(tmp_path):
    folder = Path(os.environ.get("HEADWATER_LIBRARIES", tmp_path)) / "old-names"
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder)]
        subprocess.run([*command, *PACKAGES], check=True)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    # Behind the packages that the tests have, so that NumPy is the same.
    code = f"import sys; sys.path.append({str(folder)!r}); import runpy, headwater; "
    code += f"headwater.install(); runpy.run_path({str(program)!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout == "done\n"
