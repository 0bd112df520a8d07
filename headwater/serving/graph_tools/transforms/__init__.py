"""`TransformGraph`: rewrites GraphDefs by named transforms; one file per family of transforms.

They are TensorFlow's tensorflow.tools.graph_transforms.
"""

ON_DEMAND = ()  # for programs that import them, and for a command
