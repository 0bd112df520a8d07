"""Conversion of Python's control flow into nodes, when what decides is a tensor.

`source` finds the syntax tree of a function, `jumps` writes `return`, `break` and `continue` as
flags, `converter` makes calls of `operators` of the control flow, and `calls` converts what the
function calls. The operators look at values: only a tensor becomes `tf.cond` or `tf.while_loop`.
"""
