"""`tf.contrib.session_bundle`: exports of the time before SavedModel."""

# The public modules below it have their names once it is loaded.
ON_DEMAND = ("contrib.session_bundle",)
