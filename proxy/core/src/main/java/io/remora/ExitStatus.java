package io.remora;

/** Exit statuses of BSD's sysexits, which docs/command-line.md lists. Cost: constants, which load no class. */
final class ExitStatus {
    /** The sidecar was stopped by a signal or by {@code POST /shutdown}, or the check found no problems. */
    static final int OK = 0;
    /** The sidecar rejected a profile, and the command printed its reason. */
    static final int REJECTED = 1;
    /** The command line or the configuration is invalid. */
    static final int USAGE = 64;
    /** An address, a name or a file is not available. */
    static final int UNAVAILABLE = 69;
    /** An internal error occurred. */
    static final int SOFTWARE = 70;
    /** The memory limit is too low for the configuration. */
    static final int UNFIT = 78;

    private ExitStatus() {}
}
