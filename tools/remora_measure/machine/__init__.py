"""The host: what the kernel reports of processes and of the machine, and how processes are started, placed and ended."""
