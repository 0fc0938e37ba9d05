"""Whole measurements at a small scale, which take minutes."""
