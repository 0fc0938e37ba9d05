package io.remora.testkit;

import java.util.List;

/**
 * The beginning of a command line whose process handles the signals of an operator, in a shell that ignores some as well:
 * {@code nohup} ignores SIGHUP, a script's {@code &} SIGINT and SIGQUIT, children inherit that, and a JVM installs no handler
 * for a signal that is ignored.
 */
public final class DefaultSignals {
    /** The process keeps its id, as {@code env} becomes the program. */
    public static final List<String> ENV = List.of("env", "--default-signal=HUP,INT,QUIT,TERM");

    private DefaultSignals() {}
}
