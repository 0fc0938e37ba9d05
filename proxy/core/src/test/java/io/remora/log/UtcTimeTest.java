package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class UtcTimeTest {
    private static final DateTimeFormatter ISO = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter COMMON = DateTimeFormatter.ofPattern(
                    "dd/MMM/uuuu:HH:mm:ss '+0000'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter HTTP = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    @Test
    void everyDayFrom1970To2200() {
        for (long day = 0; day < 84_000; day++) {
            agreesWithJavaTime(day * 86_400_000L + day * 1_017 % 86_400_000L);
        }
    }

    @Test
    void anyMillisecondUpToTheYear9999() {
        SplittableRandom random = new SplittableRandom(42);
        long end = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();
        for (int i = 0; i < 50_000; i++) {
            agreesWithJavaTime(random.nextLong(end));
        }
        agreesWithJavaTime(end);
    }

    private static void agreesWithJavaTime(long epochMs) {
        Instant instant = Instant.ofEpochMilli(epochMs);
        StringBuilder text = new StringBuilder();
        UtcTime.appendIso(text, epochMs);
        assertThat(text).hasToString(ISO.format(instant));
        text.setLength(0);
        UtcTime.appendCommonLog(text, epochMs / 1_000);
        assertThat(text).hasToString(COMMON.format(instant));
        text.setLength(0);
        UtcTime.appendHttpDate(text, epochMs / 1_000);
        assertThat(text).hasToString(HTTP.format(instant));
    }
}
