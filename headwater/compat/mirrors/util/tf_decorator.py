"""tensorflow.python.util.tf_decorator."""

from headwater.base.decorators import TFDecorator, make_decorator, rewrap, unwrap

__all__ = ["TFDecorator", "make_decorator", "rewrap", "unwrap"]
