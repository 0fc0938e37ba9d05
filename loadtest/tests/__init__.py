"""The tests of what is below footprint/, with real processes."""
