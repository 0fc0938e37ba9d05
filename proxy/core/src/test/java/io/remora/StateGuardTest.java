package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.StateGuard.State;
import io.remora.config.model.LogLevel;
import io.remora.log.Log;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

/** The guard itself: it sees what a test class would leave to the next one. */
final class StateGuardTest {
    private final State before = State.now();

    @Test
    void classBeginsWithTheLevelOfANewProcess() {
        assertThat(Log.level()).isEqualTo(LogLevel.INFO);
    }

    @Test
    void nothingIsChanged() {
        assertThat(before.changes(State.now())).isEmpty();
    }

    @Test
    void changesAreNamed() {
        PrintStream standardError = System.err;
        Locale locale = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        try {
            System.setErr(new PrintStream(OutputStream.nullOutputStream()));
            Locale.setDefault(Locale.forLanguageTag("tr"));
            TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
            System.setProperty("remora.of-this-test", "1");
            assertThat(before.changes(State.now()))
                    .hasSize(4)
                    .contains("standard error", "the locale", "the time zone")
                    .last()
                    .asString()
                    .contains("remora.of-this-test=1");
        } finally {
            System.setErr(standardError);
            Locale.setDefault(locale);
            TimeZone.setDefault(zone);
            System.clearProperty("remora.of-this-test");
        }
        assertThat(before.changes(State.now())).isEmpty();
    }
}
