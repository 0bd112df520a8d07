"""Linear Gaussian models whose state is followed by a Kalman filter."""
