"""`tf.contrib.bayesflow.special_math`: the distribution function of the standard normal."""

from headwater.base.export import export, export_value
from headwater.model.distributions.special_math import (
    LOGNDTR_FLOAT32_LOWER,
    LOGNDTR_FLOAT32_UPPER,
    LOGNDTR_FLOAT64_LOWER,
    LOGNDTR_FLOAT64_UPPER,
    log_ndtr,
    ndtr,
)

_PATH = "contrib.bayesflow.special_math"

export("contrib.bayesflow.special_math.log_ndtr")(log_ndtr)
export("contrib.bayesflow.special_math.ndtr")(ndtr)
export_value(f"{_PATH}.LOGNDTR_FLOAT32_LOWER", LOGNDTR_FLOAT32_LOWER)
export_value(f"{_PATH}.LOGNDTR_FLOAT32_UPPER", LOGNDTR_FLOAT32_UPPER)
export_value(f"{_PATH}.LOGNDTR_FLOAT64_LOWER", LOGNDTR_FLOAT64_LOWER)
export_value(f"{_PATH}.LOGNDTR_FLOAT64_UPPER", LOGNDTR_FLOAT64_UPPER)
