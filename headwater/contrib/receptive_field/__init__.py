"""`tf.contrib.receptive_field`: which part of an image an output of a network depends on."""

ON_DEMAND = ("contrib.receptive_field", "contrib.receptive_field.receptive_field_api")
