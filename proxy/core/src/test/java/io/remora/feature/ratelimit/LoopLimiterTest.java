package io.remora.feature.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.feature.ratelimit.RateLimitConfig.By;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.metrics.Stats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests share a bucket: each has one token here. */
final class LoopLimiterTest {
    private static final long S = 1_000_000_000L;
    private static final Fields NONE = new Fields();

    private final RateLimiters limiters = new RateLimiters(new Stats(), 1, 2);

    private LoopLimiter limiter(By by, String header, int prefix) {
        RateLimitConfig config = new RateLimitConfig("each", 1, S, 1, by, header, prefix, 100);
        return new LoopLimiter(limiters.of("in", config, 0), config);
    }

    private static Fields fields(String... values) {
        Fields fields = new Fields();
        for (String value : values) {
            fields.add(FieldName.of("X-Key"), value);
        }
        return fields;
    }

    @ParameterizedTest
    @CsvSource({
        "64, 2001:db8::1, 2001:db8::2, true",
        "64, 2001:db8::1, 2001:0db8:0:0:ffff::, true",
        "64, 2001:db8::1, 2001:db8:0:1::1, false",
        "128, 2001:db8::1, 2001:db8::2, false",
        "128, 2001:db8::1, 2001:0db8::0001, true",
        "56, 2001:db8::1, 2001:db8:0:ff::1, true",
        "96, 2001:db8::1, 2001:db8::ffff:ffff, true",
        "96, 2001:db8::1, 2001:db8::1:0:0, false",
        "64, 10.0.0.1, 10.0.0.2, false",
        "32, 10.0.0.1, ::ffff:10.0.0.1, true",
        "64, '', unknown, true",
        "64, '', 10.0.0.1, false"
    })
    void aClientIsItsAddressOrItsNetwork(int prefix, String one, String other, boolean same) {
        LoopLimiter limiter = limiter(By.CLIENT, null, prefix);
        assertThat(limiter.take(NONE, one, 0)).isZero();
        assertThat(limiter.take(NONE, other, 0) > 0).isEqualTo(same);
    }

    /** More of them than a loop remembers, in turn, and again. */
    @Test
    void manyClientsHaveABucketEach() {
        LoopLimiter limiter = limiter(By.CLIENT, null, 64);
        for (int i = 0; i < 64; i++) {
            assertThat(limiter.take(NONE, "10.0.0." + i, 0)).isZero();
        }
        for (int i = 63; i >= 0; i--) {
            assertThat(limiter.take(NONE, "10.0.0." + i, 0)).isPositive();
            assertThat(limiter.take(NONE, "10.0.0." + i, S)).isZero();
            assertThat(limiter.take(NONE, "10.0.0." + i, S)).isPositive();
        }
    }

    @Test
    void aFieldsValuesAreKeys() {
        LoopLimiter limiter = limiter(By.HEADER, "x-key", 64);
        assertThat(limiter.take(fields("a"), "", 0)).isZero();
        assertThat(limiter.take(fields("A"), "", 0)).isZero();
        assertThat(limiter.take(fields("a"), "10.0.0.1", 0)).isEqualTo(S);
    }

    /** Else a second field would be a way to a bucket that nobody has used yet, while the application reads the first one. */
    @Test
    void withoutTheFieldOrWithSeveralAllShare() {
        LoopLimiter limiter = limiter(By.HEADER, "x-key", 64);
        assertThat(limiter.take(NONE, "", 0)).isZero();
        assertThat(limiter.take(fields("a", "b"), "", 0)).isPositive();
        assertThat(limiter.take(fields("c", "a"), "", 0)).isPositive();
        assertThat(limiter.take(fields("a"), "", 0)).isZero();
    }

    /** An application behind a CGI-like interface may take either of them. */
    @Test
    void anUnderscoreIsNoWayOut() {
        LoopLimiter limiter = limiter(By.HEADER, "x-key", 64);
        Fields twins = fields("a");
        twins.add(FieldName.of("X_Key"), "fresh");
        Fields reversed = new Fields();
        reversed.add(FieldName.of("x_key"), "fresh");
        reversed.add(FieldName.of("X-Key"), "b");
        Fields alone = new Fields();
        alone.add(FieldName.of("X_Key"), "c");
        assertThat(limiter.take(twins, "", 0)).isZero();
        assertThat(limiter.take(reversed, "", 0)).isPositive();
        assertThat(limiter.take(alone, "", 0)).isPositive();
        assertThat(limiter.take(fields("a"), "", 0)).isZero();
    }

    @Test
    void longKeysDifferInTheirLastOctet() {
        LoopLimiter limiter = limiter(By.HEADER, "x-key", 64);
        String common = "k".repeat(30_000);
        assertThat(limiter.take(fields(common + "1"), "", 0)).isZero();
        assertThat(limiter.take(fields(common + "2"), "", 0)).isZero();
        assertThat(limiter.take(fields(common + "1"), "", 0)).isPositive();
    }

    @Test
    void whatStaysAsItWasKeepsItsBuckets() {
        RateLimitConfig config = new RateLimitConfig("each", 1, S, 1, By.ALL, null, 64, 100);
        RateLimiter first = limiters.of("in", config, 0);
        assertThat(limiters.of("in", new RateLimitConfig("each", 1, S, 1, By.ALL, null, 64, 100), 5))
                .isSameAs(first);
        assertThat(limiters.of("out", config, 5)).isNotSameAs(first);
        assertThat(limiters.of("in", new RateLimitConfig("each", 2, S, 1, By.ALL, null, 64, 100), 5))
                .isNotSameAs(first);
    }
}
