package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.TracedSidecar;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which trace a request is part of at the backend, whatever its client says of that. */
@Contract
final class TracePropagationIT {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";
    private static final Pattern W3C = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-0([01])");
    private static final Pattern B3 =
            Pattern.compile("([0-9a-f]{32}|[0-9a-f]{16})-([0-9a-f]{16})-([01])(-[0-9a-f]{16})?");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");
    private static final Pattern STATE_MEMBER =
            Pattern.compile("([a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})"
                    + "=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]");
    private static final String ZEROS = "0".repeat(32);
    private static final String TRUST = "trust: {cidrs: [127.0.0.0/8]}";
    private static final String OFTEN = "interval: 10ms";
    private static final String ALL = "propagation: [w3c, b3, b3-multi], ";

    private static Matcher w3c(RawRequest request) {
        assertThat(request.fields().all("traceparent")).hasSize(1);
        Matcher matcher = W3C.matcher(request.field("traceparent"));
        assertThat(matcher.matches()).as(request.field("traceparent")).isTrue();
        assertThat(matcher.group(1)).isNotEqualTo(ZEROS);
        assertThat(matcher.group(2)).isNotEqualTo("0".repeat(16));
        return matcher;
    }

    @Test
    void continuesATraceWithASpanOfItsOwn() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("sample: 0", OFTEN, TRUST)) {
            RawRequest got = stand.received("TraceParent: 00-" + TRACE + "-" + SPAN + "-01", "tracestate: a=1,b@c=2");
            Matcher told = w3c(got);
            assertThat(told.group(1)).isEqualTo(TRACE);
            assertThat(told.group(2)).isNotEqualTo(SPAN);
            assertThat(told.group(3)).as("the believed peer's word").isEqualTo("1");
            assertThat(got.fields().all("tracestate")).containsExactly("a=1,b@c=2");
        }
    }

    @Test
    void leavesTheCallersSpanWhereNothingIsRecorded() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("sample: 1", OFTEN, TRUST)) {
            RawRequest got = stand.received("traceparent: 00-" + TRACE + "-" + SPAN + "-00");
            assertThat(got.field("traceparent")).isEqualTo("00-" + TRACE + "-" + SPAN + "-00");
        }
    }

    @Test
    void aStrangersFlagIsNotBelieved() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("sample: 0", OFTEN, "")) {
            Matcher told = w3c(stand.received("traceparent: 00-" + TRACE + "-" + SPAN + "-01"));
            assertThat(told.group(1)).isEqualTo(TRACE);
            assertThat(told.group(3)).isEqualTo("0");
        }
        try (TracedSidecar stand = TracedSidecar.of("sample: 0, parent: everyone", OFTEN, "")) {
            assertThat(w3c(stand.received("traceparent: 00-" + TRACE + "-" + SPAN + "-01"))
                            .group(3))
                    .isEqualTo("1");
        }
        try (TracedSidecar stand = TracedSidecar.of("sample: 0, parent: nobody", OFTEN, TRUST)) {
            assertThat(w3c(stand.received("traceparent: 00-" + TRACE + "-" + SPAN + "-01"))
                            .group(3))
                    .isEqualTo("0");
        }
    }

    @Test
    void understandsALaterVersionAndTellsItsOwn() throws IOException {
        try (TracedSidecar stand = TracedSidecar.everything()) {
            for (String tail : List.of("", "-what.ever")) {
                Matcher told = w3c(stand.received("traceparent: cc-" + TRACE + "-" + SPAN + "-03" + tail));
                assertThat(told.group(1)).isEqualTo(TRACE);
            }
        }
    }

    @Test
    void beginsATraceWhereTheirsIsMalformed() throws IOException {
        try (TracedSidecar stand = TracedSidecar.everything()) {
            for (String bad : List.of(
                    "",
                    "00-" + TRACE + "-" + SPAN,
                    "00-" + TRACE + "-" + SPAN + "-01-more",
                    "00-" + TRACE + "-" + SPAN + "-1",
                    "00-" + TRACE + "-" + SPAN + "-0g",
                    "ff-" + TRACE + "-" + SPAN + "-01",
                    "FE-" + TRACE + "-" + SPAN + "-01",
                    "01-" + TRACE + "-" + SPAN + "-01.more",
                    "0-" + TRACE + "-" + SPAN + "-01",
                    "00-" + ZEROS + "-" + SPAN + "-01",
                    "00-" + TRACE + "-0000000000000000-01",
                    "00-" + TRACE.toUpperCase(java.util.Locale.ROOT) + "-" + SPAN + "-01",
                    "00-" + TRACE.substring(1) + "-" + SPAN + "-01",
                    "00_" + TRACE + "_" + SPAN + "_01",
                    "00-" + TRACE + "-" + SPAN + "-01, 00-" + TRACE + "-" + SPAN + "-01")) {
                RawRequest got = stand.received("traceparent: " + bad, "tracestate: a=1");
                assertThat(w3c(got).group(1)).as(bad).isNotEqualTo(TRACE);
                assertThat(got.fields().has("tracestate")).as(bad).isFalse();
            }
            String good = "traceparent: 00-" + TRACE + "-" + SPAN + "-01";
            assertThat(w3c(stand.received(good, good)).group(1))
                    .as("two of them")
                    .isNotEqualTo(TRACE);
            assertThat(w3c(stand.received("tracestate: a=1")).group(1)).hasSize(32);
        }
    }

    @Test
    void makesOneLineOfWellFormedStateAndDropsAnyOther() throws IOException {
        String parent = "traceparent: 00-" + TRACE + "-" + SPAN + "-01";
        try (TracedSidecar stand = TracedSidecar.everything()) {
            assertThat(stand.received(parent, "tracestate: a=1 ,, b=2", "tracestate:", "tracestate:\tc/d=x y")
                            .fields()
                            .all("tracestate"))
                    .containsExactly("a=1,b=2,c/d=x y");
            StringBuilder many = new StringBuilder("a0=0");
            for (int i = 1; i < 32; i++) {
                many.append(",a").append(i).append("=").append(i);
            }
            assertThat(stand.received(parent, "tracestate: " + many).field("tracestate"))
                    .isEqualTo(many.toString());
            String longOne = "x=" + "y".repeat(200);
            String kept = "b=" + "z".repeat(100);
            assertThat(stand.received(
                                    parent,
                                    "tracestate: a=" + "u".repeat(120) + "," + longOne + "," + kept,
                                    "tracestate: c=" + "v".repeat(126) + ",d=" + "w".repeat(100))
                            .field("tracestate"))
                    .as("long members go first")
                    .isEqualTo("a=" + "u".repeat(120) + "," + kept + ",c=" + "v".repeat(126) + ",d=" + "w".repeat(100));
            for (String bad : List.of(
                    "a",
                    "=1",
                    "A=1",
                    "1=1",
                    "a=",
                    "a==1",
                    "a=1=2",
                    "a=1,a=2",
                    "a@=1",
                    "@a=1",
                    "a@b@c=1",
                    "a=\u00e9",
                    "a b=1",
                    "a@1b=1",
                    "a=" + "x".repeat(257),
                    "a".repeat(257) + "=1",
                    many + ",z=1")) {
                assertThat(stand.received(parent, "tracestate: " + bad).fields().has("tracestate"))
                        .as(bad)
                        .isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "-1-05e3ac9a4f6e3b90", "-d", ""})
    void continuesB3InOneField(String tail) throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("propagation: [b3], sample: 1", OFTEN, TRUST)) {
            RawRequest got = stand.received("b3: " + TRACE + "-" + SPAN + tail, "traceparent: as-it-comes");
            Matcher told = B3.matcher(got.field("b3"));
            assertThat(told.matches()).as(got.field("b3")).isTrue();
            assertThat(told.group(1)).isEqualTo(TRACE);
            assertThat(told.group(2)).isNotEqualTo(SPAN);
            assertThat(told.group(3)).isEqualTo("1");
            assertThat(got.field("traceparent")).as("not its business").isEqualTo("as-it-comes");
        }
    }

    @Test
    void whereNothingIsRecordedTheParentOfTheSpanStaysToo() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("propagation: [b3, b3-multi], sample: 0", OFTEN, "")) {
            String told = TRACE + "-" + SPAN + "-0-05e3ac9a4f6e3b90";
            RawRequest single = stand.received("b3: " + told);
            assertThat(single.field("b3")).isEqualTo(told);
            RawRequest several = stand.received(
                    "X-B3-TraceId: " + TRACE, "X-B3-SpanId: " + SPAN, "X-B3-ParentSpanId: 05e3ac9a4f6e3b90");
            for (RawRequest got : List.of(single, several)) {
                assertThat(got.fields().all("X-B3-TraceId")).containsExactly(TRACE);
                assertThat(got.fields().all("X-B3-SpanId")).containsExactly(SPAN);
                assertThat(got.fields().all("X-B3-ParentSpanId")).containsExactly("05e3ac9a4f6e3b90");
                assertThat(got.fields().all("X-B3-Sampled")).containsExactly("0");
            }
            RawRequest begun = stand.received("b3: 0-05e3ac9a4f6e3b90", "X-B3-ParentSpanId: 05e3ac9a4f6e3b90");
            assertThat(begun.field("b3")).matches("[0-9a-f]{32}-[0-9a-f]{16}-0");
            assertThat(begun.fields().has("X-B3-ParentSpanId")).isFalse();
        }
    }

    @Test
    void aDecisionOfB3AloneHolds() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("propagation: [b3, b3-multi], sample: 1", OFTEN, TRUST)) {
            assertThat(stand.received("b3: 0").field("b3")).matches("[0-9a-f]{32}-[0-9a-f]{16}-0");
            assertThat(stand.received("X-B3-Sampled: 0").field("X-B3-Sampled")).isEqualTo("0");
            assertThat(stand.received("X-B3-Flags: 1").field("X-B3-Sampled")).isEqualTo("1");
        }
    }

    @Test
    void continuesB3InSeveralFields() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("propagation: [b3-multi], sample: 1", OFTEN, TRUST)) {
            String half = TRACE.substring(16);
            for (String trace : List.of(TRACE, half)) {
                RawRequest got = stand.received(
                        "X-B3-TraceId: " + trace,
                        "X-B3-SpanId: " + SPAN,
                        "X-B3-ParentSpanId: " + half,
                        "X-B3-Flags: 1");
                assertThat(got.fields().all("X-B3-TraceId")).containsExactly(trace);
                assertThat(got.fields().all("X-B3-SpanId")).singleElement().isNotEqualTo(SPAN);
                assertThat(got.field("X-B3-ParentSpanId")).isNotEqualTo(half).matches(ID);
                assertThat(got.field("X-B3-Sampled")).isEqualTo("1");
                assertThat(got.fields().has("X-B3-Flags")).isFalse();
            }
            for (List<String> bad : List.of(
                    List.of("X-B3-TraceId: " + TRACE),
                    List.of("X-B3-TraceId: " + TRACE, "X-B3-SpanId: 0"),
                    List.of("X-B3-TraceId: " + TRACE, "X-B3-SpanId: " + SPAN, "X-B3-SpanId: " + SPAN),
                    List.of("X-B3-TraceId: " + TRACE, "X-B3-SpanId: " + SPAN, "X-B3-Sampled: maybe"),
                    List.of("X-B3-TraceId: " + TRACE, "X-B3-SpanId: " + SPAN, "X-B3-ParentSpanId: no"))) {
                RawRequest got = stand.received(bad.toArray(new String[0]));
                assertThat(got.fields().all("X-B3-TraceId"))
                        .as(bad.toString())
                        .singleElement()
                        .isNotEqualTo(TRACE);
                assertMulti(got);
            }
        }
    }

    private static void assertMulti(RawRequest got) {
        assertThat(got.fields().all("X-B3-TraceId")).singleElement().asString().matches("[0-9a-f]{16}|[0-9a-f]{32}");
        assertThat(got.fields().all("X-B3-SpanId")).singleElement().asString().matches(ID);
        assertThat(got.fields().all("X-B3-Sampled")).singleElement().isIn("0", "1");
        assertThat(got.fields().all("X-B3-ParentSpanId"))
                .allMatch(id -> ID.matcher(id).matches());
        assertThat(got.fields().all("X-B3-ParentSpanId").size()).isLessThan(2);
        assertThat(got.fields().has("X-B3-Flags")).isFalse();
    }

    @Test
    void allFormsTellOfTheSame() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of(ALL + "sample: 1", OFTEN, "")) {
            RawRequest got = stand.received(
                    "b3: " + TRACE + "-" + SPAN + "-1", "tracestate: a=1", "X-B3-TraceId: " + "7".repeat(32));
            Matcher told = w3c(got);
            assertThat(told.group(1)).isEqualTo(TRACE);
            assertThat(got.field("b3")).startsWith(TRACE + "-" + told.group(2) + "-1-");
            assertThat(got.field("X-B3-TraceId")).isEqualTo(TRACE);
            assertThat(got.field("X-B3-SpanId")).isEqualTo(told.group(2));
            assertThat(got.fields().has("tracestate")).isFalse();
        }
    }

    @Test
    void whileItIsOffEverythingPassesAsItComes() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(backend)) {
            try (RawClient client = sidecar.client()) {
                client.send("GET / HTTP/1.1\r\nHost: app\r\ntraceparent: nonsense\r\ntracestate: A=\r\nb3: d\r\n"
                                + "X-B3-TraceId: 1\r\n\r\n")
                        .response();
            }
            RawRequest got = backend.requests().get(0);
            assertThat(got.field("traceparent")).isEqualTo("nonsense");
            assertThat(got.field("tracestate")).isEqualTo("A=");
            assertThat(got.field("b3")).isEqualTo("d");
            assertThat(got.field("X-B3-TraceId")).isEqualTo("1");
        }
    }

    // ---- hostile

    @ParameterizedTest
    @ValueSource(strings = {"sample: 0", "sample: 1", "sample: 0, failures: true", "sample: 0, parent: everyone"})
    void nothingMalformedReachesTheBackend(String how) throws IOException {
        Random random = new Random(15);
        try (TracedSidecar stand = TracedSidecar.of(ALL + how, OFTEN, "")) {
            int forwarded = 0;
            try (RawClient client = stand.sidecar().client()) {
                for (int i = 0; i < 400; i++) {
                    RawResponse response = client.send(hostile(random)).response();
                    assertThat(response.status()).isEqualTo(200);
                    forwarded++;
                }
            }
            List<RawRequest> requests = stand.backend().requests();
            assertThat(requests).hasSize(forwarded);
            for (RawRequest request : requests) {
                w3c(request);
                assertThat(request.fields().all("b3"))
                        .singleElement()
                        .asString()
                        .matches(B3);
                assertMulti(request);
                assertState(request);
            }
        }
    }

    private static void assertState(RawRequest request) {
        List<String> states = request.fields().all("tracestate");
        assertThat(states.size()).isLessThan(2);
        for (String state : states) {
            assertThat(state.length()).isLessThanOrEqualTo(512);
            assertThat(state.split(",", -1))
                    .hasSizeLessThanOrEqualTo(32)
                    .allMatch(member -> STATE_MEMBER.matcher(member).matches());
        }
    }

    private static String hostile(Random random) {
        String[] fields = {
            "traceparent: 00-" + TRACE + "-" + SPAN + "-01",
            "tracestate: rojo=00f067aa0ba902b7,congo@x=t61rcWkgMzE",
            "b3: " + TRACE + "-" + SPAN + "-1-" + SPAN,
            "X-B3-TraceId: " + TRACE,
            "X-B3-SpanId: " + SPAN,
            "X-B3-ParentSpanId: " + SPAN,
            "X-B3-Sampled: 1",
            "X-B3-Flags: 1"
        };
        StringBuilder request = new StringBuilder("GET / HTTP/1.1\r\nHost: app\r\n");
        for (String field : fields) {
            for (int times = random.nextInt(4); times > 1; times--) {
                request.append(mutated(field, random)).append("\r\n");
            }
        }
        return request.append("\r\n").toString();
    }

    private static String mutated(String field, Random random) {
        StringBuilder text = new StringBuilder(field);
        int value = field.indexOf(':') + 2;
        for (int changes = random.nextInt(4); changes > 0 && text.length() > value; changes--) {
            int at = value + random.nextInt(text.length() - value);
            char c = random.nextInt(8) == 0 ? (char) (0x80 + random.nextInt(128)) : (char) (' ' + random.nextInt(95));
            switch (random.nextInt(5)) {
                case 0 -> text.setCharAt(at, c);
                case 1 -> text.deleteCharAt(at);
                case 2 -> text.insert(at, c);
                case 3 -> text.setLength(at);
                default -> text.append(text, value, text.length());
            }
        }
        return text.toString();
    }
}
