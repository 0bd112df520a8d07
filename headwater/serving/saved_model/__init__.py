"""`tf.saved_model`: graphs with their variables, signatures and assets in a folder."""

ON_DEMAND = (
    "saved_model",
    "saved_model.builder",
    "saved_model.constants",
    "saved_model.experimental",
    "saved_model.loader",
    "saved_model.main_op",
    "saved_model.signature_constants",
    "saved_model.signature_def_utils",
    "saved_model.tag_constants",
    "saved_model.utils",
)
