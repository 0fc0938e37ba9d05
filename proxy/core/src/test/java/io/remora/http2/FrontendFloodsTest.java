package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.config.Http2Config;
import org.junit.jupiter.api.Test;

/** Resets are a flood where they pass the bound, and are more than half of the streams in the window. */
final class FrontendFloodsTest {
    private static final long WINDOW_NS = 10_000_000_000L;
    private static final int MOST = 20;

    private long nowNs = 1;
    private final FrontendFloods floods = new FrontendFloods(new Http2Config.Floods(MOST, 1_000, 100, 32), () -> nowNs);

    private void serve() {
        floods.opened();
        floods.ended();
    }

    private Abuse reset() {
        Abuse abuse = floods.reset(nowNs);
        floods.ended();
        return abuse;
    }

    @Test
    void hedgedCallsAreHalf() {
        for (int i = 0; i < 10 * MOST; i++) {
            floods.opened();
            floods.opened();
            if (i % 2 == 0) {
                floods.ended();
                assertThat(reset()).isNull();
            } else {
                assertThat(reset()).isNull();
                floods.ended();
            }
        }
    }

    @Test
    void moreThanHalfIsAFlood() {
        for (int i = 0; i < MOST; i++) {
            serve();
        }
        for (int i = 0; i < MOST; i++) {
            floods.opened();
            assertThat(reset()).isNull();
        }
        floods.opened();
        assertThat(reset()).isEqualTo(Abuse.RESETS);
        assertThat(floods.tooMany()).isEqualTo(MOST + 1);
    }

    @Test
    void streamsOfTheWindowBeforeCountWhereTheyEnd() {
        for (int i = 0; i < 6 * MOST; i++) {
            floods.opened();
        }
        nowNs += WINDOW_NS;
        for (int i = 0; i < 3 * MOST; i++) {
            floods.ended();
            assertThat(reset()).isNull();
        }
    }
}
