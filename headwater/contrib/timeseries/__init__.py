"""`tf.contrib.timeseries`: models of time series, their inputs, estimators and exports.

The files have the names of the original's modules: below
`tensorflow.contrib.timeseries.python.timeseries`, the module `x` is `x.py` of this folder.
"""

ON_DEMAND = ("contrib.timeseries", "contrib.timeseries.saved_model_utils")
