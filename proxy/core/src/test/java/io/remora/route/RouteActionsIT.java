package io.remora.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an endpoint and a client see of a route's actions, in octets on the wire. */
@Contract
final class RouteActionsIT {
    private static final long SEED = Long.getLong("remora.fuzz.seed", 7_230);
    private static final int CASES = 1_500;

    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
        assertThat(backend.problems()).isEmpty();
    }

    private Sidecar with(String... routes) {
        StringBuilder yaml =
                new StringBuilder("admin: {address: '127.0.0.1:0'}\nlog-level: warn\nvia: remora\nlisteners:\n");
        yaml.append("  - name: test\n    address: '127.0.0.1:0'\n    routes:\n");
        for (String route : routes) {
            yaml.append("      - {").append(route).append("}\n");
        }
        yaml.append("  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}\n");
        yaml.append("clusters:\n  app: {endpoints: ['127.0.0.1:${BACKEND}']}\n");
        yaml.append("  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}\n");
        return Sidecar.of(yaml.toString(), backend);
    }

    private RawRequest last() {
        List<RawRequest> all = backend.requests();
        return all.get(all.size() - 1);
    }

    @Test
    void rewritesPathAndHost() throws IOException {
        try (Sidecar sidecar = with(
                        "match: {prefix: /api}, cluster: app, rewrite: {prefix: /v2, host: 'app.internal:81'}",
                        "match: {method: OPTIONS}, cluster: app, rewrite: {prefix: /o}");
                RawClient client = sidecar.client()) {
            client.send("GET /api/a%2Fb//c?x=/api&y=%00 HTTP/1.1\r\nHost: App.example:99\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(last().target()).isEqualTo("/v2/a%2Fb//c?x=/api&y=%00");
            assertThat(last().fields().all("Host")).containsExactly("app.internal:81");
            assertThat(last().field("X-Forwarded-Host")).isEqualTo("App.example:99");
            client.send("GET http://other.example/api HTTP/1.1\r\nHost: app\r\n\r\n")
                    .response();
            assertThat(last().target()).isEqualTo("/v2");
            assertThat(last().fields().all("Host")).containsExactly("app.internal:81");
            client.send("OPTIONS * HTTP/1.1\r\nHost: app\r\n\r\n").response("OPTIONS");
            assertThat(last().target()).isEqualTo("*");
        }
    }

    @Test
    void refusesToBeLedOut() throws IOException {
        try (Sidecar sidecar = with("match: {prefix: /api}, cluster: app, rewrite: {prefix: /v2}");
                RawClient client = sidecar.client()) {
            for (String path : List.of("/api/../admin", "/api/%2e%2E/admin", "/api/..;/admin", "/api/x%2f../admin")) {
                RawResponse refused = client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n")
                        .response();
                assertThat(refused.status()).isEqualTo(400);
                assertThat(refused.field("Remora-Error")).isEqualTo(Failure.BAD_PATH.label());
            }
            // on the same connection
            assertThat(client.send("GET /api/.x HTTP/1.1\r\nHost: a\r\n\r\n")
                            .response()
                            .status())
                    .isEqualTo(200);
            assertThat(backend.requests()).hasSize(1);
        }
    }

    @Test
    void editsRequestFields() throws IOException {
        try (Sidecar sidecar = with("name: r/1, cluster: app, request-headers: {remove: [X-Gone, Cookie],"
                        + " set: {X-Client: '{client}', X-Who: '{identity}', X-All: '{method} {scheme} {host} {path} {route} {cluster} {listener} {{}}'},"
                        + " append: {X-More: 'b', X-Id: 'id={request-id}'}}");
                RawClient client = sidecar.client()) {
            client.send("GET /p;a?q HTTP/1.1\r\nHost: app:1\r\nX-Gone: 1\r\nx-gone: 2\r\nCookie: c\r\nX-More: a\r\n"
                    + "X-Who: me\r\nX-Client: 6.6.6.6\r\nX-Client: 7.7.7.7\r\nConnection: X-Client, X-More\r\n"
                    + "X-Request-Id: abc\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
            RawRequest request = last();
            assertThat(request.fields().has("X-Gone")).isFalse();
            assertThat(request.fields().has("Cookie")).isFalse();
            // nobody has proved anything, and what the client says of it does not pass
            assertThat(request.fields().has("X-Who")).isFalse();
            // what the client's Connection names is the client's, not what the route sets
            assertThat(request.fields().all("X-Client")).containsExactly("127.0.0.1");
            assertThat(request.fields().all("X-More")).containsExactly("b");
            assertThat(request.field("X-Id")).isEqualTo("id=abc");
            assertThat(request.field("X-All")).isEqualTo("GET http app:1 /p%3Ba r/1 app test {}");
        }
    }

    /** What a client has chosen is bounded, and can end neither the line nor an element of a list. */
    @Test
    void encodesWhatTheClientHasChosen() throws IOException {
        try (Sidecar sidecar = with("cluster: app, request-headers: {set: {X-Id: '{request-id}'}}");
                RawClient client = sidecar.client()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\tb, \"c\"; d\\ \u00e4\r\n\r\n")
                    .response();
            assertThat(last().field("X-Id")).isEqualTo("a%09b%2C%20%22c%22%3B%20d%5C%20%E4");
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: " + "x".repeat(1_000) + "\r\n\r\n")
                    .response();
            assertThat(last().field("X-Id")).isEqualTo("x".repeat(256));
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: x" + ",".repeat(1_000) + "\r\n\r\n")
                    .response();
            assertThat(last().field("X-Id")).isEqualTo("x" + "%2C".repeat(85));
        }
    }

    @Test
    void editsResponseFields() throws IOException {
        backend.reply("HTTP/1.1 200 OK\r\nServer: x\r\nSet-Cookie: a=1\r\nX-Via: y\r\nContent-Length: 2\r\n\r\nok");
        try (Sidecar sidecar = with(
                        "match: {path: /a}, cluster: app, response-headers: {remove: [Server], set: {X-Via: '{route}'}, append: {Set-Cookie: b=2}}",
                        "match: {prefix: /b}, cluster: app, rewrite: {prefix: /c}, response-headers: {set: {X-Via: own}}",
                        "cluster: app");
                RawClient client = sidecar.client()) {
            RawResponse response =
                    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").response();
            assertThat(response.fields().has("Server")).isFalse();
            assertThat(response.fields().all("Set-Cookie")).containsExactly("a=1", "b=2");
            assertThat(response.field("X-Via")).isEqualTo("test/1");
            assertThat(response.bodyText()).isEqualTo("ok");
            RawResponse own =
                    client.send("GET /b/. HTTP/1.1\r\nHost: a\r\n\r\n").response();
            assertThat(own.status()).isEqualTo(400);
            assertThat(own.field("X-Via")).isEqualTo("own");
            // other routes are as they were
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                            .response()
                            .field("X-Via"))
                    .isEqualTo("y");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "redirect: {scheme: https} ~ /a?b=c ~ App:81 ~ 307 ~ https://app/a?b=c",
                "redirect: {scheme: https, port: 8443} ~ / ~ app ~ 307 ~ https://app:8443/",
                "redirect: {host: b.test} ~ //c.test/%2e ~ app:81 ~ 307 ~ http://b.test//c.test/%2e",
                "redirect: {port: 82, status: 301} ~ / ~ '[::1]:81' ~ 301 ~ http://[::1]:82/",
                "match: {prefix: /old}, redirect: {prefix: /new, status: 308} ~ /old/x?y ~ app:81 ~ 308 ~ http://app:81/new/x?y",
                "match: {prefix: /old}, redirect: {prefix: /, status: 302} ~ /old//evil.com ~ app ~ 302 ~ http://app/evil.com",
                "match: {path: /old}, redirect: {prefix: /new, status: 303} ~ /old?a ~ app ~ 303 ~ http://app/new?a",
                "redirect: {scheme: https, strip-query: true} ~ /a%3Fb?c?d=e ~ app ~ 307 ~ https://app/a%3Fb",
                "redirect: {scheme: https, strip-query: true} ~ /? ~ app ~ 307 ~ https://app/",
                "match: {prefix: /old}, redirect: {prefix: /new, strip-query: true} ~ /old/x?y ~ app ~ 307 ~ http://app/new/x",
                "redirect: {scheme: https} ~ /a\"<>\\^`{|}[] ~ app ~ 307 ~ https://app/a%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D",
            })
    void redirects(String route, String target, String host, int status, String location) throws IOException {
        try (Sidecar sidecar = with(route + ", response-headers: {set: {X-Id: '{request-id}'}}");
                RawClient client = sidecar.client()) {
            for (String method : List.of("GET", "HEAD", "GET")) {
                client.send(method + " " + target + " HTTP/1.1\r\nHost: " + host.replace("'", "")
                        + "\r\nX-Request-Id: 7\r\n\r\n");
                RawResponse response = client.response(method);
                assertThat(response.status()).isEqualTo(status);
                assertThat(response.fields().all("Location")).containsExactly(location);
                assertThat(response.field("Content-Length")).isEqualTo("0");
                assertThat(response.field("X-Id")).isEqualTo("7");
                assertThat(response.fields().has("Remora-Error")).isFalse();
            }
            assertThat(backend.connections()).isEmpty();
        }
    }

    @Test
    void respondsByItself() throws IOException {
        try (Sidecar sidecar = with(
                        "match: {path: /down}, respond: {status: 503, body: \"back soon\\n\"}, response-headers: {set: {Retry-After: '60'}}",
                        "match: {path: /html}, respond: {body: '<p>', content-type: text/html}",
                        "match: {path: /none}, respond: {status: 204}",
                        "match: {path: /same}, respond: {status: 304}",
                        "respond: {status: 404}");
                RawClient client = sidecar.client()) {
            RawResponse down =
                    client.send("GET /down HTTP/1.1\r\nHost: a\r\n\r\n").response();
            assertThat(down.status()).isEqualTo(503);
            assertThat(down.bodyText()).isEqualTo("back soon\n");
            assertThat(down.field("Retry-After")).isEqualTo("60");
            assertThat(down.field("Content-Type")).isEqualTo("text/plain; charset=us-ascii");
            RawResponse html =
                    client.send("GET /html HTTP/1.1\r\nHost: a\r\n\r\n").response();
            assertThat(html.bodyText()).isEqualTo("<p>");
            assertThat(html.field("Content-Type")).isEqualTo("text/html");
            RawResponse head =
                    client.send("HEAD /html HTTP/1.1\r\nHost: a\r\n\r\n").response("HEAD");
            assertThat(head.field("Content-Length")).isEqualTo("3");
            RawResponse none =
                    client.send("GET /none HTTP/1.1\r\nHost: a\r\n\r\n").response();
            assertThat(none.status()).isEqualTo(204);
            assertThat(none.fields().has("Content-Length")).isFalse();
            RawResponse same =
                    client.send("GET /same HTTP/1.1\r\nHost: a\r\n\r\n").response();
            assertThat(same.status()).isEqualTo(304);
            assertThat(same.fields().has("Content-Length")).isFalse();
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                            .response()
                            .status())
                    .isEqualTo(404);
            assertThat(backend.connections()).isEmpty();
        }
    }

    /** A body that nobody reads ends the connection. */
    @Test
    void respondsAheadOfABody() throws IOException {
        try (Sidecar sidecar = with("redirect: {scheme: https}");
                RawClient client = sidecar.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
            RawResponse response = client.response();
            assertThat(response.status()).isEqualTo(307);
            assertThat(response.fields().tokens("Connection")).contains("close");
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    /** What the backend got has been judged by a strict parser; here that each is what was asked for, or was refused. */
    @Test
    void sendsNothingMalformedWhateverComes() throws IOException {
        String[] pieces = {
            "/",
            "//",
            "..",
            ".",
            "%2e",
            "%00",
            "%0d%0a",
            "\\",
            ";",
            "?",
            "#",
            "%",
            "a",
            "\u00e4",
            "\u0001",
            " ",
            "\t",
            "@",
            "*",
            ":",
            "\"",
            "\r\nX: y",
            "http://x",
            "{",
            "}",
            "|",
            "<"
        };
        String[] fields = {
            "X-Request-Id: a\u00e4\t,b",
            "X-Request-Id: \"",
            "X-Forwarded-For: 1.1.1.1, \u00ff",
            "X-Forwarded-For: a\u0001",
            "Connection: X-Client",
            "X-Client: 1",
            "Host: b",
            "X-Id: a\r\n b",
            "X-Forwarded-Host: {client}"
        };
        String[] hosts = {"app", "App:1", "a_b", "[::1]", "a%20b", "a b", "a,b", "u@h", "", "a:b", "-", "\u00e4"};
        Random random = new Random(SEED);
        int passed = 0;
        try (Sidecar sidecar = with(
                "match: {prefix: /r}, redirect: {prefix: /}",
                "match: {prefix: /a}, cluster: app, rewrite: {prefix: /v2, host: b.test}, request-headers:"
                        + " {set: {X-Client: '{client} {peer}', X-Id: '{request-id}', X-All: '{host} {path} {method}'}},"
                        + " response-headers: {set: {X-All: '{host} {path} {request-id}'}}",
                "cluster: app, rewrite: {prefix: /x}")) {
            for (int i = 0; i < CASES; i++) {
                StringBuilder target = new StringBuilder(new String[] {"/a", "/a/", "/r/", "/", ""}[random.nextInt(5)]);
                for (int piece = random.nextInt(5); piece > 0; piece--) {
                    target.append(pieces[random.nextInt(pieces.length)]);
                }
                StringBuilder request = new StringBuilder("GET ").append(target).append(" HTTP/1.1\r\nHost: ");
                request.append(hosts[random.nextInt(4) > 0 ? 0 : random.nextInt(hosts.length)])
                        .append("\r\n");
                for (int field = random.nextInt(3); field > 0; field--) {
                    request.append(fields[random.nextInt(fields.length)]).append("\r\n");
                }
                try (RawClient client = sidecar.client()) {
                    client.send(request.append("Connection: close\r\n\r\n").toString());
                    RawResponse response = client.response();
                    assertThat(response.status()).as(request.toString()).isIn(200, 307, 400, 404);
                    passed += response.status() == 200 ? 1 : 0;
                    if (response.status() == 307) {
                        assertThat(response.field("Location")).matches("http://[^/]+/[!-~]*");
                    }
                }
            }
            sidecar.awaitIdle();
            List<RawRequest> requests = backend.requests();
            assertThat(requests).hasSize(passed).hasSizeGreaterThan(CASES / 20);
            for (RawRequest request : requests) {
                assertThat(request.target()).matches("/(v2|x)([/?][!-~]*)?");
                if (request.target().startsWith("/v2")) {
                    assertThat(request.fields().all("Host")).containsExactly("b.test");
                    assertThat(request.fields().all("X-Client")).containsExactly("127.0.0.1 127.0.0.1");
                    assertThat(request.fields().all("X-All"))
                            .singleElement()
                            .matches(all -> all.matches("[!-~]+ [!-~]+ GET"));
                    assertThat(request.fields().all("X-Id"))
                            .singleElement()
                            .matches(all -> all.matches("[!-~&&[^\",;\\\\]]{1,256}"));
                }
            }
        }
    }
}
