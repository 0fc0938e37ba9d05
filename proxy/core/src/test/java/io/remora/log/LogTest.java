package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.logging.InternalLogger;
import io.remora.config.model.LogLevel;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LogTest {
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ";

    private final List<String> writes = new ArrayList<>();
    private final PrintStream before = System.err;
    private final LogLevel levelBefore = Log.level();

    @BeforeEach
    void capture() {
        System.setErr(new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        writes.add(Character.toString(b));
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        writes.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
                    }
                },
                true));
        Log.level(LogLevel.INFO);
    }

    @AfterEach
    void restore() {
        System.setErr(before);
        Log.level(levelBefore);
    }

    @Test
    void aLineIsOneWrite() {
        Log.info("listening on 127.0.0.1:8080");
        assertThat(writes).singleElement().asString().matches(TIME + "INFO listening on 127\\.0\\.0\\.1:8080\n");
    }

    @Test
    void whatIsBelowTheLevelIsNotWritten() {
        Log.debug("a");
        Log.level(LogLevel.ERROR);
        Log.warn("b");
        Log.error("c");
        Log.level(LogLevel.DEBUG);
        Log.debug("d");
        assertThat(writes).hasSize(2);
        assertThat(writes.get(0)).matches(TIME + "ERROR c\n");
        assertThat(writes.get(1)).matches(TIME + "DEBUG d\n");
    }

    @Test
    void aMessageCannotForgeALine() {
        Log.info("a\r\n2026-01-01 ERROR b\t\0\u001b[2J\u007f\u0085\u2028\u202e\u2066 gr\u00fc\u00dfe \u65e5");
        assertThat(writes)
                .singleElement()
                .asString()
                .endsWith("INFO a\\r\\n2026-01-01 ERROR b\\t\\u0000\\u001b[2J\\u007f\\u0085\\u2028\\u202e\\u2066"
                        + " gr\u00fc\u00dfe \u65e5\n")
                .hasLineCount(1);
    }

    @Test
    void nettyWarnsAndErrsHereAndIsQuieterOtherwise() {
        InternalLogger netty = new NettyLogger("io.netty.Some");
        netty.error("LEAK: {} was not\nreleased {}", "a buffer", 3);
        netty.warn("failed", new IllegalStateException("why"));
        netty.warn("closing {}", "it", new IllegalStateException("why"));
        netty.info("not now");
        netty.debug("never");
        Log.level(LogLevel.DEBUG);
        netty.info("now {} {} {}", 1, 2, 3);
        netty.debug("never");
        netty.trace("never");
        assertThat(writes).hasSize(4);
        assertThat(writes.get(0)).matches(TIME + "ERROR netty: LEAK: a buffer was not\\\\nreleased 3\n");
        assertThat(writes.get(1))
                .matches(TIME + "WARN netty: failed: java\\.lang\\.IllegalStateException: why at .*LogTest.*\n");
        assertThat(writes.get(2)).contains("WARN netty: closing it: java.lang.IllegalStateException: why at ");
        assertThat(writes.get(3)).matches(TIME + "DEBUG netty: now 1 2 3\n");
        assertThat(netty.isDebugEnabled()).isFalse();
        assertThat(netty.isInfoEnabled()).isTrue();
        assertThat(netty.isErrorEnabled()).isTrue();
    }

    @Test
    void anExceptionThatIsWrittenInTheTextIsNotRepeated() {
        Object argument = new IllegalStateException("why");
        new NettyLogger("io.netty.Some").warn("failed: {}", argument);
        assertThat(writes)
                .singleElement()
                .asString()
                .endsWith("WARN netty: failed: java.lang.IllegalStateException: why\n");
    }
}
