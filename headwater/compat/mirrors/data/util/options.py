"""tensorflow.python.data.util.options: the class of which all options are."""

from headwater.data.datasets.options import OptionsBase

__all__ = ["OptionsBase"]
