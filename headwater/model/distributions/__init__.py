"""Probability distributions, `tf.distributions`; imported when a program asks for a name."""

from __future__ import annotations

from typing import Final

from headwater.base.export import export_lazy

# Module of this folder -> names below tf.distributions and tf.contrib.distributions.
PUBLIC_NAMES: Final[dict[str, str]] = {
    "bernoulli": "Bernoulli",
    "beta": "Beta",
    "categorical": "Categorical",
    "dirichlet": "Dirichlet",
    "dirichlet_multinomial": "DirichletMultinomial",
    "distribution": "ReparameterizationType Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED",
    "exponential": "Exponential",
    "gamma": "Gamma",
    "kullback_leibler": "kl_divergence RegisterKL",
    "laplace": "Laplace",
    "multinomial": "Multinomial",
    "normal": "Normal",
    "student_t": "StudentT",
    "uniform": "Uniform",
}
# Module of this folder -> names below tf.contrib.distributions only.
CONTRIB_NAMES: Final[dict[str, str]] = {
    "arrays": (
        "fill_triangular fill_triangular_inverse matrix_diag_transform reduce_weighted_logsumexp "
        "softplus_inverse tridiag"
    ),
    "beta": "BetaWithSoftplusConcentration",
    "exponential": "ExponentialWithSoftplusRate",
    "gamma": "GammaWithSoftplusConcentrationRate",
    "laplace": "LaplaceWithSoftplusScale",
    "normal": "NormalWithSoftplusScale",
    "student_t": "StudentTWithAbsDfSoftplusScale",
    "transformed_distribution": "TransformedDistribution",
}
# Module of this folder -> names below tf.contrib.distributions.bijectors.
BIJECTORS: Final[dict[str, str]] = {
    "bijector": "Bijector Identity",
}

for _path, _table in (
    ("distributions", PUBLIC_NAMES),
    ("contrib.distributions", PUBLIC_NAMES),
    ("contrib.distributions", CONTRIB_NAMES),
    ("contrib.distributions.bijectors", BIJECTORS),
):
    for _module, _names in _table.items():
        for _name in _names.split():
            export_lazy(f"{_path}.{_name}", f"{__name__}.{_module}", _name)

ON_DEMAND = ("distributions", "contrib.distributions", "contrib.distributions.bijectors")
