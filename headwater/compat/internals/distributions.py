"""What tests and programs take from the modules of tf.contrib.distributions."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.distributions import scales
from headwater.contrib.distributions.elementwise_bijectors import Weibull
from headwater.contrib.distributions.located import Gumbel
from headwater.contrib.distributions.mvn import shapes_of

_OPS = "tensorflow.contrib.distributions.python.ops"
internal(f"{_OPS}.bijectors.weibull.Weibull")(Weibull)
internal(f"{_OPS}.gumbel._Gumbel")(Gumbel)
for _name, _value in {
    "make_diag_scale": scales.make_diag_scale,
    "make_tril_scale": scales.make_tril_scale,
    "shapes_from_loc_and_scale": shapes_of,
}.items():
    internal(f"{_OPS}.distribution_util.{_name}")(_value)
