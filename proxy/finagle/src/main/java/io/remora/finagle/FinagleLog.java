package io.remora.finagle;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Writes Finagle's lines in the JDK's loggers as the sidecar's own lines. Thread safe. */
final class FinagleLog extends Handler {
    /** The logger of a line that Finagle writes at every start of a JVM that is not its makers'. */
    private static final String JVM = "com.twitter.jvm";

    /** The logger of a client that warns of each attempt to reach a server, about one a second. */
    private static final String ZOOKEEPER = "org.apache.zookeeper";

    FinagleLog() {}

    /** Installs it, before the first class of Finagle is used. */
    static synchronized void install() {
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        root.setLevel(Level.INFO);
        root.addHandler(new FinagleLog());
    }

    @Override
    public void publish(LogRecord line) {
        String name = line.getLoggerName();
        Throwable thrown = line.getThrown();
        String text = "finagle: " + line.getMessage() + (thrown == null ? "" : ": " + thrown);
        Level least = name != null && name.startsWith(ZOOKEEPER) ? Level.SEVERE : Level.WARNING;
        if (line.getLevel().intValue() < least.intValue() || name == null || name.startsWith(JVM)) {
            Log.debug(LogComponent.FINAGLE, text);
        } else {
            Log.warn(LogComponent.FINAGLE, text);
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
