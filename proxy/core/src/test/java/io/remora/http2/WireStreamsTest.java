package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The numbers of streams of either side (RFC 9113 5.1.1). */
final class WireStreamsTest {
    @Test
    void aStreamThatNobodyHasBegunIsNone() {
        WireStreams ofClient = new WireStreams(false);
        assertThat(ofClient.mayHaveBeen(1)).isFalse();
        assertThat(ofClient.next()).isEqualTo(3);
        // which the first one has passed over
        assertThat(ofClient.mayHaveBeen(1)).isTrue();
        assertThat(ofClient.mayHaveBeen(3)).isTrue();
        assertThat(ofClient.mayHaveBeen(5)).isFalse();
        assertThat(ofClient.mayHaveBeen(2)).isFalse();
        assertThat(ofClient.next()).isEqualTo(5);
    }

    @Test
    void aServerHasSeenTheStreamsUpToTheLast() {
        WireStreams ofServer = new WireStreams(true);
        assertThat(ofServer.mayHaveBeen(1)).isFalse();
        ofServer.open(5);
        assertThat(ofServer.mayHaveBeen(3)).isTrue();
        assertThat(ofServer.mayHaveBeen(7)).isFalse();
        assertThat(ofServer.mayHaveBeen(2)).isFalse();
        assertThat(ofServer.isWithoutGap()).isFalse();
    }
}
