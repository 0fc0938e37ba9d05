package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.FreePort;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.WebSocketPrograms;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Autobahn's cases of WebSockets, through the sidecar in each pair of versions: each must go with Node's ws behind or before a sidecar just
 * as it goes without one, in its verdict, what was received, close codes, and who ended what. {@code scripts/test-websocket} runs it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AutobahnProgram {
    /**
     * Framing, pings, reserved bits, opcodes, fragments, UTF-8, closing, limits, fragmentation by itself, and of compression the pairs of
     * size and setting that differ in what is on the wire, a thousand messages each.
     */
    private static final String QUICK =
            "1.*,2.*,3.*,4.*,5.*,6.*,7.*,9.*,10.*,12.1.1,12.1.2,12.1.3,12.1.4,12.1.11,12.2.4,12.3.4,12.4.4,12.5.4,13.1.4,13.3.4,13.4.4";

    /** All but those in which the runner itself fails, also without a sidecar. */
    private static final String ALL =
            "*,!13.2.1,!13.2.2,!13.2.3,!13.5.1,!13.5.2,!13.5.3,!13.6.1,!13.6.2,!13.6.3,!13.7.1,!13.7.2,!13.7.3";

    private static final boolean WHOLE = Boolean.getBoolean("remora.test.websocket-all");
    private static final String CASES = WHOLE ? ALL : QUICK;

    private static final String H2 = "protocol: http2\n";

    @TempDir
    static Path directory;

    private WebSocketPrograms programs;
    private Map<String, String> serverAlone;
    private Map<String, String> clientAlone;
    private int ws;

    @BeforeAll
    void withoutSidecar() {
        programs = new WebSocketPrograms(directory);
        ws = programs.ws();
        serverAlone = programs.judgeServer(ws, CASES);
        int port = FreePort.next();
        clientAlone = programs.judgeClient(port, port, false, CASES);
        assertThat(serverAlone).hasSize(WHOLE ? 505 : 313);
        assertThat(clientAlone).hasSameSizeAs(serverAlone);
    }

    @AfterAll
    void stop() {
        programs.close();
    }

    /** Nothing is judged by how a bad server goes wrong. */
    @Test
    void bothEndsPassAlone() {
        assertThat(serverAlone.values()).allMatch(AutobahnProgram::passed);
        assertThat(clientAlone.values()).allMatch(AutobahnProgram::passed);
    }

    private static boolean passed(String facts) {
        return facts.contains("\"verdict\": \"OK\"")
                || facts.contains("\"verdict\": \"NON-STRICT\"")
                || facts.contains("\"verdict\": \"INFORMATIONAL\"");
    }

    private static Sidecar before(int port, boolean http2Clients, boolean http2Endpoints, String via) {
        return Sidecar.start(Setup.at(port)
                .process("via: " + via)
                .listener(http2Clients ? H2 : "")
                .cluster(http2Endpoints ? H2 : ""));
    }

    private static void same(String how, Map<String, String> through, Map<String, String> alone) {
        assertThat(WebSocketPrograms.differences(through, alone)).isEmpty();
        System.out.println("autobahn: " + through.size() + " cases are the same " + how);
    }

    @Test
    void serverOfHttp1() {
        try (Sidecar sidecar = before(ws, false, false, "one")) {
            same(
                    "from HTTP/1.1 to HTTP/1.1",
                    programs.judgeServer(sidecar.address().getPort(), CASES),
                    serverAlone);
        }
    }

    @Test
    void serverOfHttp2() {
        try (Sidecar sidecar = before(programs.wsOverHttp2(), false, true, "one")) {
            same(
                    "from HTTP/1.1 to HTTP/2",
                    programs.judgeServer(sidecar.address().getPort(), CASES),
                    serverAlone);
        }
    }

    /** From HTTP/1.1 to HTTP/2 in one sidecar, and from HTTP/2 in the next one. */
    @ParameterizedTest
    @CsvSource({"false, HTTP/1.1", "true, HTTP/2"})
    void serverBehindTwoSidecars(boolean http2Endpoint, String version) {
        int port = http2Endpoint ? programs.wsOverHttp2() : ws;
        try (Sidecar inner = before(port, true, http2Endpoint, "inner");
                Sidecar outer = before(inner.address().getPort(), false, true, "outer")) {
            String how = "from HTTP/1.1 to HTTP/2, and from HTTP/2 to " + version;
            same(how, programs.judgeServer(outer.address().getPort(), CASES), serverAlone);
        }
    }

    @ParameterizedTest
    @CsvSource({"false, HTTP/1.1", "true, HTTP/2"})
    void client(boolean http2, String version) {
        int port = FreePort.next();
        try (Sidecar sidecar = before(port, http2, false, "one")) {
            Map<String, String> through =
                    programs.judgeClient(port, sidecar.address().getPort(), http2, CASES);
            same("of a client of " + version + ", to HTTP/1.1", through, clientAlone);
        }
    }
}
