"""Control flow as nodes: contexts say to which branch or loop an op belongs.

A branch is the ops between Switch and Merge nodes, a loop those between Enter and Exit nodes. While
a context is entered, it makes the values that new ops take from outside known inside.
"""
