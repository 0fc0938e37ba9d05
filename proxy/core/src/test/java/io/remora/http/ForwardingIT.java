package io.remora.http;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the sidecar tells the backend about the client, for every field and each of its modes. */
@Contract
final class ForwardingIT {
    private static final String NONE = "(none)";
    private static final String HOP = "for=127.0.0.1;host=app;proto=http";

    @RegisterExtension
    final Stand stand = new Stand();

    /** The request as it reached the backend, sent with these lines behind its Host. */
    private RawRequest forwarded(String... lines) throws IOException {
        return forwarded(stand.client(), lines);
    }

    private RawRequest forwarded(RawClient client, String... lines) throws IOException {
        StringBuilder request = new StringBuilder(GET.substring(0, GET.length() - 2));
        List.of(lines).forEach(line -> request.append(line).append("\r\n"));
        assertThat(client.send(request.append("\r\n").toString()).response().status())
                .isEqualTo(200);
        List<RawRequest> requests = stand.backend.requests();
        return requests.get(requests.size() - 1);
    }

    private static String joined(RawRequest request, String name) {
        List<String> values = request.fields().all(name);
        return values.isEmpty() ? NONE : String.join(" | ", values);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "x-forwarded-for # off # (none) # old",
                "x-forwarded-for # append # 127.0.0.1 # old, 127.0.0.1",
                "x-forwarded-for # replace # 127.0.0.1 # 127.0.0.1",
                "x-forwarded-proto # off # (none) # old",
                "x-forwarded-proto # append # http # old, http",
                "x-forwarded-proto # replace # http # http",
                "x-forwarded-host # off # (none) # old",
                "x-forwarded-host # append # app # old, app",
                "x-forwarded-host # replace # app # app",
                "forwarded # off # (none) # old",
                "forwarded # append # " + HOP + " # old, " + HOP,
                "forwarded # replace # " + HOP + " # " + HOP,
            })
    void eachFieldInEachMode(String name, String mode, String alone, String behindAnother) throws IOException {
        stand.start("headers: { " + name + ": " + mode + " }", "");
        assertThat(joined(forwarded(), name)).isEqualTo(alone);
        assertThat(joined(forwarded(name + ": old"), name)).isEqualTo(behindAnother);
    }

    @Test
    void byDefault() throws IOException {
        RawRequest request = forwarded("X-Forwarded-For: 10.0.0.1", "Forwarded: for=10.0.0.1");
        assertThat(joined(request, "X-Forwarded-For")).isEqualTo("10.0.0.1, 127.0.0.1");
        assertThat(joined(request, "X-Forwarded-Proto")).isEqualTo("http");
        assertThat(joined(request, "X-Forwarded-Host")).isEqualTo("app");
        assertThat(joined(request, "Forwarded")).isEqualTo("for=10.0.0.1");
    }

    /** Where several lines came, one goes out: elements keep their order. */
    @Test
    void behindSeveralLines() throws IOException {
        stand.start("headers: { forwarded: append }", "");
        RawRequest request = forwarded(
                "x-forwarded-for: 1.1.1.1",
                "X-Forwarded-For: 2.2.2.2, 3.3.3.3",
                "Forwarded: for=a",
                "forwarded: for=b");
        assertThat(joined(request, "X-Forwarded-For")).isEqualTo("1.1.1.1, 2.2.2.2, 3.3.3.3, 127.0.0.1");
        assertThat(joined(request, "Forwarded")).isEqualTo("for=a, for=b, " + HOP);
    }

    /** A client cannot have the fields taken out by nominating them in Connection. */
    @Test
    void thoughTheClientNominatesThem() throws IOException {
        RawRequest request = forwarded("Connection: X-Forwarded-For, X-Request-Id", "X-Forwarded-For: 10.0.0.1");
        assertThat(joined(request, "X-Forwarded-For")).endsWith("127.0.0.1");
        assertThat(request.fields().all("X-Request-Id")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "app # host=app",
                "app.example # host=app.example",
                "app:8080 # host=\"app:8080\"",
                "[::1]:80 # host=\"[::1]:80\"",
                "a_b~c # host=a_b~c",
                "a(b) # host=\"a(b)\"",
            })
    void quotesWhatIsNoToken(String host, String pair) throws IOException {
        stand.start("headers: { forwarded: append }", "");
        RawClient client = stand.client();
        client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").response();
        RawRequest request = stand.backend.requests().get(0);
        assertThat(request.field("Forwarded")).isEqualTo("for=127.0.0.1;" + pair + ";proto=http");
        assertThat(request.field("X-Forwarded-Host")).isEqualTo(host);
    }

    /** RFC 7239 section 6: an IPv6 address is in brackets and quoted; in X-Forwarded-For it is bare. */
    @Test
    void namesAnIpv6Client() throws IOException {
        assumeTrue(hasIpv6(), "no IPv6 loopback");
        listenOnIpv6("::1");
        RawRequest request = forwarded();
        assertThat(request.field("X-Forwarded-For")).matches("(0:){7}1|::1");
        assertThat(request.field("Forwarded")).matches("for=\"\\[((0:){7}1|::1)]\";host=app;proto=http");
    }

    /** The zone of a link-local address means something on this machine only, and is no part of a node's name. */
    @Test
    void namesAnIpv6ClientWithoutItsZone() throws IOException {
        InetAddress linkLocal = linkLocal();
        assumeTrue(linkLocal != null, "no link-local IPv6 address");
        listenOnIpv6("::");
        int port = stand.sidecar().address().getPort();
        try (RawClient client = RawClient.connect(new InetSocketAddress(linkLocal, port))) {
            RawRequest request = forwarded(client);
            assertThat(request.field("X-Forwarded-For")).matches("fe80:[0-9a-f:]+");
            assertThat(request.field("Forwarded")).matches("for=\"\\[fe80:[0-9a-f:]+]\";host=app;proto=http");
        }
    }

    private void listenOnIpv6(String host) {
        stand.start(Setup.before(stand.backend).host("[" + host + "]").listener("headers: { forwarded: append }"));
    }

    private static @Nullable InetAddress linkLocal() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet6Address && address.isLinkLocalAddress())
                .findFirst()
                .orElse(null);
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return socket.isBound();
        } catch (IOException none) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ulid, [0-7][0-9A-HJKMNP-TV-Z]{25}",
        "uuid, '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'",
    })
    void makesRequestIds(String mode, String pattern) throws IOException {
        stand.start("headers: { x-request-id: " + mode + " }", "");
        RawClient client = stand.client();
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            String id = joined(forwarded(client), "X-Request-Id");
            assertThat(id).matches(pattern);
            ids.add(id);
        }
        assertThat(ids).hasSize(50);
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "ulid", "uuid"})
    void keepsARequestId(String mode) throws IOException {
        stand.start("headers: { x-request-id: " + mode + " }", "");
        assertThat(joined(forwarded("x-request-id: their own"), "X-Request-Id")).isEqualTo("their own");
    }

    @Test
    void makesNoRequestIdWhereOff() throws IOException {
        stand.start("headers: { x-request-id: off }", "");
        assertThat(joined(forwarded(), "X-Request-Id")).isEqualTo(NONE);
    }
}
