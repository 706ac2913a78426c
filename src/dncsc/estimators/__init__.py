"""Estimators: scikit-learn's face. They check what the user gave, run a recipe and set attributes; no mathematics."""
