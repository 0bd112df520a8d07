# case: string_join nodes and shapes
show(tf.string_join(["a", ["b", "c"]], "-"))
nodes()
# case: string_join of wrong shapes
tf.string_join([["a"], ["b", "c"]], "-")
# case: reduce_join
show(tf.reduce_join([["a", "b"], ["c", "d"]], 0), tf.reduce_join([["a", "b"], ["c", "d"]]))
show(tf.reduce_join([["a", "b"], ["c", "d"]], [1, 0], keep_dims=True, separator="."))
nodes()
# case: reduce_join along an axis out of range
tf.reduce_join([["a", "b"], ["c", "d"]], 2)
# case: unsorted_segment_join
show(tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 3, "-"))
# case: string_split
r = tf.string_split(["a b", "c", "", "  d "])
show(r.indices, r.values, r.dense_shape)
r = tf.string_split(["a.b,c,,d"], ".,", skip_empty=False)
show(r.indices, r.values, r.dense_shape)
r = tf.strings.split(["a<>b<>", "c", "", "<><>d "], "<>", maxsplit=1)
show(r.indices, r.values, r.dense_shape)
nodes()
# case: string_split of a scalar
tf.string_split("abc")
# case: substr
show(tf.substr(["hello", "world"], [1, -2], [3, 9]))
show(tf.substr([["hello"], ["world"]], [1, 2], [3, 1]))
show(tf.strings.substr(b"h\xc3\xa9\xe2\x82\xacllo", -4, 3, unit="UTF8_CHAR"))
# case: substr behind the end
with tf.Session() as s:
    s.run(tf.substr(["hello", "w"], 3, 2))
# case: length, strip, case
show(tf.strings.length(["abc", b"\xc3\xa9\xe2\x82\xac"], unit="UTF8_CHAR"))
show(tf.string_strip([" a b \n", "\t\x0b\x0c\rx"]), tf.strings.lower(["ABC"]))
show(tf.strings.upper([b"abc\xc3\xa9\xc3\x9f"], encoding="utf-8"))
# case: hash buckets
words = ["abcdefghij"[: i % 11] * (1 + i // 4) for i in range(60)]
show(tf.string_to_hash_bucket(words, 2**62))
show(tf.string_to_hash_bucket_fast(words, 2**62))
show(tf.string_to_hash_bucket_strong(words, 2**62, [123, 456]))
show(tf.fingerprint(words), tf.fingerprint([[1, 2], [3, 4]]), tf.fingerprint([["a", "b"]]))
nodes()
# case: as_string
x = np.array([0.5, -1.25, 1e10, np.inf, -np.inf, np.nan, 1e-5], np.float32)
for kw in (
    dict(),
    dict(precision=2),
    dict(scientific=True),
    dict(shortest=True),
    dict(width=12, fill="0"),
    dict(width=12, fill="-"),
    dict(width=12, fill="+", precision=1),
    dict(fill=" "),
):
    show(tf.as_string(x, **kw))
show(tf.as_string(np.array([1, -2, 300], np.int64), width=6, fill="0"), tf.as_string([True]))
show(tf.as_string(np.array([1 + 2j], np.complex64)))
# case: as_string with a precision of integers
with tf.Session() as s:
    s.run(tf.as_string([1], precision=2))
# case: string_to_number
show(tf.string_to_number(["1.5", " -2e3 ", "inf", "0x10", "16777217.0000001"]))
show(tf.string_to_number([" -12 ", "2147483648"], tf.int64))
# case: string_to_number of no number
with tf.Session() as s:
    s.run(tf.string_to_number(["1.5", "abc"]))
# case: base64
show(tf.encode_base64(["a", "ab", b"\xff\xfe"], pad=True), tf.decode_base64(["YQ", "YWI="]))
# case: base64 of a wrong letter
with tf.Session() as s:
    s.run(tf.decode_base64("Y Q="))
# case: regular expressions
for pattern, rewrite in (
    ("[0-9]+", "#"),
    ("(a)(b)", r"\2\1\0"),
    ("x*", "-"),
    ("(?i)A", "-"),
    (r"\b", "|"),
    ("b$", "-"),
    (r"[[:alpha:]]", "<\\0>"),
    (r"a|(?i)B|c", "-"),
    (r"\pL", "-"),
    (r"(?U)a+", "-"),
    (r"\Q.\E", "-"),
):
    show(tf.regex_replace(["a1b22", "abxd", "a.b\n", b"\xc3\xa9", "aaa"], pattern, rewrite))
show(tf.strings.regex_full_match(["abc", "ab", "abcd"], "abc|ab"))
# case: a regular expression with a backreference
with tf.Session() as s:
    s.run(tf.regex_replace(["abc"], r"(a)\1", "-"))
# case: a regular expression without its end
with tf.Session() as s:
    s.run(tf.regex_replace(["abc"], "[a", "-"))
# case: decode_raw
show(tf.decode_raw(["abcd", "efgh"], tf.int16), tf.decode_raw(["abcd"], tf.int16, False))
# case: decode_raw of different lengths
with tf.Session() as s:
    s.run(tf.decode_raw(["abc", "ab"], tf.uint8))
# case: serialized tensors
show(tf.serialize_tensor([[1, 2], [3, 4]]), tf.serialize_tensor(["a", "bc"]))
show(tf.parse_tensor(tf.serialize_tensor([1.5, 2.5]), tf.float32))
# case: a serialized tensor of another type
with tf.Session() as s:
    s.run(tf.parse_tensor(tf.serialize_tensor([1]), tf.float32))
# case: format
show(tf.strings.format("a {} b {}", (tf.range(10), tf.constant([["x"], ["y"]]))))
show(tf.strings.format("{}", tf.reshape(tf.range(24), [2, 3, 4]), summarize=1))
# case: unicode
text = b"h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xffa\x01"
show(tf.strings.unicode_decode(text, "UTF-8"))
show(*tf.strings.unicode_decode_with_offsets(text, "UTF-8", replace_control_characters=True))
show(tf.strings.unicode_transcode([text], "UTF-8", "UTF-16-BE", errors="ignore"))
show(tf.strings.unicode_script([97, 945, 0x4E00, 0x3042, 0x410, -1, 0x110000]))
