"""The names of files, collections, tags and signatures of SavedModels."""

from __future__ import annotations

from typing import Final

from headwater.base.export import export_value

ASSETS_DIRECTORY: Final = "assets"
ASSETS_KEY: Final = "saved_model_assets"
EXTRA_ASSETS_DIRECTORY: Final = "assets.extra"
INIT_OP_SIGNATURE_KEY: Final = "__saved_model_init_op"
LEGACY_INIT_OP_KEY: Final = "legacy_init_op"
MAIN_OP_KEY: Final = "saved_model_main_op"
SAVED_MODEL_FILENAME_JSON: Final = "saved_model.json"
SAVED_MODEL_FILENAME_PB: Final = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT: Final = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION: Final = 1
TRAIN_OP_KEY: Final = "saved_model_train_op"
TRAIN_OP_SIGNATURE_KEY: Final = "__saved_model_train_op"
VARIABLES_DIRECTORY: Final = "variables"
VARIABLES_FILENAME: Final = "variables"

CLASSIFY_INPUTS: Final = "inputs"
CLASSIFY_METHOD_NAME: Final = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES: Final = "classes"
CLASSIFY_OUTPUT_SCORES: Final = "scores"
DEFAULT_EVAL_SIGNATURE_DEF_KEY: Final = "eval"
DEFAULT_SERVING_SIGNATURE_DEF_KEY: Final = "serving_default"
DEFAULT_TRAIN_SIGNATURE_DEF_KEY: Final = "train"
PREDICT_INPUTS: Final = "inputs"
PREDICT_METHOD_NAME: Final = "tensorflow/serving/predict"
PREDICT_OUTPUTS: Final = "outputs"
REGRESS_INPUTS: Final = "inputs"
REGRESS_METHOD_NAME: Final = "tensorflow/serving/regress"
REGRESS_OUTPUTS: Final = "outputs"
SUPERVISED_EVAL_METHOD_NAME: Final = "tensorflow/supervised/eval"
SUPERVISED_TRAIN_METHOD_NAME: Final = "tensorflow/supervised/training"

EVAL: Final = "eval"
GPU: Final = "gpu"
SERVING: Final = "serve"
TPU: Final = "tpu"
TRAINING: Final = "train"

# Public module below tf.saved_model -> the constants that stand there and in tf.saved_model.
_PUBLIC: Final[dict[str, dict[str, object]]] = {
    "constants": {
        "ASSETS_DIRECTORY": ASSETS_DIRECTORY,
        "ASSETS_KEY": ASSETS_KEY,
        "LEGACY_INIT_OP_KEY": LEGACY_INIT_OP_KEY,
        "MAIN_OP_KEY": MAIN_OP_KEY,
        "SAVED_MODEL_FILENAME_PB": SAVED_MODEL_FILENAME_PB,
        "SAVED_MODEL_FILENAME_PBTXT": SAVED_MODEL_FILENAME_PBTXT,
        "SAVED_MODEL_SCHEMA_VERSION": SAVED_MODEL_SCHEMA_VERSION,
        "VARIABLES_DIRECTORY": VARIABLES_DIRECTORY,
        "VARIABLES_FILENAME": VARIABLES_FILENAME,
    },
    "signature_constants": {
        "CLASSIFY_INPUTS": CLASSIFY_INPUTS,
        "CLASSIFY_METHOD_NAME": CLASSIFY_METHOD_NAME,
        "CLASSIFY_OUTPUT_CLASSES": CLASSIFY_OUTPUT_CLASSES,
        "CLASSIFY_OUTPUT_SCORES": CLASSIFY_OUTPUT_SCORES,
        "DEFAULT_SERVING_SIGNATURE_DEF_KEY": DEFAULT_SERVING_SIGNATURE_DEF_KEY,
        "PREDICT_INPUTS": PREDICT_INPUTS,
        "PREDICT_METHOD_NAME": PREDICT_METHOD_NAME,
        "PREDICT_OUTPUTS": PREDICT_OUTPUTS,
        "REGRESS_INPUTS": REGRESS_INPUTS,
        "REGRESS_METHOD_NAME": REGRESS_METHOD_NAME,
        "REGRESS_OUTPUTS": REGRESS_OUTPUTS,
    },
    "tag_constants": {"GPU": GPU, "SERVING": SERVING, "TPU": TPU, "TRAINING": TRAINING},
}

for _module, _values in _PUBLIC.items():
    for _name, _value in _values.items():
        export_value(f"saved_model.{_name}", _value)
        export_value(f"saved_model.{_module}.{_name}", _value)
