"""The same programs timed in Headwater and in real TensorFlow, side by side."""
