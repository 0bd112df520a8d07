"""Functions that also take ragged tensors; `tf.ragged` registers handlers when it is loaded."""

from __future__ import annotations

from headwater.base.dispatch import make_dispatching

OF_ONE = """
abs acos acosh add_n angle as_string asin asinh atan atanh bitwise.invert cast ceil
check_numerics clip_by_value conj cos cosh decode_base64 decode_compressed digamma encode_base64
erf erfc exp expm1 floor identity imag is_finite is_inf is_nan lgamma log log1p logical_not
log_sigmoid negative ones_like real reciprocal regex_replace rint round rsqrt saturate_cast sign
sin sinh sqrt square string_join string_strip string_to_hash_bucket string_to_hash_bucket_fast
string_to_hash_bucket_strong strings.length strings.regex_full_match strings.substr string_to_number
strings.unicode_script tan zeros_like
""".split()
OF_TWO = """
add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
bitwise.right_shift complex divide div_no_nan equal floordiv floormod greater greater_equal less
less_equal logical_and logical_or logical_xor maximum minimum multiply not_equal pow realdiv
squared_difference subtract truediv truncatediv truncatemod
""".split()
OTHERS = """
batch_gather concat dynamic_partition expand_dims gather gather_nd one_hot rank reduce_all
reduce_any reduce_join reduce_max reduce_mean reduce_min reduce_prod reduce_sum size squeeze stack
tile unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod
unsorted_segment_sqrt_n unsorted_segment_sum where
""".split()

make_dispatching([*OF_ONE, *OF_TWO, *OTHERS])
