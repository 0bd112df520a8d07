"""Names of tensorflow.contrib that only their modules show."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.kernel_methods import mappers
from headwater.contrib.text import skip_grams
from headwater.ops.math import reduce_slices
from headwater.ops.parsing.libsvm import decode_libsvm

_SLICES = "tensorflow.contrib.reduce_slice_ops.python.ops.reduce_slice_ops"
_MAPPERS = "tensorflow.contrib.kernel_methods.python.mappers.dense_kernel_mapper"
_TEXT = "tensorflow.contrib.text.python.ops.skip_gram_ops"

internal(
    "tensorflow.contrib.libsvm.decode_libsvm",
    "tensorflow.contrib.libsvm.python.ops.libsvm_ops.decode_libsvm",
)(decode_libsvm)
for _function in (
    reduce_slices.reduce_slice_sum,
    reduce_slices.reduce_slice_prod,
    reduce_slices.reduce_slice_max,
    reduce_slices.reduce_slice_min,
):
    internal(f"{_SLICES}.{_function.__name__}")(_function)
internal(f"{_TEXT}.skip_gram_sample")(skip_grams.skip_gram_sample)
internal(f"{_TEXT}.skip_gram_sample_with_text_vocab")(skip_grams.skip_gram_sample_with_text_vocab)
internal(f"{_MAPPERS}.DenseKernelMapper")(mappers.DenseKernelMapper)
internal(f"{_MAPPERS}.InvalidShapeError")(mappers.InvalidShapeError)
