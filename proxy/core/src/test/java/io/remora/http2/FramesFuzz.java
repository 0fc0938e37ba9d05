package io.remora.http2;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.Http2Metric;
import io.remora.metrics.Http2Stats;
import io.remora.metrics.ListenerMetric;
import io.remora.testkit.Await;
import io.remora.testkit.Fields;
import io.remora.testkit.RawRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a sidecar makes of a hostile client's frames, judged by a backend that speaks HTTP/1.1 and nothing else: requests whose
 * framing is beyond doubt, one for a stream, with the content that was sent, and nobody else is the worse for them. A fuzzer
 * calls {@link #fuzzerTestOneInput}; that of {@code scripts/fuzz-h2} is Jazzer, that of {@link FramesFuzzIT} our own.
 *
 * <p>One thread at a time.
 */
public final class FramesFuzz {
    /** A request that is in order gets to the backend and back within this; one that is not whole waits for nothing. */
    private static final int SETTLE_MS = 3;

    /** Whether the end of a frame is still to come, nobody can know. */
    private static final int HALF_A_FRAME_MS = 20;

    /** One input in so many is followed by a look at how others are served. */
    private static final int LOOKS = 16;

    private static final List<String> NEVER = List.of("keep-alive", "proxy-connection", "upgrade");

    private static @Nullable FramesFuzz running;

    private final JudgingBackend backend = new JudgingBackend();
    private final Proxy proxy;
    private final String tagName = "x-tag-" + UUID.randomUUID();
    private int inputs;

    FramesFuzz() throws IOException {
        String yaml = """
            log-level: error
            via: remora
            admin: { address: "127.0.0.1:0" }
            listeners:
              - { name: test, address: "127.0.0.1:0", cluster: app, protocol: http2 }
            clusters:
              app: { endpoints: ["127.0.0.1:PORT"], timeouts: { connect: 10s } }
            """.replace("PORT", Integer.toString(backend.port()));
        try {
            proxy = Proxy.start(ConfigReader.read(
                    "fuzz.yaml",
                    new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                    Map.of(),
                    new FeatureList()));
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        if (running == null) {
            running = new FramesFuzz();
        }
        running.judge(input);
    }

    void close() throws IOException {
        proxy.close();
        backend.close();
    }

    /**
     * One client with these frames, from its beginning to its end.
     *
     * @return how many requests reached the backend whole
     */
    int judge(byte[] input) throws IOException {
        FrameScript script = new FrameScript(input, tagName, inputs);
        List<byte[]> writes = script.writes();
        backend.manner(script.backend());
        long streams = streams();
        play(script, writes);
        await("the sidecar is done", () -> inFlight() == 0 && clients() == 0);
        await("the backend is done", () -> isBackendDone());
        int whole = judge(script, backend.take(), streams() - streams);
        if (++inputs % LOOKS == 0) {
            othersAreServed();
        }
        return whole;
    }

    private void play(FrameScript script, List<byte[]> writes) throws IOException {
        try (FrameClient client = FrameClient.connect(proxy.address("test"))) {
            // without TIME_WAIT, of which there are 28,000 at the most
            client.socket().setSoLinger(true, 0);
            if (!script.isFramed()) {
                client.socket().setSoTimeout(HALF_A_FRAME_MS);
            }
            for (byte[] octets : writes) {
                if (!client.trySend(octets)) {
                    break;
                }
            }
            answered(client, script.isFramed());
            Await.within(SETTLE_MS, () -> inFlight() == 0);
        }
    }

    /** All frames have been read, or the sidecar has ended the connection. */
    private static void answered(FrameClient client, boolean framed) throws IOException {
        if (!client.trySend(
                FrameClient.frame(FrameClient.PING, 0, 0, "lastping".getBytes(StandardCharsets.US_ASCII)))) {
            return;
        }
        try {
            for (FrameClient.Frame frame = client.read(); frame != null; frame = client.read()) {
                if (frame.type() == FrameClient.PING
                        && new String(frame.payload(), StandardCharsets.US_ASCII).equals("lastping")) {
                    return;
                }
            }
        } catch (SocketTimeoutException e) {
            require(!framed, "frames are not answered", "");
        }
    }

    // ---- what the backend saw

    private int judge(FrameScript script, List<JudgingBackend.Seen> all, long streams) {
        int whole = 0;
        require(all.size() <= streams, "more requests than streams", all);
        require(!script.isFramed() || all.size() <= script.streams(), "more requests than heads", all);
        for (JudgingBackend.Seen seen : all) {
            judge(seen.request());
            FrameScript.Meant meant = script.meant(seen.request().field(tagName));
            if (seen.whole()) {
                whole++;
                if (meant != null && meant.isKnown()) {
                    judge(seen.request(), meant);
                }
            }
        }
        return whole;
    }

    /** RFC 9113 8.2.2: what is about a connection of the client's never leaves; what is left is of this hop. */
    private static void judge(RawRequest request) {
        Fields fields = request.fields();
        for (String name : NEVER) {
            require(!fields.has(name), name, request);
        }
        boolean coded = fields.has("te") || fields.has("connection");
        boolean trailers = fields.all("te").equals(List.of("trailers"))
                && fields.all("connection").equals(List.of("TE"));
        require(!coded || trailers, "Connection", request);
        List<String> via = fields.tokens("via");
        require(!via.isEmpty() && via.get(via.size() - 1).equals("2.0 remora"), "not by the sidecar", request);
        require(fields.all("x-request-id").size() == 1, "X-Request-Id", request);
        require(!request.method().equals("CONNECT"), "CONNECT", request);
    }

    private static void judge(RawRequest request, FrameScript.Meant meant) {
        byte[] content = meant.content();
        byte[] body = request.body();
        boolean begins = body.length <= content.length && Arrays.equals(body, Arrays.copyOf(content, body.length));
        require(begins, "content that nobody sent", request);
        // a length that is kept ends a body as well
        boolean counted = request.fields().has("content-length");
        require(meant.ended() || counted, "an end that nobody sent", request);
    }

    private void othersAreServed() throws IOException {
        backend.manner(0);
        try (FrameClient other = FrameClient.connect(proxy.address("test"))) {
            other.socket().setSoLinger(true, 0);
            require(other.get(1).answer(1).text().equals("ok"), "another client is not served", "");
        }
        await("it has gone", () -> inFlight() == 0 && clients() == 0);
        backend.take();
    }

    // ---- what the sidecar says

    private long inFlight() {
        return listener(ListenerMetric.EXCHANGES_STARTED) - listener(ListenerMetric.EXCHANGES_FINISHED);
    }

    private long clients() {
        return listener(ListenerMetric.FRONTEND_ACCEPTED) - listener(ListenerMetric.FRONTEND_CLOSED);
    }

    private long listener(ListenerMetric metric) {
        return proxy.stats().listeners().stream()
                .mapToLong(stats -> stats.value(metric))
                .sum();
    }

    private long streams() {
        return proxy.stats().<Http2Stats>rows("http2").stream()
                .mapToLong(stats -> stats.value(Http2Metric.STREAMS))
                .sum();
    }

    private long endpoint(EndpointMetric metric) {
        return proxy.stats().endpoints().stream()
                .mapToLong(one -> one.value(metric))
                .sum();
    }

    /** Returns whether no connection carries a request, and the backend has seen each connection and each close. */
    private boolean isBackendDone() {
        long opened = endpoint(EndpointMetric.OPENED);
        long left = opened - endpoint(EndpointMetric.CLOSED);
        boolean all = backend.accepted() >= opened && backend.open() == left;
        // one that is about to be closed may have a request on it that nobody has read yet
        return all && left == endpoint(EndpointMetric.IDLE) && backend.isIdle();
    }

    private static void await(String what, BooleanSupplier condition) {
        require(Await.within(Await.TIMEOUT_MS, condition), "never: " + what, "");
    }

    private static void require(boolean holds, String what, Object found) {
        if (!holds) {
            throw new AssertionError(what + " " + found);
        }
    }
}
