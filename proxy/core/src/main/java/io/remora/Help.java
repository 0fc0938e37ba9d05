package io.remora;

/** The text of {@code remora help}, which docs/command-line.md contains. Cost: loaded only where it is printed. */
final class Help {
    static final String TEXT = """
        usage: remora run [--rps N] [--engine E] [--takeover] [--health ADDRESS] [--admin ADDRESS] [--app-probes JSON] [--log-level L] --config FILE
               remora check [--engine E] FILE
               remora injector --config FILE
               remora schema
               remora version
               remora inject [--undo] [--config FILE] [--namespace NAME] FILE
               remora bundle [--list] [--yes] [--time T] [--interval T] [--log FILE] [--out PLACE] [ADDRESS]
               remora advise [--patch] [ADDRESS]
               remora compile-log [--json] [--html FILE] [--latency FILE] [--tag TAG] [--from N] [--to N] [--top N] FILE ...
               remora profile [--cpu 30s | --wall 30s | --alloc 30s | --lock 30s | --kernel 30s] [--slow 10s] [--hz N] [--bytes N] [--format F] [--out FILE] [ADDRESS]
               remora flame [--diff BEFORE] [--unit U] [--out FILE] FILE
               remora ready | live | get PAGE | wait | drain | shutdown
               remora heap histogram | dump
               remora compiler-events | long-turns [TIME]
               remora native-memory [baseline | diff]
               remora recording [start | stop | discard | dump | stream]

          run                start the sidecar
          check              validate a configuration, and report each problem as FILE:LINE:COLUMN; bind no port
          injector           serve the webhook of Kubernetes that adds the sidecar to pods
          schema             print the JSON Schema of the configuration, for editors
          version            print the version of Remora and of Java
          inject             add the sidecar to the pods of Kubernetes manifests; '-' reads standard input
          bundle             write a support bundle of the running sidecar at ADDRESS, without secrets
          advise             print the smallest profile and limit that would have held for the sidecar at ADDRESS
          compile-log        report what the JIT compilers did, from HotSpot's compilation log; '-' reads standard input
          profile            take a profile of the running sidecar whose admin listener has this address
          flame              convert a profile of collapsed stacks to the format that FILE ends with, or list its frames
          ready              like live, get, wait, drain and shutdown: query or control a running sidecar, without a JVM
          heap               count the objects in the heap of a running sidecar, or dump them to a file at the sidecar
          compiler-events    show what the JIT compilers of a running sidecar do, for 10s by default
          long-turns         show what holds the event loops of a running sidecar for 50ms or more, for 10s by default
          native-memory      show the memory of the JVM by purpose, keep that as a baseline, or compare with it
          recording          start, stop or read the flight recording of a running sidecar, or show its state
          --config FILE      the configuration file; '-' reads standard input
          --rps N            the expected number of requests per second, by which the launcher selects the JVM profile
          --engine E         netty or finagle, instead of the engine in the configuration
          --takeover         take over the sockets of the running sidecar
          --health ADDRESS   the address of the health listener, instead of the one in the configuration
          --admin ADDRESS    the loopback address of the admin listener, instead of the one in the configuration
          --app-probes JSON  the probes of the applications in the pod, which injection writes
          --log-level L      debug, info, warn or error, instead of the log level in the configuration
          --cpu TIME         the seconds of a profile of CPU time, such as 30s
          --wall TIME        the seconds of a profile of all threads, whether they run or wait
          --alloc TIME       the seconds of a profile of allocated bytes
          --lock TIME        the seconds of a profile of waits for monitors
          --kernel TIME      the seconds of a profile of CPU time with the functions of the kernel, if the kernel permits perf events
          --slow TIME        the seconds of the highest latency that the profile compares with the rest of its time
          --hz N             the samples per second of each thread, of its CPU time (100) or with --wall (20)
          --bytes N          the bytes that a thread allocates between two samples of --alloc (65536)
          --format F         collapsed, html, svg, pprof, jfr or top; without it, the one that the name of FILE ends with
          --diff BEFORE      compare with an earlier profile: what has grown is red, and comes first in the list
          --unit U           the unit of the counts in FILE: samples, bytes or ns
          --undo             remove the sidecar from the manifests
          --out PLACE        the profile, such as flame.html or cpu.pb.gz; or the bundle: a FILE.tar.gz, a directory, or '-'
          --list             list what the bundle will have, and write nothing
          --yes              write without a question
          --time T           the time in which metrics are read; 10m by default, 0s reads them once
          --interval T       the time between two readings of metrics; 15s by default
          --log FILE         the file with the log of the sidecar, which does not keep it
          --patch            print the patch of the pod's annotations alone
          --tls-trust FILE   the certificates by which the admin listener is verified, if it has TLS
          --tls-chain FILE   the certificate that the command shows, with its issuers
          --tls-key FILE     the key of this certificate
          --tls-name NAME    the name in the certificate of the admin listener, instead of the host in ADDRESS
          --json             write the report of compile-log as JSON
          --html FILE        also write the report as an HTML page with a time line
          --latency FILE     compare with a latency log, which /latency.hlog returns
          --tag TAG          the tag in the latency log, instead of all that end in .total
          --from N           the first second to report, since the start of the VM
          --to N             the second at which the report ends
          --top N            the number of rows in each table\
        """;

    private Help() {}
}
