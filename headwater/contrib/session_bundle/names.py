"""`tf.contrib.session_bundle.constants`: the names of files, collections and signatures."""

from __future__ import annotations

from typing import Final

from headwater.base.export import export_module, export_value
from headwater.protos import manifest_pb2

ASSETS_DIRECTORY: Final = "assets"
ASSETS_KEY: Final = "serving_assets"
CLASSIFICATION_SIGNATURE: Final = "classification_signature"
EXPORT_BASE_NAME: Final = "export"
EXPORT_SUFFIX_NAME: Final = "meta"
GENERIC_SIGNATURE: Final = "generic_signature"
GRAPH_KEY: Final = "serving_graph"
INIT_OP_KEY: Final = "serving_init_op"
META_GRAPH_DEF_FILENAME: Final = "export.meta"
REGRESSION_SIGNATURE: Final = "regression_signature"
SIGNATURES_KEY: Final = "serving_signatures"
VARIABLES_FILENAME: Final = "export"
VARIABLES_FILENAME_PATTERN: Final = "export-?????-of-?????"
VARIABLES_FILENAME_PATTERN_V2: Final = "export.data-?????-of-?????"
VARIABLES_INDEX_FILENAME_V2: Final = "export.index"
VERSION_FORMAT_SPECIFIER: Final = "%08d"

for _name in [name for name in globals() if name.isupper()]:
    export_value(f"contrib.session_bundle.constants.{_name}", globals()[_name])

export_module("contrib.session_bundle.manifest_pb2", manifest_pb2)
