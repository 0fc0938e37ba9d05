package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A stand for a whole test class, and the two verdicts on octets: refused, or forwarded as one strictly valid request.
 * What the backend received counts from the start of each test.
 */
final class Bench extends Stand {
    Bench() {
        super();
    }

    Bench(String listener, String cluster) {
        super(listener, cluster);
    }

    /** What the backend received since the mark, which must be whole and strictly valid requests. */
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
