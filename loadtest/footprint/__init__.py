"""Measures what a sidecar costs: the conformance test, the chart by rate, the comparison with peers, and the density of a herd.

MB are 10^6 bytes, us are 10^-6 seconds.
"""
