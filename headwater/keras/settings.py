"""The version of Keras."""

from headwater.base.export import export_value

KERAS_VERSION = "2.2.4-tf"
export_value("keras.__version__", KERAS_VERSION)
