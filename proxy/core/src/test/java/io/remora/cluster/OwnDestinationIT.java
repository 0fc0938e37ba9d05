package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.DeadPort;
import io.remora.testkit.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Which destinations of redirected connections are the sidecar itself: what would come round again. */
final class OwnDestinationIT {
    @Test
    void isItsOwnPortAtAnAddressOfTheMachine() throws IOException {
        int port = FreePort.next();
        try (DeadPort dead = new DeadPort();
                SeamStand stand =
                        SeamStand.start(new Seams(), SeamStand.config("""
                        listeners:
                          - { name: test, address: "127.0.0.1:OWN", cluster: app }
                        clusters:
                          app: { endpoints: ["127.0.0.1:DEAD"] }
                        """.replace("OWN", Integer.toString(port))
                                .replace("DEAD", Integer.toString(dead.port()))))) {
            Shared own = stand.proxy().path().shared();
            assertThat(stand.address().getPort()).isEqualTo(port);
            assertThat(own.isOwn(new InetSocketAddress("127.0.0.1", port))).isTrue();
            assertThat(own.isOwn(new InetSocketAddress("127.9.9.9", port))).isTrue();
            assertThat(own.isOwn(new InetSocketAddress("::1", port))).isTrue();
            assertThat(own.isOwn(new InetSocketAddress("0.0.0.0", dead.port())))
                    .as("nowhere")
                    .isTrue();
            assertThat(own.isOwn(new InetSocketAddress("127.0.0.1", dead.port())))
                    .isFalse();
            // of a network for documentation, which no machine is in
            assertThat(own.isOwn(new InetSocketAddress("192.0.2.1", port))).isFalse();
        }
    }
}
