package io.remora.trust;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose word is taken for the way that a request has come. The client is at 127.0.0.1. */
@Contract
final class TrustIT {
    private static final String TRUSTED = "trust: { cidrs: [127.0.0.0/8, 10.0.0.0/8] }";
    private static final String STRANGER = "trust: { cidrs: [10.0.0.0/8] }";

    @RegisterExtension
    final Stand stand = new Stand();

    private AccessLogFile log;

    @BeforeEach
    void newLog(@TempDir Path directory) {
        log = new AccessLogFile(directory.resolve("access.log"));
    }

    private void start(String listener) {
        stand.start(Setup.before(stand.backend).process(log.setting()).listener(listener));
    }

    private RawResponse send(String... lines) throws IOException {
        StringBuilder request = new StringBuilder(GET.substring(0, GET.length() - 2));
        List.of(lines).forEach(line -> request.append(line).append("\r\n"));
        return stand.client().send(request.append("\r\n").toString()).response();
    }

    /** The request as it reached the backend. */
    private RawRequest forwarded(String... lines) throws IOException {
        assertThat(send(lines).status()).isEqualTo(200);
        List<RawRequest> requests = stand.backend.requests();
        return requests.get(requests.size() - 1);
    }

    /** The client in the last of so many lines of the access log. */
    private String logged(int count) {
        String line = log.line(count);
        int start = line.indexOf("\"client\":\"") + 10;
        return line.substring(start, line.indexOf('"', start));
    }

    // ---- nobody is

    @Test
    void byDefaultNobodyIsBelieved() throws IOException {
        start("");
        RawRequest request = forwarded("X-Forwarded-For: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-Forwarded-Prefix: /x");
        assertThat(request.fields().all("X-Forwarded-For")).containsExactly("6.6.6.6, 127.0.0.1");
        assertThat(request.fields().all("Forwarded")).containsExactly("for=6.6.6.6");
        assertThat(request.fields().all("X-Forwarded-Prefix")).containsExactly("/x");
        assertThat(logged(1)).isEqualTo("127.0.0.1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "'' # sanitize",
                "'' # append",
                "'' # replace",
                STRANGER + " # append",
                TRUSTED + " # sanitize",
                TRUSTED + " # replace"
            })
    void aClientsCertificateIsTakenOut(String trust, String mode) throws IOException {
        start("headers: { x-forwarded-client-cert: " + mode + " }\n" + trust);
        RawRequest request = forwarded(
                "X-Forwarded-Client-Cert: Hash=1;URI=spiffe://mesh/admin", "x-forwarded-CLIENT-cert: URI=spiffe://b");
        assertThat(request.fields().all("X-Forwarded-Client-Cert")).isEmpty();
    }

    @Test
    void aCertificateCannotComeInATrailer() throws IOException {
        start(TRUSTED + "\nheaders: { x-forwarded-client-cert: append }");
        stand.client()
                .send("POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
                        + "X-Forwarded-Client-Cert: URI=spiffe://a\r\n\r\n")
                .response();
        String received = new String(stand.atBackend(), StandardCharsets.ISO_8859_1);
        assertThat(received).contains("0\r\n").doesNotContainIgnoringCase("client-cert");
    }

    @Test
    void aCertificateCannotComeUnderAnotherName() throws IOException {
        start(TRUSTED);
        assertThat(send("X_Forwarded_Client_Cert: URI=spiffe://a").status()).isEqualTo(400);
    }

    // ---- a stranger, where somebody is

    @Test
    void whatAStrangerSaysIsDropped() throws IOException {
        start(STRANGER + "\nheaders: { forwarded: append, x-forwarded-host: off }");
        RawRequest request = forwarded(
                "X-Forwarded-For: 10.0.0.1",
                "x-FORWARDED-proto: https",
                "X-Forwarded-Host: evil",
                "X-Forwarded-Port: 443",
                "X-Forwarded-User: root",
                "X-Forward: kept",
                "Forwarded: for=10.0.0.1");
        assertThat(request.fields().all("X-Forwarded-For")).containsExactly("127.0.0.1");
        assertThat(request.fields().all("X-Forwarded-Proto")).containsExactly("http");
        assertThat(request.fields().all("X-Forwarded-Host")).isEmpty();
        assertThat(request.fields().all("X-Forwarded-Port")).isEmpty();
        assertThat(request.fields().all("X-Forwarded-User")).isEmpty();
        assertThat(request.fields().all("X-Forward")).containsExactly("kept");
        assertThat(request.fields().all("Forwarded")).containsExactly("for=127.0.0.1;host=app;proto=http");
        assertThat(logged(1)).isEqualTo("127.0.0.1");
    }

    @Test
    void noRouteIsTakenByWhatAStrangerSays() throws IOException {
        RecordingBackend internal = RecordingBackend.start().replyOk();
        try {
            stand.start(Setup.before(internal, stand.backend)
                    .listener(STRANGER)
                    .routes("{ headers: { x-forwarded-user: root } }", "{}"));
            forwarded("X-Forwarded-User: root");
            assertThat(internal.requests()).isEmpty();
        } finally {
            internal.close();
        }
    }

    // ---- a proxy that is believed

    @Test
    void theClientIsWhomAProxyNames() throws IOException {
        start(TRUSTED);
        RawRequest request = forwarded(
                "X-Forwarded-For: 6.6.6.6, 1.2.3.4, 10.0.0.2", "X-Forwarded-Proto: https", "Forwarded: for=a");
        assertThat(request.fields().all("X-Forwarded-For")).containsExactly("6.6.6.6, 1.2.3.4, 10.0.0.2, 127.0.0.1");
        assertThat(request.fields().all("X-Forwarded-Proto")).containsExactly("https, http");
        assertThat(request.fields().all("Forwarded")).containsExactly("for=a");
        assertThat(logged(1)).isEqualTo("1.2.3.4");
        forwarded("X-Forwarded-For: [2001:db8::1]:443");
        assertThat(logged(2)).isEqualTo("2001:db8::1");
        forwarded("X-Forwarded-For: unknown");
        assertThat(logged(3)).isEqualTo("127.0.0.1");
        forwarded();
        assertThat(logged(4)).isEqualTo("127.0.0.1");
    }

    /** Alone in its field the client is the one that is believed. */
    @Test
    void theClientReplacesTheList() throws IOException {
        start(TRUSTED + "\nheaders: { x-forwarded-for: replace, forwarded: replace }");
        RawRequest request = forwarded("X-Forwarded-For: 6.6.6.6, 1.2.3.4, 10.0.0.2");
        assertThat(request.fields().all("X-Forwarded-For")).containsExactly("1.2.3.4");
        assertThat(request.fields().all("Forwarded")).containsExactly("for=1.2.3.4;host=app;proto=http");
    }

    @Test
    void theClientIsKnownInARefusal() throws IOException {
        stand.start(Setup.before(stand.backend)
                .process(log.setting())
                .listener(TRUSTED)
                .routes("{ path: /other }"));
        stand.refused(send("X-Forwarded-For: 1.2.3.4"), Failure.NO_ROUTE);
        assertThat(logged(1)).isEqualTo("1.2.3.4");
    }

    @Test
    void theClientIsWhomForwardedNames() throws IOException {
        start("trust: { cidrs: [127.0.0.1], field: forwarded }");
        forwarded("X-Forwarded-For: 6.6.6.6", "Forwarded: for=\"x, for=\"[2001:db8::1]:80\";proto=https");
        assertThat(logged(1)).isEqualTo("2001:db8::1");
    }

    @Test
    void hopsAreCounted() throws IOException {
        start("trust: { hops: 2 }");
        RawRequest request = forwarded("X-Forwarded-For: 6.6.6.6, 1.2.3.4, 10.0.0.2", "X-Forwarded-Proto: https");
        assertThat(request.fields().all("X-Forwarded-For")).containsExactly("6.6.6.6, 1.2.3.4, 10.0.0.2, 127.0.0.1");
        assertThat(logged(1)).isEqualTo("1.2.3.4");
        request = forwarded("X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https");
        assertThat(request.fields().all("X-Forwarded-For")).containsExactly("127.0.0.1");
        assertThat(request.fields().all("X-Forwarded-Proto")).containsExactly("http");
        assertThat(logged(2)).isEqualTo("127.0.0.1");
    }

    @Test
    void aTrustedProxysCertificatesPassWhereTheyAreAppended() throws IOException {
        start(TRUSTED + "\nheaders: { x-forwarded-client-cert: append }");
        assertThat(forwarded("X-Forwarded-Client-Cert: URI=spiffe://a").fields().all("X-Forwarded-Client-Cert"))
                .containsExactly("URI=spiffe://a");
    }

    @Test
    void anEndlessListIsNoTrouble() throws IOException {
        start(TRUSTED + "\nlimits: { header-block: 256KiB }");
        String list = "6.6.6.6, ".repeat(20_000) + "1.2.3.4" + ", 10.0.0.1".repeat(10);
        forwarded("X-Forwarded-For: " + list);
        assertThat(logged(1)).isEqualTo("1.2.3.4");
    }

    @Test
    void pageShowsWhatIsTrusted() {
        start(TRUSTED);
        assertThat(stand.sidecar().admin("GET", "/config").bodyText())
                .contains("    trust:\n      cidrs:\n        - 127.0.0.0/8\n        - 10.0.0.0/8\n"
                        + "      field: x-forwarded-for\n");
    }
}
