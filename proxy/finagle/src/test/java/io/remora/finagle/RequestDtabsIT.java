package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dtabs that requests bring themselves: who may, and where they may lead. */
final class RequestDtabsIT {
    private static final String BELIEVED = "trust: {cidrs: [127.0.0.0/8]}, ";
    private static final String TO_CANARY = "Dtab-Local: /s/app => /#/canary\r\n";

    private final RecordingBackend stable = RecordingBackend.start();
    private final RecordingBackend canary = RecordingBackend.start();

    @AfterEach
    void close() {
        stable.close();
        canary.close();
    }

    private Sidecar start(String listener) {
        return start(listener, "app");
    }

    private Sidecar start(String listener, String cluster) {
        return Sidecar.of("""
                engine: finagle
                log-level: error
                admin: {address: "127.0.0.1:0"}
                finagle: {dtab: "/s => /#/stable; /next => /#/canary"}
                listeners:
                  - {name: test, address: "127.0.0.1:0", LISTENERcluster: CLUSTER}
                  - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                clusters:
                  app: {dest: /s/app}
                  stable: {endpoints: ["127.0.0.1:${BACKEND}"]}
                  canary: {endpoints: ["127.0.0.1:${BACKEND_1}"]}
                  barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                """.replace("LISTENER", listener).replace("CLUSTER", cluster), stable, canary);
    }

    private Sidecar allowing(String... names) {
        return start(BELIEVED + "request-dtab: {allow: [" + String.join(", ", names) + "]}, ");
    }

    private static RawResponse get(RawClient client, String fields) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: app\r\n" + fields + "\r\n").response();
    }

    private static void isRefused(RawClient client, String dtab) throws IOException {
        RawResponse refused = get(client, "Dtab-Local: " + dtab + "\r\n");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.field("Remora-Error")).isEqualTo("bad-dtab");
    }

    private static String received(RecordingBackend backend) {
        return new String(backend.received(), StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Dtab-Local", "dtab-local", "l5d-dtab", "Remora-Dtab"})
    void aBelievedRequestGoesWhereItsDtabLeads(String field) throws IOException {
        try (Sidecar sidecar = allowing("/#/canary");
                RawClient client = sidecar.client()) {
            assertThat(get(client, "").status()).isEqualTo(200);
            assertThat(get(client, field + ": /s/app => /#/canary\r\n").status())
                    .isEqualTo(200);
            assertThat(get(client, "").status()).isEqualTo(200);
        }
        assertThat(stable.requests()).hasSize(2);
        assertThat(canary.requests()).hasSize(1);
        // whoever is called next goes by it as well
        assertThat(received(canary)).contains("\r\n" + field + ": /s/app => /#/canary\r\n");
    }

    /** Later ones win, as in one dtab. */
    @Test
    void takesSeveralAsOne() throws IOException {
        try (Sidecar sidecar = allowing("/#/canary", "/next", "/s");
                RawClient client = sidecar.client()) {
            for (String fields : new String[] {
                "Dtab-Local: /s/app => /s/other\r\nDtab-Local: /s/other => /next\r\n",
                "Dtab-Local: /s/app => /#/canary;\r\nDtab-Local: /s/app => ~\r\n",
                "Remora-Dtab: /s/app => /#/canary\r\nDtab-Local: /s/app => /s/other\r\n",
                "Dtab-Local: /s/app => /#/canary | /next\r\n"
            }) {
                assertThat(get(client, fields).status()).as(fields).isEqualTo(200);
            }
        }
        assertThat(canary.requests()).hasSize(4);
        assertThat(stable.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/s/app => /#/stable",
                "/s/app => /$/inet/127.0.0.1/80",
                "/#/canary => /$/inet/127.0.0.1/80",
                "/s/app => /#/canary | /#/stable",
                "/s/app => 1 * /#/canary & 1 * /#/stable",
                "/s/app => /#/canar",
                "/s/app => /#",
                "/s/app => /",
                "/s/app => zk!127.0.0.1:2181!/app",
                "/s/app",
                "=> /#/canary",
                "no dtab",
            })
    void refusesWhatLeadsElsewhereOrCannotBeRead(String dtab) throws IOException {
        try (Sidecar sidecar = allowing("/#/canary");
                RawClient client = sidecar.client()) {
            isRefused(client, dtab);
            assertThat(stable.connections()).isEmpty();
            assertThat(canary.connections()).isEmpty();
            assertThat(get(client, TO_CANARY).status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/s/app => /s/app",
                "/s/app => /s/a; /s/a => /s/app",
                "/s/app => 1 * /s/app & 1 * /s/app",
                "/s/app => /s/app/a | /s/app/b",
            })
    void refusesWhatGoesRound(String dtab) throws IOException {
        try (Sidecar sidecar = allowing("/s");
                RawClient client = sidecar.client()) {
            isRefused(client, dtab);
            assertThat(get(client, "").status()).isEqualTo(200);
        }
    }

    /** Each of two fields is one dtab, whatever the first one has behind a comment's mark. */
    @Test
    void aCommentHidesNoOtherField() throws IOException {
        try (Sidecar sidecar = allowing("/#/canary", "/s");
                RawClient client = sidecar.client()) {
            String fields = "Dtab-Local: /s/app => /s/other #\r\nRemora-Dtab: /s/app => /#/canary\r\n";
            assertThat(get(client, fields).status()).isEqualTo(200);
            assertThat(canary.requests()).hasSize(1);
        }
    }

    @Test
    void refusesWhatHasTooManyBranches() throws IOException {
        try (Sidecar sidecar = allowing("/#/canary");
                RawClient client = sidecar.client()) {
            for (String branches : new String[] {"~|".repeat(900), "(".repeat(1_800), "1*~&".repeat(450)}) {
                isRefused(client, "/s/app => " + branches + "/#/canary");
            }
            assertThat(get(client, "Dtab-Local: /s/app => " + "~|".repeat(64) + "/#/canary\r\n")
                            .status())
                    .isEqualTo(200);
        }
    }

    /** As far as Finagle follows it, and one step further. */
    @Test
    void refusesWhatLeadsTooFar() throws IOException {
        try (Sidecar sidecar = allowing("/n", "/#/canary");
                RawClient client = sidecar.client()) {
            assertThat(get(client, "Dtab-Local: " + chain(99) + "\r\n").status())
                    .isEqualTo(200);
            isRefused(client, chain(100));
        }
    }

    private static String chain(int steps) {
        StringBuilder chain = new StringBuilder("/s/app=>/n/1");
        for (int i = 1; i < steps - 1; i++) {
            chain.append(";/n/").append(i).append("=>/n/").append(i + 1);
        }
        return chain.append(";/n/").append(steps - 1).append("=>/#/canary").toString();
    }

    /** What nobody judges, because the cluster has no name, goes no further; no more do other ways to say it. */
    @Test
    void takesOutWhatIsNotJudged() throws IOException {
        String plain = BELIEVED + "request-dtab: {allow: [/#/canary]}, ";
        String old = "X-Dtab-00-A: /s/app\r\nX-Dtab-00-B: /#/canary\r\nl5d-ctx-dtab: /s/app => /#/canary\r\n";
        try (Sidecar sidecar = start(plain);
                RawClient client = sidecar.client()) {
            assertThat(get(client, old).status()).isEqualTo(200);
            client.send("POST / HTTP/1.1\r\nHost: app\r\nTE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "1\r\na\r\n0\r\nDtab-Local: /s/app => /#/canary\r\nX-Kept: 1\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
        }
        assertThat(canary.requests()).isEmpty();
        assertThat(received(stable)).containsIgnoringCase("x-kept").doesNotContainIgnoringCase("dtab");
    }

    @Test
    void takesOutWhatGoesToAClusterWithoutAName() throws IOException {
        String plain = BELIEVED + "request-dtab: {allow: [/#/canary]}, ";
        try (Sidecar sidecar = start(plain, "stable");
                RawClient client = sidecar.client()) {
            assertThat(get(client, TO_CANARY).status()).isEqualTo(200);
            assertThat(get(client, "Dtab-Local: nonsense\r\n").status()).isEqualTo(200);
        }
        assertThat(received(stable)).doesNotContainIgnoringCase("dtab");
    }

    @Test
    void refusesWhatIsTooLong() throws IOException {
        try (Sidecar sidecar = allowing("/#/canary");
                RawClient client = sidecar.client()) {
            String entry = "/s/app => /#/canary;";
            assertThat(get(client, "Dtab-Local: " + entry.repeat(102) + "\r\n").status())
                    .isEqualTo(200);
            assertThat(get(client, "Dtab-Local: " + entry.repeat(103) + "\r\n").status())
                    .isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                BELIEVED,
                "trust: {cidrs: [10.0.0.0/8]}, request-dtab: {allow: [/#/canary]}, ",
                "trust: {cidrs: [10.0.0.0/8]}, ",
            })
    void takesNoneThatNobodyBelievesOrAskedFor(String listener) throws IOException {
        try (Sidecar sidecar = start(listener);
                RawClient client = sidecar.client()) {
            String all = TO_CANARY + "l5d-dtab: /s/app => /#/canary\r\nRemora-Dtab: nonsense\r\n";
            assertThat(get(client, all).status()).isEqualTo(200);
        }
        assertThat(canary.requests()).isEmpty();
        assertThat(received(stable)).doesNotContainIgnoringCase("dtab");
    }

    @Test
    void keepsItsConnectionsHoweverManyDtabsThereAre() throws IOException {
        try (Sidecar sidecar = allowing("/#/canary");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 300; i++) {
                assertThat(get(client, "Dtab-Local: /s/app => /#/canary; /s/" + i + " => /#/canary\r\n")
                                .status())
                        .isEqualTo(200);
            }
            assertThat(canary.requests()).hasSize(300);
            assertThat(canary.connections()).hasSize(1);
        }
    }
}
