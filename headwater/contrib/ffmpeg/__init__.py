"""`tf.contrib.ffmpeg`: sound and films read by the program ffmpeg."""

ON_DEMAND = ("contrib.ffmpeg",)
