"""Audio: WAV files, spectrograms, and decoding by ffmpeg."""
