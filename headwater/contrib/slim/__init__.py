"""`tf.contrib.slim`: short definitions of networks, their training and evaluation, and their input.

Layers, losses, metrics and variables are those of `tf.contrib.layers`, `losses`, `metrics` and
`framework`, under the name of this package too.
"""

ON_DEMAND = ("contrib.slim", "contrib.slim.nets", "contrib.slim.nets.inception")
