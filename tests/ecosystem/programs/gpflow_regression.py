"""GPflow 1.5: Gaussian process regression, hyperparameters by SciPy and by Adam."""

import json
import os
import tempfile

import gpflow
import numpy as np

rng = np.random.RandomState(0)
x = rng.rand(20, 1)
y = np.sin(6 * x) + 0.1 * rng.randn(20, 1)
with gpflow.defer_build():
    model = gpflow.models.GPR(x, y, kern=gpflow.kernels.Matern52(1, lengthscales=0.3))
    model.likelihood.variance = 0.01
model.compile()
start = model.compute_log_likelihood()
gpflow.train.ScipyOptimizer().minimize(model, maxiter=50)
end = model.compute_log_likelihood()
assert end > start
mean, variance = model.predict_y(np.linspace(0, 1, 5)[:, None])
np.testing.assert_allclose(mean[2], np.sin(3.0), atol=0.3)

sparse = gpflow.models.SVGP(
    x, y, gpflow.kernels.RBF(1), gpflow.likelihoods.Gaussian(), Z=x[:5].copy(), num_latent=1
)
before = sparse.compute_log_likelihood()
gpflow.train.AdamOptimizer(0.01).minimize(sparse, maxiter=50)
after = sparse.compute_log_likelihood()
assert after > before
path = os.path.join(tempfile.mkdtemp(), "model")
gpflow.saver.Saver().save(path, sparse)
values = sparse.read_values()
print(
    json.dumps(
        {
            "start": float(start),
            "end": float(end),
            "mean": mean.ravel().tolist(),
            "variance": variance.ravel().tolist(),
            "before": float(before),
            "after": float(after),
            "names": sorted(values),
        }
    )
)
