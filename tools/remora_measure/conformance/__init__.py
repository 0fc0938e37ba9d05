"""The conformance test of a sidecar's footprint: its plan, its rig, its verdict and its report."""
