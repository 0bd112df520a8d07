"""`tf.contrib.slim`: short definitions of networks, their training and evaluation, and their input.

Layers, losses, metrics and variables are those of `tf.contrib.layers`, `losses`, `metrics` and
`framework`, under the name of this package too.
"""

ON_DEMAND = (
    "contrib.slim",
    "contrib.slim.data_decoder",
    "contrib.slim.data_provider",
    "contrib.slim.dataset",
    "contrib.slim.dataset_data_provider",
    "contrib.slim.nets",
    "contrib.slim.nets.inception",
    "contrib.slim.parallel_reader",
    "contrib.slim.prefetch_queue",
    "contrib.slim.tfexample_decoder",
)
