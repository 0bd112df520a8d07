"""Outcomes of cases in compact files: one .npz per family and release.

"data" is the bytes of all numeric outputs, one after the other; "index" is JSON with everything
else.
"""

import json
import zlib

import numpy as np


def checksum(case):
    """A hash of the inputs of a case, which detects changes to them."""
    total = 0
    for value in case.inputs:
        for item in value if isinstance(value, list) else [value]:
            array = getattr(item, "value", getattr(item, "bits", item))
            if isinstance(array, (np.ndarray, np.generic)):
                data = np.asarray(array)
                text = repr(data.tolist()).encode() if data.dtype.kind == "O" else data.tobytes()
                total = zlib.crc32(text, total)
    return total & 0xFFFFFF


def save(path, outcomes):
    """Writes {op: [outcome]}; an outcome's "values" are arrays."""
    data = bytearray()
    index = {}
    for op in sorted(outcomes):
        index[op] = [_packed(outcome, data) for outcome in outcomes[op]]
    text = json.dumps(index, separators=(",", ":"), sort_keys=True)
    np.savez_compressed(
        str(path),
        index=np.frombuffer(text.encode(), np.uint8),
        data=np.frombuffer(bytes(data), np.uint8),
    )


def _packed(outcome, data):
    outcome = dict(outcome)
    if "values" in outcome:
        packed = []
        for value in outcome["values"]:
            value = np.asarray(value)
            if value.dtype.kind in "OSU":
                flat = [v if isinstance(v, bytes) else str(v).encode() for v in value.ravel()]
                packed.append(["string", list(value.shape), [v.decode("latin-1") for v in flat]])
            else:
                packed.append([value.dtype.name, list(value.shape)])
                data.extend(np.ascontiguousarray(value).tobytes())
        outcome["values"] = packed
    return outcome


def load(path):
    """{op: [outcome]} as `save` was given it."""
    with np.load(str(path)) as file:
        index = json.loads(file["index"].tobytes().decode())
        data = file["data"].tobytes()
    position = 0
    for op in sorted(index):
        for outcome in index[op]:
            values = []
            for entry in outcome.get("values", ()):
                if entry[0] == "string":
                    flat = np.empty(len(entry[2]), object)
                    flat[:] = [v.encode("latin-1") for v in entry[2]]
                    values.append(flat.reshape(entry[1]))
                    continue
                dtype = np.dtype(entry[0])
                count = int(np.prod(entry[1], dtype=np.int64))
                array = np.frombuffer(data, dtype, count, position)
                position += count * dtype.itemsize
                values.append(array.reshape(entry[1]))
            if "values" in outcome:
                outcome["values"] = values
    return index
