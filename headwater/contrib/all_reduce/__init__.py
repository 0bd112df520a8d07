"""`tf.contrib.all_reduce`: sums of tensors of several devices, by rings, halving and shuffling."""

ON_DEMAND = ("contrib.all_reduce",)
