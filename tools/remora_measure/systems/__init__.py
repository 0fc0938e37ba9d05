"""The systems that are measured: the sidecar as its users start it, a herd of them, and the proxies it is compared with."""
