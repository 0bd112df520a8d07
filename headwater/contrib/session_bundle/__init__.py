"""`tf.contrib.session_bundle`: exports of the time before SavedModel."""

ON_DEMAND = (
    "contrib.learn.utils.gc",
    "contrib.session_bundle",
    "contrib.session_bundle.bundle_shim",
    "contrib.session_bundle.exporter",
    "contrib.session_bundle.gc",
    "contrib.session_bundle.session_bundle",
)
