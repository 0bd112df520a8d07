"""`tf.contrib.ffmpeg`: audio and video decoded by the program ffmpeg."""

ON_DEMAND = ("contrib.ffmpeg",)
