package io.remora.feature.servertiming;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What responses say of the time that they took (W3C Server Timing). */
@Contract
final class ServerTimingIT {
    private static final String ON = "server-timing: true";
    private static final Pattern BOTH =
            Pattern.compile("proxy;dur=([0-9]+\\.[0-9]{3}), backend;dur=([0-9]+\\.[0-9]{3})");
    private static final int WAIT_MS = 30;

    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @AfterEach
    void close() {
        backend.close();
    }

    private static RawResponse ask(Setup setup, String request) throws IOException {
        try (Sidecar sidecar = Sidecar.start(setup);
                RawClient client = sidecar.client()) {
            return client.send(request).response();
        }
    }

    @Test
    void saysHowLongEachPartTook() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            Stand.pause(WAIT_MS);
            connection.write(RecordingBackend.OK);
        });
        List<String> said =
                ask(Setup.before(backend).listener(ON), GET).fields().all("server-timing");
        assertThat(said).hasSize(1);
        Matcher times = BOTH.matcher(said.get(0));
        assertThat(times.matches()).as(said.get(0)).isTrue();
        assertThat(Double.parseDouble(times.group(1))).isPositive();
        // the backend may have begun to wait before the sidecar has looked at its clock
        assertThat(Double.parseDouble(times.group(1)) + Double.parseDouble(times.group(2)))
                .isGreaterThanOrEqualTo(WAIT_MS);
    }

    @Test
    void theBackendsOwnWordStaysBefore() throws IOException {
        backend.reply("HTTP/1.1 200 OK\r\nServer-Timing: db;dur=9.8\r\nContent-Length: 0\r\n\r\n");
        List<String> said =
                ask(Setup.before(backend).listener(ON), GET).fields().all("server-timing");
        assertThat(said).hasSize(2);
        assertThat(said.get(0)).isEqualTo("db;dur=9.8");
        assertThat(said.get(1)).matches(BOTH);
    }

    @Test
    void theSidecarsOwnResponsesHaveIt() throws IOException {
        String missed = GET.replace("/ ", "/elsewhere ");
        RawResponse refused = ask(Setup.before(backend).routes("{ path: / }").listener(ON), missed);
        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.field("server-timing")).matches("proxy;dur=[0-9]+\\.[0-9]{3}");
        try (DeadPort dead = new DeadPort()) {
            RawResponse failed = ask(Setup.at(dead.port()).listener(ON), GET);
            assertThat(failed.status()).isEqualTo(502);
            assertThat(failed.field("server-timing")).matches(BOTH);
        }
    }

    @Test
    void isNotThereUnlessAskedFor() throws IOException {
        assertThat(ask(Setup.before(backend), GET).field("server-timing")).isNull();
        assertThat(ask(Setup.before(backend).listener("server-timing: false"), GET)
                        .field("server-timing"))
                .isNull();
    }
}
