package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.remora.testkit.BackendConnection;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A sidecar before a recording backend for a whole test class, and the two verdicts: refused, or forwarded as one
 * strictly valid request. What the backend received counts from the start of each test.
 */
final class Bench implements BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    final RecordingBackend backend = RecordingBackend.start();
    final Sidecar sidecar;
    private final Map<BackendConnection, Long> marks = new HashMap<>();
    private final List<RawClient> clients = new ArrayList<>();

    Bench() {
        this("", "");
    }

    /** See {@link Sidecar#before(RecordingBackend, String, String)}. */
    Bench(String listener, String cluster) {
        sidecar = Sidecar.before(backend, listener, cluster);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        backend.replyOk();
        backend.problems().clear();
        sidecar.barrier();
        mark();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        clients.forEach(RawClient::close);
        clients.clear();
        sidecar.awaitIdle();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        sidecar.close();
        backend.close();
    }

    /** Closed when the test ends. */
    RawClient client() {
        RawClient client = sidecar.client();
        clients.add(client);
        return client;
    }

    /**
     * What the backend receives counts from here. Nothing may be under way; {@link #atBackend} is one way to be sure.
     */
    void mark() {
        for (BackendConnection connection : backend.connections()) {
            marks.put(connection, connection.receivedBytes());
        }
    }

    /** What the backend received since the mark, connection by connection. */
    byte[] atBackend() {
        sidecar.barrier();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (BackendConnection connection : backend.connections()) {
            long mark = marks.getOrDefault(connection, 0L);
            if (connection.receivedBytes() > mark) {
                byte[] received = connection.received();
                all.writeBytes(Arrays.copyOfRange(received, (int) mark, received.length));
            }
        }
        return all.toByteArray();
    }

    /** The same, which must be whole and strictly valid requests. */
    List<RawRequest> requestsAtBackend() {
        byte[] received = atBackend();
        try {
            return StrictHttp.requests(received);
        } catch (IOException e) {
            return fail(e.getMessage() + " in what the backend received:\n" + Wire.text(received), e);
        }
    }

    /** Refused with one of the statuses, the connection closed, and nothing at the backend. */
    RawResponse refused(String octets, Integer... statuses) {
        RawResponse response = ended(octets, statuses);
        assertThat(Wire.text(atBackend())).as("at the backend").isEmpty();
        return response;
    }

    /**
     * Refused likewise, but in the middle of a body, so that the backend may have seen the start of one request, and
     * its end cut.
     */
    void cut(String octets, Integer... statuses) {
        ended(octets, statuses);
        byte[] received = atBackend();
        if (received.length == 0) {
            return;
        }
        try {
            assertThat(StrictHttp.requests(received))
                    .as("whole requests at the backend")
                    .isEmpty();
            fail("whole requests at the backend: " + Wire.text(received));
        } catch (StrictHttp.Violation e) {
            fail(e.getMessage() + " in what the backend received:\n" + Wire.text(received), e);
        } catch (IOException cutAsItShould) {
            assertThat(backend.openConnections()).as("open backend connections").isZero();
        }
    }

    private RawResponse ended(String octets, Integer... statuses) {
        RawClient client = client();
        client.trySend(Wire.bytes(octets));
        try {
            RawResponse response = client.response();
            assertThat(response.status()).as(response.toString()).isIn((Object[]) statuses);
            assertThat(response.field("remora-error")).as(response.toString()).isNotBlank();
            assertThat(response.fields().tokens("connection")).contains("close");
            assertThat(client.closedByPeer()).as("closed behind the response").isTrue();
            return response;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Answered by the backend, which received exactly one strictly valid request; the connection says nothing more. */
    RawRequest forwarded(String octets) {
        RawClient client = client();
        try {
            client.send(octets);
            RawResponse response = client.response();
            assertThat(response.status()).as(response.toString()).isEqualTo(200);
            client.shutdownOutput();
            assertThat(Wire.text(client.readToEnd())).as("behind the response").isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<RawRequest> requests = requestsAtBackend();
        assertThat(requests).hasSize(1);
        return requests.get(0);
    }

    /** What a client of a plain GET sees when the backend writes these octets. */
    RawResponse answered(String backendOctets) {
        return answered(Messages.GET, "GET", backendOctets);
    }

    RawResponse answered(String requestOctets, String method, String backendOctets) {
        backend.reply(backendOctets);
        try {
            return client().send(requestOctets).response(method);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
