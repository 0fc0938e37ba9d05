package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.LogLevel;
import io.remora.log.Log;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FinagleLogTest {
    private final PrintStream standardError = System.err;
    private final LogLevel level = Log.level();
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();

    @BeforeEach
    void record() {
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        Log.level(LogLevel.DEBUG);
    }

    @AfterEach
    void restore() {
        System.setErr(standardError);
        Log.level(level);
    }

    private String line(@Nullable String logger, Level of, @Nullable Throwable thrown) {
        LogRecord record = new LogRecord(of, "what it says");
        record.setLoggerName(logger);
        record.setThrown(thrown);
        new FinagleLog().publish(record);
        return lines.toString(StandardCharsets.UTF_8);
    }

    /** ZooKeeper's client warns of each attempt to reach a server: who has a session says so once. */
    @ParameterizedTest
    @CsvSource({
        "com.twitter.finagle, SEVERE, WARN",
        "com.twitter.finagle, WARNING, WARN",
        "com.twitter.finagle, INFO, DEBUG",
        "'', WARNING, WARN",
        "com.twitter.jvm.Hotspot, WARNING, DEBUG",
        "org.apache.zookeeper.ClientCnxn, SEVERE, WARN",
        "org.apache.zookeeper.ClientCnxn, WARNING, DEBUG",
        "org.apache.zookeeper.ClientCnxn, INFO, DEBUG",
    })
    void takesWarningsForSuch(String logger, String of, String as) {
        assertThat(line(logger, Level.parse(of), null)).endsWith(" " + as + " finagle: what it says\n");
    }

    @Test
    void namesWhatWasThrown() {
        assertThat(line("com.twitter.finagle", Level.WARNING, new IllegalStateException("why")))
                .endsWith(" WARN finagle: what it says: java.lang.IllegalStateException: why\n");
    }

    @Test
    void takesNobodysForDebug() {
        assertThat(line(null, Level.SEVERE, null)).endsWith(" DEBUG finagle: what it says\n");
    }
}
