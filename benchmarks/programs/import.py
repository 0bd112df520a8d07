"""From the start of the process to the end of `import tensorflow as tf`."""

import timing
import tensorflow as tf

timing.imported()
assert tf.Session
