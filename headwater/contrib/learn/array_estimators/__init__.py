"""The estimators of releases 0.8 to 0.11, which take arrays as those of scikit-learn do."""
