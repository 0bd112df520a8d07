"""Sound: WAV files, spectrograms, and what ffmpeg reads."""
