"""The names of `tensorflow.contrib.optimizer_v2.optimizer_v2_symbols`."""

from headwater.contrib.optimizer_v2.adadelta import AdadeltaOptimizer
from headwater.contrib.optimizer_v2.adagrad import AdagradOptimizer
from headwater.contrib.optimizer_v2.adam import AdamOptimizer
from headwater.contrib.optimizer_v2.gradient_descent import GradientDescentOptimizer
from headwater.contrib.optimizer_v2.momentum import MomentumOptimizer
from headwater.contrib.optimizer_v2.optimizer_v2 import OptimizerV2
from headwater.contrib.optimizer_v2.rmsprop import RMSPropOptimizer

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "RMSPropOptimizer",
    "OptimizerV2",
]
