package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The account of frames by which a peer answers ours. */
final class PeerFramesTest {
    private static final long WINDOW_NS = 10_000;

    private long nowNs;
    private final PeerFrames client = PeerFrames.ofClient(() -> nowNs, WINDOW_NS);
    private final PeerFrames endpoint = PeerFrames.ofEndpoint(() -> nowNs, WINDOW_NS, 10 * WINDOW_NS);

    private static int pings(PeerFrames credit) {
        int paid = 0;
        while (credit.payPing()) {
            paid++;
        }
        return paid;
    }

    private static int updates(PeerFrames credit) {
        int paid = 0;
        while (credit.payUpdate()) {
            paid++;
        }
        return paid;
    }

    @Test
    void nothingIsEarnedByNothing() {
        assertThat(pings(client)).isZero();
        assertThat(updates(client)).isZero();
    }

    @Test
    void eachFrameEarnsOnePing() {
        client.headersWritten();
        client.dataWritten(3, 40_000);
        assertThat(pings(client)).isEqualTo(4);
        assertThat(pings(client)).isZero();
    }

    @Test
    void contentEarnsUpdates() {
        client.dataWritten(2, 2);
        assertThat(updates(client)).isEqualTo(20);
        endpoint.dataWritten(1, 1);
        assertThat(updates(endpoint)).isEqualTo(2);
        endpoint.dataWritten(1, 16_384);
        assertThat(updates(endpoint)).isEqualTo(64);
        endpoint.headersWritten();
        assertThat(updates(endpoint)).isZero();
    }

    @Test
    void creditIsCapped() {
        for (int i = 0; i < 1_000; i++) {
            client.dataWritten(1, 1);
            endpoint.dataWritten(1, 16_384);
        }
        assertThat(pings(client)).isEqualTo(200);
        assertThat(updates(client)).isEqualTo(2_000);
        assertThat(updates(endpoint)).isEqualTo(12_800);
    }

    @Test
    void theCapIsThatOfBothHalvesTogether() {
        for (int half = 0; half < 2; half++) {
            for (int i = 0; i < 1_000; i++) {
                client.dataWritten(1, 1);
                endpoint.dataWritten(1, 16_384);
            }
            nowNs += half == 0 ? WINDOW_NS / 2 : 0;
        }
        assertThat(pings(client)).isEqualTo(200);
        assertThat(updates(client)).isEqualTo(2_000);
        assertThat(pings(endpoint)).isEqualTo(200);
        assertThat(updates(endpoint)).isEqualTo(12_800);
    }

    @Test
    void anEndpointThatPausesMayUpdateThen() {
        endpoint.dataWritten(1, 16_384);
        nowNs += 3 * WINDOW_NS;
        assertThat(pings(endpoint)).isZero();
        assertThat(updates(endpoint)).isEqualTo(64);
        endpoint.dataWritten(1, 16_384);
        nowNs += 10 * WINDOW_NS;
        assertThat(updates(endpoint)).isZero();
    }

    @Test
    void eachPingOfOursPaysForOneAnswer() {
        assertThat(client.payAnswer()).isFalse();
        client.pingWritten();
        assertThat(client.payAnswer()).isTrue();
        assertThat(client.payAnswer()).isFalse();
        assertThat(pings(client)).isZero();
    }

    @Test
    void creditExpiresWithTheWindow() {
        client.dataWritten(5, 5);
        nowNs += WINDOW_NS / 2;
        client.dataWritten(1, 1);
        nowNs += WINDOW_NS / 2;
        assertThat(pings(client)).isOne();
        client.dataWritten(5, 5);
        nowNs += WINDOW_NS;
        assertThat(pings(client)).isZero();
        assertThat(updates(client)).isZero();
    }
}
