package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.testkit.Failure;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What routes do with requests of HTTP/2, towards endpoints that speak it. */
final class Http2RouteActionsIT {
    private final List<Http2Peer.Head> heads = new ArrayList<>();

    private void answerOne(Http2Peer peer, int connection) throws IOException {
        peer.begin();
        Http2Peer.Head head = peer.head();
        heads.add(head);
        peer.headers(head.stream(), true, ":status", "200", "server", "x", "x-id", "its")
                .awaitEnd();
    }

    @Test
    void rewritesAndEditsBothWays() throws IOException {
        String yaml = """
                admin: {address: '127.0.0.1:0'}
                log-level: error
                listeners:
                  - name: test
                    address: '127.0.0.1:0'
                    protocol: http2
                    routes:
                      - match: {prefix: /api}
                        cluster: app
                        rewrite: {prefix: /v2, host: 'b.test:81'}
                        request-headers: {set: {X-Client: '{client} {path}'}, remove: [X-Gone]}
                        response-headers: {set: {X-Id: '{request-id}'}, remove: [Server]}
                      - redirect: {scheme: https, status: 308}
                  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
                clusters:
                  app: {protocol: http2, endpoints: ['127.0.0.1:PORT']}
                  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
                """;
        try (Http2Backend backend = Http2Backend.start(this::answerOne);
                Sidecar sidecar = Sidecar.of(yaml.replace("PORT", Integer.toString(backend.port())));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            String[] get = {":method", "GET", ":scheme", "http", ":authority", "a.test:80", ":path"};
            client.headers(1, true, FrameClient.with(get, "/api/x?y", "x-gone", "1", "x-request-id", "7"));
            Answer answer = client.answer(1);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.field("x-id")).isEqualTo("7");
            assertThat(answer.field("server")).isNull();
            Http2Peer.Head head = heads.get(0);
            assertThat(head.value(":path")).isEqualTo("/v2/x?y");
            assertThat(head.value(":authority")).isEqualTo("b.test:81");
            assertThat(head.value("host")).isNull();
            assertThat(head.value("x-forwarded-host")).isEqualTo("a.test:80");
            assertThat(head.value("x-client")).isEqualTo("127.0.0.1 /api/x");
            assertThat(head.value("x-gone")).isNull();
            client.headers(3, true, FrameClient.with(get, "/other?z"));
            assertThat(client.answer(3).status()).isEqualTo(308);
            assertThat(client.answer(3).field("location")).isEqualTo("https://a.test/other?z");
            client.headers(5, true, FrameClient.with(get, "/api/%2e./x"));
            assertThat(client.answer(5).status()).isEqualTo(400);
            assertThat(client.answer(5).field("remora-error")).isEqualTo(Failure.BAD_PATH.label());
        }
    }

    /** A host is one host in every spelling, in {@code :authority} as in {@code host}. */
    @Test
    void routesByTheHostInAnySpelling() throws IOException {
        String yaml = """
                admin: {address: '127.0.0.1:0'}
                log-level: error
                listeners:
                  - name: test
                    address: '127.0.0.1:0'
                    protocol: http2
                    routes:
                      - {match: {host: app.example}, respond: {status: 204}}
                      - {match: {host: '[::1]'}, respond: {status: 205}}
                      - {respond: {status: 403}}
                  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
                clusters:
                  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
                """;
        try (Sidecar sidecar = Sidecar.of(yaml);
                FrameClient client = FrameClient.connect(sidecar.address())) {
            String[] get = {":method", "GET", ":scheme", "http", ":path"};
            int stream = 1;
            for (String host : List.of("app.example", "App.Example.", "app.example.:80", "%61pp.example")) {
                client.headers(stream, true, FrameClient.with(get, "/", ":authority", host));
                assertThat(client.answer(stream).status()).as(host).isEqualTo(204);
                client.headers(stream + 2, true, FrameClient.with(get, "/", "host", host));
                assertThat(client.answer(stream + 2).status()).as(host).isEqualTo(204);
                stream += 4;
            }
            client.headers(stream, true, FrameClient.with(get, "/", ":authority", "[0::0:1]:80"));
            assertThat(client.answer(stream).status()).isEqualTo(205);
            client.headers(stream + 2, true, FrameClient.with(get, "/", ":authority", "app.example.."));
            assertThat(client.answer(stream + 2).status()).isEqualTo(403);
        }
    }

    /** None of a path's spellings takes another route than the path, and {@code *} is none. */
    @Test
    void routesByThePathInAnySpelling() throws IOException {
        String yaml = """
                admin: {address: '127.0.0.1:0'}
                log-level: error
                listeners:
                  - name: test
                    address: '127.0.0.1:0'
                    protocol: http2
                    path: MODE
                    routes:
                      - {match: {prefix: /admin}, respond: {status: 403}}
                      - {match: {prefix: /old}, redirect: {prefix: /new}}
                      - {respond: {status: 204}}
                  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
                clusters:
                  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
                """;
        String[] odd = {"/%61dmin", "/x/../admin", "/x/%2E%2e/admin?/", "/x/..;/admin", "/x/..%2fadmin"};
        try (Sidecar sidecar = Sidecar.of(yaml.replace("MODE", "both"));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            String[] get = {":scheme", "http", ":authority", "a", ":method", "GET", ":path"};
            int stream = 1;
            for (String path : odd) {
                client.headers(stream, true, FrameClient.with(get, path));
                assertThat(client.answer(stream).status()).as(path).isEqualTo(400);
                assertThat(client.answer(stream).field("remora-error")).isEqualTo(Failure.BAD_PATH.label());
                stream += 2;
            }
            client.headers(stream, true, FrameClient.with(get, "/admin/../x"));
            assertThat(client.answer(stream).status()).isEqualTo(400);
            client.headers(stream + 2, true, FrameClient.with(get, "/x/./%61?/../admin"));
            assertThat(client.answer(stream + 2).status()).isEqualTo(204);
            String[] options = {":scheme", "http", ":authority", "a", ":method", "OPTIONS", ":path"};
            client.headers(stream + 4, true, FrameClient.with(options, "*"));
            assertThat(client.answer(stream + 4).status()).isEqualTo(204);
        }
        try (Sidecar sidecar = Sidecar.of(yaml.replace("MODE", "normalize"));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            String[] get = {":scheme", "http", ":authority", "a", ":method", "GET", ":path"};
            client.headers(1, true, FrameClient.with(get, "/x/../%61dmin"));
            assertThat(client.answer(1).status()).isEqualTo(403);
            client.headers(3, true, FrameClient.with(get, "/admin/../old/%61/?%61"));
            assertThat(client.answer(3).field("location")).isEqualTo("http://a/new/a/?%61");
        }
    }
}
