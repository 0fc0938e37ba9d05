package io.remora.pool;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.RawClient;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections to endpoints that have been used for as long as they may. */
@Contract
final class BackendAgeIT {
    private static final int AGE_MS = 400;
    private static final int LEAST_MS = 360;

    @RegisterExtension
    final Stand stand = new Stand("", "timeouts: { max-connection-age: " + AGE_MS + "ms }");

    @Test
    void aConnectionIsReplacedBetweenTwoExchanges() throws IOException {
        RawClient client = stand.client();
        long beforeNs = System.nanoTime();
        int exchanges = 0;
        do {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            exchanges++;
            Stand.pause(5);
        } while (stand.sidecar().count(Count.BACKEND_CONNECTIONS_OPENED) < 3);
        assertThat(System.nanoTime() - beforeNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(2 * LEAST_MS));
        assertThat(stand.responses(2)).isEqualTo(exchanges);
        assertThat(stand.sidecar().count(Count.RETRIES)).isZero();
        stand.nothingFailed();
    }

    @Test
    void anIdleConnectionEnds() throws IOException {
        long beforeNs = System.nanoTime();
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        Await.until("closed", () -> stand.sidecar().count(Count.BACKEND_CONNECTIONS_CLOSED) == 1);
        assertThat(System.nanoTime() - beforeNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(LEAST_MS));
    }

    @Test
    void anExchangeIsNotCut() throws IOException {
        stand.sidecar();
        stand.answerLater();
        RawClient client = stand.client().send(GET);
        Await.until("at the backend", () -> stand.sidecar().count(Count.BACKEND_EXCHANGES) == 1);
        Stand.pause(2 * AGE_MS);
        stand.mayAnswer();
        assertThat(client.response().bodyText()).isEqualTo("ok");
        Await.until("closed", () -> stand.sidecar().count(Count.BACKEND_CONNECTIONS_CLOSED) == 1);
        stand.nothingFailed();
    }
}
