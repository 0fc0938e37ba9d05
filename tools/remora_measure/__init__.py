"""Measures the proxy and judges what was measured; also checks the JVM profiles that it runs with.

The packages, from the bottom up; each uses those above it only:

- repository, errors, command_line, spread, markdown: where things lie, how a program reads its words and ends, medians with
  their ranges, tables
- machine: the kernel's figures of a process and of the host, cores, ports and processes
- systems: what is measured and its configurations, namely sidecars and the peers that they are compared with
- profiles: the files of the JVM profiles, and the images that they are for
- load: the programs that send requests, and the clocks that time them
- arms, runs, tls_runs, h2_runs, fault_runs, herd_runs: systems that are measured side by side, and a run of one of them or of many at once
- charts: descriptions of charts, and the Java program that draws them
- conformance, results: what one measurement found, and how it is reported
- canaries: the client that shows during a storm how others are served
- storms, hostile_runs, changes, flag_runs: a proxy under a memory limit, and a storm of clients let loose on it, or one kind of hostile peers; a
  sidecar that is changed under load, and one with a user's configuration and traffic
- contenders: who takes part in a comparison with bars, and how it is run and reported
- comparisons: what is compared with what, a module for each kind
- evidence: what each flag of the JVM profiles is worth
- programs: one module for each program that a user starts
- __main__: ./measure, which lists them and starts one

In all names, MB are 10^6 bytes and us are microseconds.
"""
