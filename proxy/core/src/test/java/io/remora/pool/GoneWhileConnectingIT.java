package io.remora.pool;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.FullBacklog;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that has gone takes no place among those that wait for a connection. */
@Contract
final class GoneWhileConnectingIT {
    @RegisterExtension
    final Stand stand = new Stand();

    @Test
    void leavesItsPlaceToTheNext() throws IOException {
        try (FullBacklog full = FullBacklog.open()) {
            stand.start(Setup.at(full.port()).cluster("timeouts: { connect: 30s }\nbreakers: { pending: 1 }"));
            try (RawClient gone = RawClient.connect(stand.sidecar().address())) {
                gone.send(GET);
                stand.sidecar().barrier();
                gone.reset();
            }
            stand.sidecar().awaitIdle();
            RawClient next = stand.client().send(GET);
            stand.sidecar().barrier();
            full.drain();
            full.readHead();
            full.write(RecordingBackend.OK);
            assertThat(next.response().bodyText()).isEqualTo("ok");
        }
    }
}
