"""`tf.contrib.specs`: networks as short expressions, such as `Cr(64, 5) | Mp(2) | Flat | Fs(10)`.

Each layer is a function of its options that gives a function of a tensor; `|` joins them.
"""

ON_DEMAND = ("contrib.specs",)
