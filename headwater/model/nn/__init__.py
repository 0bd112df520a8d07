"""Compositions of tf.nn: functions without an op type of their own."""
