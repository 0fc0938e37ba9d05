package io.remora.testkit;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The standard error of this process during a test, which is where a sidecar in it logs. */
public final class StandardError implements BeforeEachCallback, AfterEachCallback {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    @Override
    public void beforeEach(ExtensionContext test) {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    @Override
    public void afterEach(ExtensionContext test) {
        System.setErr(before);
    }

    /** Returns what has been written so far. */
    public String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    /** Returns the lines that have been written so far. */
    public Stream<String> lines() {
        return text().lines();
    }
}
