# case: parts of strings
def run(*xs):
    with tf.Session() as s:
        for x in xs:
            value = s.run(x)
            print(value.to_list() if hasattr(value, "to_list") else np.asarray(value).tolist())
run(tf.strings.split(["a b", "", "c"], result_type="RaggedTensor"), tf.strings.split(["a,,b"], ",", result_type="RaggedTensor"))
r = tf.strings.split(["a,x b c", "d e"], result_type="RaggedTensor")
run(r, tf.strings.split(r, ",", result_type="RaggedTensor"), tf.strings.split("a b", result_type="RaggedTensor"))
run(tf.string_split(["a b", "", "c"], result_type="RaggedTensor"), tf.strings.bytes_split(["ab", "", "c"]), tf.strings.bytes_split("ab"),
    tf.strings.bytes_split(r))
try:
    tf.strings.split(["a"], result_type="other")
except ValueError as e:
    print(e)
# case: characters
def run(*xs):
    with tf.Session() as s:
        for x in xs:
            value = s.run(x)
            print(value.to_list() if hasattr(value, "to_list") else np.asarray(value).tolist())
for texts in ("ab", ["ab", "", "c\u00e9"], [["ab", "c"], ["d", ""]], tf.ragged.constant([["ab"], [], ["c", "d"]])):
    run(tf.strings.unicode_decode(texts, "UTF-8"), tf.strings.unicode_split(texts, "UTF-8"),
        *tf.strings.unicode_decode_with_offsets(texts, "UTF-8"))
    run(*tf.strings.unicode_split_with_offsets(texts, "UTF-8"))
run(tf.strings.unicode_encode(tf.ragged.constant([[97, 98], [], [233]]), "UTF-8"),
    tf.strings.unicode_encode([[97, 98], [99, 100]], "UTF-16-BE"),
    tf.strings.unicode_encode(tf.ragged.constant([[[97, 98], []], [[233]]]), "UTF-8"))
try:
    tf.strings.unicode_decode(tf.placeholder(tf.string), "UTF-8")
except ValueError as e:
    print(e)
# case: neighbours
def run(*xs):
    with tf.Session() as s:
        for x in xs:
            value = s.run(x)
            print(value.to_list() if hasattr(value, "to_list") else np.asarray(value).tolist())
r = tf.ragged.constant([["a", "b", "c"], ["d", "e"], []])
run(tf.strings.ngrams(r, 2), tf.strings.ngrams(r, [1, 2], separator="-"), tf.strings.ngrams(["a", "b", "c"], 2),
    tf.strings.ngrams([["a", "b", "c"]], 2, pad_values=("<", ">")), tf.strings.ngrams(r, 3, pad_values="*", padding_width=1),
    tf.strings.ngrams(r, 3, preserve_short_sequences=True), tf.strings.ngrams([[["a", "b"], ["c", "d"]]], 2))
for kwargs in ({"pad_values": 3}, {"padding_width": 2}, {"pad_values": "a", "padding_width": 0}):
    try:
        tf.strings.ngrams(r, 2, **kwargs)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
