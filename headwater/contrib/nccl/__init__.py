"""`tf.contrib.nccl`: tensors of several devices combined or copied."""

ON_DEMAND = ("contrib.nccl",)
