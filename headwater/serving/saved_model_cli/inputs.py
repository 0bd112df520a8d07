"""The inputs of `run`: files of arrays, Python expressions and tf.Examples."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.io.files import read_bytes
from headwater.protos.lazy import example_pb2

_FROM_FILE = re.compile(r"([^=]+)=([^\[\]]+)(?:\[([^\[\]]+)\])?")


def preprocess_inputs_arg_string(inputs_str: str) -> dict[str, tuple[str, str | None]]:
    """Takes apart the value of `--inputs`.

    Args:
        inputs_str: `key=file` or `key=file[variable]`, separated by semicolons.

    Returns:
        The file and the name of the variable in it, or None, by key.

    Raises:
        RuntimeError: if it has another form.
    """
    found = {}
    for text in filter(None, inputs_str.split(";")):
        match = _FROM_FILE.fullmatch(text)
        if match is None:
            raise RuntimeError(
                f'--inputs "{text}" format is incorrect. Please follow"<input_key>=<filename>", '
                'or"<input_key>=<filename>[<variable_name>]"'
            )
        found[match[1]] = (match[2], match[3])
    return found


def preprocess_input_exprs_arg_string(input_exprs_str: str) -> dict[str, Any]:
    """Evaluates the value of `--input_exprs`.

    Args:
        input_exprs_str: `key=expression`, separated by semicolons; `np` is NumPy.

    Returns:
        The values of the expressions by key.

    Raises:
        RuntimeError: if it has another form.
    """
    found = {}
    for text in filter(None, input_exprs_str.split(";")):
        key, equals, expression = text.partition("=")
        if not equals:
            raise RuntimeError(
                f'--input_exprs "{input_exprs_str}" format is incorrect. Please follow'
                '"<input_key>=<python expression>"'
            )
        found[key] = eval(expression, {"np": np, "numpy": np})  # what the option is for
    return found


def preprocess_input_examples_arg_string(input_examples_str: str) -> dict[str, list[bytes]]:
    """Evaluates the value of `--input_examples`.

    Args:
        input_examples_str: `key=[{feature: values, ...}, ...]`, separated by semicolons.

    Returns:
        Serialized tf.Examples by key.

    Raises:
        ValueError: if a value is not a list of dictionaries of lists.
    """
    found = {}
    for key, examples in preprocess_input_exprs_arg_string(input_examples_str).items():
        if not isinstance(examples, list):
            raise ValueError(
                f'tf.Example input must be a list of dictionaries, but "{examples}" is '
                f"{type(examples)}"
            )
        found[key] = [_example(features) for features in examples]
    return found


def _example(features: dict[str, Any]) -> bytes:
    example = example_pb2.Example()
    for name, values in features.items():
        if not isinstance(values, list):
            raise ValueError(
                f'feature value must be a list, but {name}: "{values}" is {type(values)}'
            )
        feature = example.features.feature[name]
        first = values[0] if values else 0
        if isinstance(first, float):
            feature.float_list.value.extend(values)
        elif isinstance(first, (str, bytes)):
            feature.bytes_list.value.extend(
                value.encode() if isinstance(value, str) else value for value in values
            )
        elif isinstance(first, int):
            feature.int64_list.value.extend(values)
        else:
            raise ValueError(
                f"Type {type(first)} for value {first} is not supported for tf.train.Feature."
            )
    serialized: bytes = example.SerializeToString()
    return serialized


def load_inputs_from_input_arg_string(
    inputs_str: str | None, input_exprs_str: str | None, input_examples_str: str | None
) -> dict[str, Any]:
    """Reads the inputs that the three options name; a later one replaces an earlier one.

    Args:
        inputs_str: the value of `--inputs`.
        input_exprs_str: the value of `--input_exprs`.
        input_examples_str: the value of `--input_examples`.

    Returns:
        The inputs by key.

    Raises:
        RuntimeError: if a value is of another form, or a file does not have the variable.
        ValueError: if examples are of another form.
        OpError: of the class that fits, if a file cannot be read.
    """
    files = preprocess_inputs_arg_string(inputs_str or "")
    expressions = preprocess_input_exprs_arg_string(input_exprs_str or "")
    examples = preprocess_input_examples_arg_string(input_examples_str or "")
    found = {key: _array_in_file(*place) for key, place in files.items()}
    for option, values in (("--input_exprs", expressions), ("--input_examples", examples)):
        for key in values:
            if key in found:
                logging.warning(
                    "input_key %s has been specified before. Value in %s will be used.", key, option
                )
        found.update(values)
    return found


def _array_in_file(filename: str, variable: str | None) -> Any:
    data = np.load(io.BytesIO(read_bytes(filename)), allow_pickle=True)
    if isinstance(data, np.ndarray):
        if variable:
            logging.warning(
                'Input file %s contains a single ndarray. Name key "%s" ignored.',
                filename,
                variable,
            )
        return data
    if variable:
        if variable not in data:
            raise RuntimeError(
                f'Input file {filename} does not contain variable with name "{variable}".'
            )
        return data[variable]
    if isinstance(data, np.lib.npyio.NpzFile):
        if len(data.files) != 1:
            raise RuntimeError(
                f"Input file {filename} contains more than one ndarrays. Please specify the name "
                "of ndarray to use."
            )
        return data[data.files[0]]
    return data
