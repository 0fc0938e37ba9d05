"""The tests of what loads, measures and judges, with real processes.

quick: what takes a minute in all, one small run of the conformance test among it; runs: whole measurements at a small scale.
"""
