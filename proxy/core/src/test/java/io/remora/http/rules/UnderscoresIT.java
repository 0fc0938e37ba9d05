package io.remora.http.rules;

import static io.remora.http.rules.Messages.GET;
import static io.remora.http.rules.Messages.chunked;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.ok;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of names with an underscore, which CGI-like applications cannot tell from names with a hyphen. */
@Contract
final class UnderscoresIT {
    @RegisterExtension
    static final Bench UNSET = new Bench();

    @RegisterExtension
    static final Bench PASS = new Bench("underscores-in-headers: pass", "");

    @RegisterExtension
    static final Bench DROP = new Bench("underscores-in-headers: drop", "");

    @RegisterExtension
    static final Bench REJECT = new Bench("underscores-in-headers: reject", "");

    private static final Bench[] ALL = {UNSET, PASS, DROP, REJECT};

    /** The octets of the one request that the backend received. */
    private static String forwarded(Bench bench, String octets) {
        bench.mark();
        bench.forwarded(octets);
        return Wire.text(bench.atBackend());
    }

    /** Names that an application takes for those by which a message is framed, or by which it knows who asks. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "Transfer_Encoding",
                "transfer_encoding",
                "TRANSFER_ENCODING",
                "Content_Length",
                "content_length",
                "X_Forwarded_For",
                "X-Forwarded_For",
                "X_Forwarded-For",
                "X_Forwarded_Proto",
                "X_Forwarded_Host",
                "X_Forwarded_Anything",
                "X_Request_Id",
                "X_Real_IP",
                "X_Original_URL",
                "True_Client_IP",
                "Keep_Alive",
                "Proxy_Connection",
                "Proxy_Authorization",
                "Max_Forwards",
                "Remora_Error",
            })
    void confusableNamesAreRefusedWhateverTheSetting(String name) {
        for (Bench bench : ALL) {
            bench.refused(get(name + ": 1"), 400);
            bench.refused(get("X: y", name + ":", "Y: z"), 400);
        }
    }

    /** A name that merely begins or ends like one of those, or that is one no sidecar acts on. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "Host_",
                "_Host",
                "Connection_",
                "Content_Length_",
                "Content__Length",
                "_Transfer_Encoding",
                "Transfer__Encoding",
                "Transfer_Encodings",
                "X_Forwarded",
                "XX_Forwarded_For",
                "Content_Type",
                "User_Agent",
                "Api_Key",
                "_",
                "__",
            })
    void othersPassOrAreDroppedOrRefused(String name) {
        String request = get("X: y", name + ": 1", "Y: z");
        for (Bench bench : new Bench[] {UNSET, PASS}) {
            assertThat(forwarded(bench, request)).contains("\r\nX: y\r\n" + name + ": 1\r\nY: z\r\n");
        }
        assertThat(forwarded(DROP, request)).contains("\r\nX: y\r\nY: z\r\n").doesNotContain("_");
        REJECT.refused(request, 400);
    }

    /** Every line of a name goes, wherever it stands, and what stands beside it stays. */
    @Test
    void dropTakesOutWholeLines() {
        String request = get("a_b: 1", "X: y_z", "A_B: 2", "a-b: 3", "a_b:", "Y_: " + "z".repeat(2_000), "Z: _");
        assertThat(forwarded(DROP, request))
                .startsWith("GET / HTTP/1.1\r\nHost: app\r\nX: y_z\r\na-b: 3\r\nZ: _\r\n")
                .doesNotContain("a_b", "A_B", "Y_");
    }

    /** A dropped line is not there for whoever nominates it either. */
    @Test
    void dropDoesNotMindANomination() {
        assertThat(forwarded(DROP, get("Connection: a_b, c", "a_b: 1", "c: 2", "d: 3")))
                .startsWith("GET / HTTP/1.1\r\nHost: app\r\nd: 3\r\n")
                .doesNotContain("a_b");
    }

    @Test
    void namesWithoutAnUnderscoreAreNobodysConcern() {
        for (Bench bench : ALL) {
            assertThat(forwarded(bench, get("X-A: b_c", "Authorization: d_e", "Cookie: f_g=h")))
                    .contains("\r\nX-A: b_c\r\nAuthorization: d_e\r\nCookie: f_g=h\r\n");
        }
    }

    @Test
    void trailersAreJudgedAlike() {
        String request = chunked("1\r\nx\r\n0\r\nX-Sum: 1\r\nX_Sum: 2\r\n\r\n");
        for (Bench bench : new Bench[] {UNSET, PASS}) {
            assertThat(forwarded(bench, request)).endsWith("\r\n0\r\nX-Sum: 1\r\nX_Sum: 2\r\n\r\n");
        }
        assertThat(forwarded(DROP, request)).endsWith("\r\n0\r\nX-Sum: 1\r\n\r\n");
        REJECT.cut(request, 400);
        for (Bench bench : ALL) {
            bench.mark();
            bench.cut(chunked("1\r\nx\r\n0\r\nContent_Length: 2\r\n\r\n"), 400);
        }
    }

    /** The setting is about requests: an endpoint's names reach the client as they are. */
    @Test
    void responsesAreLeftAlone() {
        for (Bench bench : ALL) {
            assertThat(bench.answered(GET, "GET", ok("", "X_Y: 1", "Transfer_Encoding: 2", "Content-Length: 0"))
                            .fields()
                            .names())
                    .contains("X_Y", "Transfer_Encoding");
        }
    }
}
