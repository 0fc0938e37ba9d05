package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.config.model.ListenerConfig;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.RequestIds;
import io.remora.http.ResponseHead;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stages of a test's own among those that every request passes. */
final class StageSeamIT {
    private static final String POST = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";
    private static final String CHUNKED_POST = "POST / HTTP/1.1\r\n"
            + "Host: app\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n"
            + "3\r\n"
            + "hel\r\n"
            + "2\r\n"
            + "lo\r\n"
            + "0\r\n"
            + "X-Sum: 1\r\n\r\n";

    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
        assertThat(backend.problems()).isEmpty();
    }

    /** The stages that are shipped, with these ahead of the last, which dispatches. */
    private static Seams with(Stage... own) {
        return new Seams() {
            @Override
            public Stage[] stages(
                    ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing, Shared shared) {
                Stage[] shipped = super.stages(listener, requestIds, tracing, shared);
                int last = shipped.length - 1;
                Stage[] all = new Stage[shipped.length + own.length];
                System.arraycopy(shipped, 0, all, 0, last);
                System.arraycopy(own, 0, all, last, own.length);
                all[all.length - 1] = shipped[last];
                return all;
            }
        };
    }

    // ---- one that answers

    private static final class Answering extends Stage {
        @Override
        public boolean pass(StagedRequest exchange) {
            if (!exchange.head().path().equals("/own")) {
                return true;
            }
            Fields fields = new Fields();
            fields.add(FieldName.of("X-Own"), "yes");
            exchange.respond(203, fields, "by itself\n");
            return false;
        }
    }

    @Test
    void answersByItself() throws IOException {
        try (SeamStand stand = SeamStand.start(with(new Answering()), backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 3; i++) {
                RawResponse own =
                        client.send("GET /own HTTP/1.1\r\nHost: app\r\n\r\n").response();
                assertThat(own.status()).isEqualTo(203);
                assertThat(own.field("X-Own")).isEqualTo("yes");
                assertThat(own.bodyText()).isEqualTo("by itself\n");
            }
            RawResponse head =
                    client.send("HEAD /own HTTP/1.1\r\nHost: app\r\n\r\n").response("HEAD");
            assertThat(head.field("Content-Length")).isEqualTo("10");
            assertThat(backend.connections()).isEmpty();
            // what the stage leaves alone goes on as ever, on the same connection
            assertThat(client.send(SeamStand.GET).response().bodyText()).isEqualTo("ok");
            assertThat(backend.requests()).hasSize(1);
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
        }
    }

    /** The rest of a request that nobody will read ends its connection. */
    @Test
    void answersAheadOfTheBody() throws IOException {
        try (SeamStand stand = SeamStand.start(with(new Answering()), backend.port())) {
            RawClient client = stand.client();
            client.send("POST /own HTTP/1.1\r\nHost: app\r\nContent-Length: 9\r\n\r\n1234");
            RawResponse own = client.response();
            assertThat(own.bodyText()).isEqualTo("by itself\n");
            assertThat(own.fields().tokens("Connection")).contains("close");
            assertThat(client.closedByPeer()).isTrue();
            assertThat(backend.connections()).isEmpty();
        }
    }

    // ---- one that delays

    /** Holds requests for {@code /later} back for a moment, and those for {@code /held} until the test lets them go. */
    private static final class Delaying extends Stage {
        static final int DELAY_MS = 60;

        final Queue<StagedRequest> held = new ConcurrentLinkedQueue<>();

        @Override
        public boolean pass(StagedRequest exchange) {
            switch (exchange.head().path()) {
                case "/later" ->
                    exchange.listener().loop().eventLoop().schedule(exchange::resume, DELAY_MS, TimeUnit.MILLISECONDS);
                case "/held" -> held.add(exchange);
                default -> {
                    return true;
                }
            }
            return false;
        }

        StagedRequest awaitHeld() {
            Await.until("held back", () -> !held.isEmpty());
            return held.remove();
        }

        void letGo() {
            StagedRequest exchange = awaitHeld();
            exchange.listener().loop().eventLoop().execute(exchange::resume);
        }
    }

    @Test
    void resumesFromATimer() throws IOException {
        try (SeamStand stand = SeamStand.start(with(new Delaying()), backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 3; i++) {
                long beganNs = System.nanoTime();
                RawResponse response =
                        client.send("GET /later HTTP/1.1\r\nHost: app\r\n\r\n").response();
                assertThat(response.bodyText()).isEqualTo("ok");
                assertThat(System.nanoTime() - beganNs)
                        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(Delaying.DELAY_MS));
            }
            assertThat(backend.requests()).hasSize(3);
        }
    }

    @Test
    void holdsUpNobodyElse() throws IOException {
        Delaying delaying = new Delaying();
        try (SeamStand stand = SeamStand.start(with(delaying), backend.port())) {
            RawClient held = stand.client();
            held.send("GET /held HTTP/1.1\r\nHost: app\r\n\r\n");
            Await.until("held back", () -> !delaying.held.isEmpty());
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(backend.requests()).hasSize(1);
            delaying.letGo();
            assertThat(held.response().bodyText()).isEqualTo("ok");
            assertThat(backend.requests()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 11\r\n\r\n|hello| wor|ld",
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhello|\r\n6\r\n worl|d\r\n0\r\n\r\n",
                "Content-Length: 11\r\n\r\nhello world"
            })
    void keepsWhatComesMeanwhile(String rest) throws IOException {
        Delaying delaying = new Delaying();
        try (SeamStand stand = SeamStand.start(with(delaying), backend.port())) {
            RawClient client = stand.client();
            client.send("POST /held HTTP/1.1\r\nHost: app\r\n");
            for (String piece : rest.split("\\|")) {
                client.send(piece);
            }
            Await.until("a piece of the body is here", () -> stand.metric("remora_request_body_bytes_total") > 0);
            assertThat(backend.connections()).isEmpty();
            delaying.letGo();
            assertThat(client.response().bodyText()).isEqualTo("ok");
            assertThat(backend.requests().get(0).bodyText()).isEqualTo("hello world");
        }
    }

    /** What is held back is bounded: the client is not read on. */
    @Test
    void restsReadingMeanwhile() throws Exception {
        Delaying delaying = new Delaying();
        byte[] body = new byte[3 << 20];
        try (SeamStand stand = SeamStand.start(with(delaying), backend.port())) {
            RawClient client = stand.client();
            client.send("POST /held HTTP/1.1\r\nHost: app\r\nContent-Length: " + body.length + "\r\n\r\n");
            Thread sender = new Thread(() -> client.trySend(body));
            sender.start();
            StagedRequest held = delaying.awaitHeld();
            Await.until("a piece of the body is here", () -> stand.metric("remora_request_body_bytes_total") > 0);
            // a turn of the loop later nothing more has been read
            assertThat(stand.get("/").status()).isEqualTo(200);
            assertThat(stand.metric("remora_request_body_bytes_total")).isLessThanOrEqualTo(256 << 10);
            held.listener().loop().eventLoop().execute(held::resume);
            assertThat(client.response().bodyText()).isEqualTo("ok");
            sender.join(Await.TIMEOUT_MS);
            assertThat(backend.requests())
                    .anySatisfy(request -> assertThat(request.body()).isEqualTo(body));
        }
    }

    @Test
    void theClientLeavesMeanwhile() throws IOException {
        Delaying delaying = new Delaying();
        Observing observing = new Observing();
        try (SeamStand stand = SeamStand.start(with(observing, delaying), backend.port())) {
            RawClient client = stand.client();
            client.send("GET /held HTTP/1.1\r\nHost: app\r\n\r\n");
            Await.until("held back", () -> !delaying.held.isEmpty());
            client.reset();
            stand.awaitIdle();
            assertThat(stand.failures("client-gone")).isOne();
            delaying.letGo();
            // whatever the late word does is done before this
            assertThat(stand.get("/").status()).isEqualTo(200);
            stand.awaitIdle();
            assertThat(backend.requests()).hasSize(1);
            assertThat(observing.told)
                    .containsExactly(
                            "ended 0 CLIENT_GONE after 0",
                            "attempt 1",
                            "attempt 1 ended 200 null",
                            "ended 200 null after 1");
        }
    }

    /** Nothing is read while content is held, so that only the late word brings to light that the client has gone. */
    @Test
    void theClientLeavesWithinABodyMeanwhile() throws IOException {
        Delaying delaying = new Delaying();
        Observing observing = new Observing();
        try (SeamStand stand = SeamStand.start(with(observing, delaying), backend.port())) {
            backend.onRequest(connection -> connection.readToEnd());
            RawClient client = stand.client();
            client.send("POST /held HTTP/1.1\r\nHost: app\r\nContent-Length: 9\r\n\r\n1234");
            Await.until("a piece of the body is here", () -> stand.metric("remora_request_body_bytes_total") == 4);
            client.reset();
            delaying.letGo();
            stand.awaitIdle();
            assertThat(stand.failures("client-gone")).isOne();
            assertThat(stand.failures()).isOne();
            assertThat(observing.told)
                    .containsExactly("attempt 1", "attempt 1 ended 0 CLIENT_GONE", "ended 0 CLIENT_GONE after 1");
        }
    }

    // ---- one that rewrites

    private static final class UpperCase extends Filter {
        @Override
        public ByteBuf requestContent(ByteBuf content) {
            return upper(content);
        }

        @Override
        public ByteBuf responseContent(ByteBuf content) {
            return upper(content);
        }

        private static ByteBuf upper(ByteBuf content) {
            ByteBuf changed = Unpooled.buffer(content.readableBytes());
            while (content.isReadable()) {
                changed.writeByte(Character.toUpperCase((char) content.readUnsignedByte()));
            }
            content.release();
            return changed;
        }
    }

    /** Writes each octet twice, and a last word at the end. */
    private static final class Growing extends Filter {
        @Override
        public ByteBuf requestContent(ByteBuf content) {
            return twice(content);
        }

        @Override
        public ByteBuf requestEnd() {
            return Unpooled.copiedBuffer(Wire.bytes("-end"));
        }

        @Override
        public void responseHead(ResponseHead head) {
            head.forgetLength();
        }

        @Override
        public ByteBuf responseContent(ByteBuf content) {
            return twice(content);
        }

        @Override
        public ByteBuf responseEnd() {
            return Unpooled.copiedBuffer(Wire.bytes("-end"));
        }

        private static ByteBuf twice(ByteBuf content) {
            ByteBuf changed = Unpooled.buffer(2 * content.readableBytes());
            while (content.isReadable()) {
                byte octet = content.readByte();
                changed.writeByte(octet).writeByte(octet);
            }
            content.release();
            return changed;
        }
    }

    private static Stage joining(boolean upperCase, boolean growing) {
        return new Stage() {
            @Override
            public boolean pass(StagedRequest exchange) {
                if (upperCase) {
                    exchange.join(new UpperCase());
                }
                if (growing) {
                    exchange.head().forgetLength();
                    exchange.join(new Growing());
                }
                return true;
            }
        };
    }

    private void echo() {
        backend.onRequest(connection -> {
            RawRequest request = connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + request.body().length + "\r\n\r\n");
            connection.write(Wire.text(request.body()).toLowerCase(Locale.ROOT));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {POST, CHUNKED_POST})
    void rewritesBothBodies(String request) throws IOException {
        echo();
        try (SeamStand stand = SeamStand.start(with(joining(true, false)), backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 2; i++) {
                RawResponse response = client.send(request).response();
                assertThat(response.field("Content-Length")).isEqualTo("5");
                assertThat(response.bodyText()).isEqualTo("HELLO");
            }
            assertThat(backend.requests()).hasSize(2).allSatisfy(seen -> assertThat(seen.bodyText())
                    .isEqualTo("HELLO"));
            assertThat(backend.connections()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {POST, CHUNKED_POST})
    void changesTheLengthOfBothBodies(String request) throws IOException {
        echo();
        try (SeamStand stand = SeamStand.start(with(joining(true, true)), backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 2; i++) {
                RawResponse response = client.send(request).response();
                assertThat(response.fields().has("Content-Length")).isFalse();
                assertThat(response.field("Transfer-Encoding")).isEqualTo("chunked");
                // the response passes the filters in the opposite order, so that all of it is in upper case
                assertThat(response.bodyText()).isEqualTo("HHHHEEEELLLLLLLLOOOO--EENNDD-END");
            }
            RawRequest seen = backend.requests().get(1);
            assertThat(seen.fields().has("Content-Length")).isFalse();
            assertThat(seen.field("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(seen.bodyText()).isEqualTo("HHEELLLLOO-end");
            assertThat(seen.trailers().has("X-Sum")).isEqualTo(request.equals(CHUNKED_POST));
        }
    }

    @Test
    void hasTheCloseEndWhatAnOldClientCannotHaveFramed() throws IOException {
        try (SeamStand stand = SeamStand.start(with(joining(false, true)), backend.port())) {
            RawClient client = stand.client();
            String all =
                    Wire.text(client.send("GET / HTTP/1.0\r\nHost: app\r\n\r\n").readToEnd());
            assertThat(all)
                    .doesNotContain("Content-Length", "Transfer-Encoding")
                    .endsWith("\r\n\r\nookk-end");
        }
    }

    @Test
    void addsNoBodyWhereThereIsNone() throws IOException {
        try (SeamStand stand = SeamStand.start(with(joining(false, true)), backend.port())) {
            backend.onRequest(connection -> {
                RawRequest request = connection.readRequest();
                connection.write(
                        request.method().equals("HEAD")
                                ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                                : "HTTP/1.1 204 No Content\r\n\r\n");
            });
            RawClient client = stand.client();
            for (int i = 0; i < 2; i++) {
                assertThat(client.send("HEAD / HTTP/1.1\r\nHost: app\r\n\r\n")
                                .response("HEAD")
                                .status())
                        .isEqualTo(200);
                assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(204);
            }
            assertThat(backend.requests()).hasSize(4).allSatisfy(seen -> assertThat(seen.body())
                    .isEmpty());
            stand.awaitIdle();
            assertThat(stand.metric("remora_response_body_bytes_total")).isZero();
        }
    }

    /** A filter that joins once a request has been held back sees what of its body came meanwhile. */
    @ParameterizedTest
    @ValueSource(
            strings = {"Content-Length: 5\r\n\r\n|hel|lo", "Transfer-Encoding: chunked\r\n\r\n|5\r\nhello\r\n|0\r\n\r\n"
            })
    void rewritesWhatCameBeforeTheFilterJoined(String rest) throws IOException {
        Delaying delaying = new Delaying();
        try (SeamStand stand = SeamStand.start(with(delaying, joining(true, true)), backend.port())) {
            RawClient client = stand.client();
            client.send("POST /held HTTP/1.1\r\nHost: app\r\n");
            for (String piece : rest.split("\\|")) {
                client.send(piece);
            }
            Await.until("the body has begun to come", () -> stand.metric("remora_request_body_bytes_total") > 0);
            delaying.letGo();
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(backend.requests().get(0).bodyText()).isEqualTo("HHEELLLLOO-end");
        }
    }

    // ---- one that fails the exchange

    /** Refuses a body in which it finds an x. */
    private static final class Refusing extends Filter {
        private final StagedRequest exchange;

        Refusing(StagedRequest exchange) {
            this.exchange = exchange;
        }

        @Override
        public @Nullable ByteBuf requestContent(ByteBuf content) {
            if (content.indexOf(content.readerIndex(), content.writerIndex(), (byte) 'x') >= 0) {
                exchange.fail(Failure.BAD_REQUEST);
            }
            return content;
        }

        @Override
        public @Nullable ByteBuf requestEnd() {
            exchange.fail(Failure.BAD_REQUEST);
            return Unpooled.copiedBuffer(Wire.bytes("late"));
        }
    }

    /** Content that a filter hands on though it has ended the exchange goes nowhere and is not kept. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5\r\n\r\nx1234", "Content-Length: 5\r\n\r\n01234"})
    void failsByAFilter(String rest) throws IOException {
        Stage refusing = new Stage() {
            @Override
            public boolean pass(StagedRequest exchange) {
                exchange.join(new Refusing(exchange));
                return true;
            }
        };
        try (SeamStand stand = SeamStand.start(with(refusing), backend.port())) {
            backend.onRequest(connection -> connection.readToEnd());
            for (int i = 0; i < 20; i++) {
                RawClient client = stand.client();
                RawResponse response =
                        client.send("POST / HTTP/1.1\r\nHost: app\r\n" + rest).response();
                assertThat(response.status()).isEqualTo(400);
            }
            stand.awaitIdle();
            assertThat(stand.failures("bad-request")).isEqualTo(20);
        }
    }

    // ---- one that observes

    private static final class Observing extends Stage {
        final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public boolean pass(StagedRequest exchange) {
            exchange.join(new Filter() {
                @Override
                public void attempt(RequestHead head, AttemptView attempt) {
                    told.add("attempt " + attempt.number());
                }

                @Override
                public void attemptEnded(AttemptView attempt) {
                    told.add("attempt " + attempt.number() + " ended " + attempt.status() + " " + attempt.failure());
                }

                @Override
                public void ended(RequestView ended) {
                    told.add("ended " + ended.status() + " " + ended.failure() + " after " + ended.attempts());
                }
            });
            return true;
        }
    }

    @Test
    void seesAnExchange() {
        Observing observing = new Observing();
        try (SeamStand stand = SeamStand.start(with(observing), backend.port())) {
            assertThat(stand.get("/").status()).isEqualTo(200);
            stand.awaitIdle();
            assertThat(observing.told)
                    .containsExactly("attempt 1", "attempt 1 ended 200 null", "ended 200 null after 1");
        }
    }

    @Test
    void seesARepick() {
        Observing observing = new Observing();
        try (DeadPort dead = new DeadPort();
                SeamStand stand = SeamStand.start(with(observing), SeamStand.preferring(dead.port(), backend.port()))) {
            assertThat(stand.get("/").status()).isEqualTo(200);
            stand.awaitIdle();
            assertThat(observing.told)
                    .containsExactly(
                            "attempt 1",
                            "attempt 1 ended 0 CONNECT_FAILED",
                            "attempt 2",
                            "attempt 2 ended 200 null",
                            "ended 200 null after 2");
        }
    }

    @Test
    void seesARepetition() throws IOException {
        Observing observing = new Observing();
        try (SeamStand stand = SeamStand.start(with(observing), backend.port())) {
            RawClient client = stand.client();
            assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
            backend.onRequest(connection -> {
                connection.readRequest();
                if (connection.index() == 0) {
                    connection.close();
                } else {
                    connection.write(RecordingBackend.OK);
                }
            });
            assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
            stand.awaitIdle();
            assertThat(observing.told.subList(3, observing.told.size()))
                    .containsExactly(
                            "attempt 1",
                            "attempt 1 ended 0 BACKEND_CLOSED",
                            "attempt 2",
                            "attempt 2 ended 200 null",
                            "ended 200 null after 2");
        }
    }

    @Test
    void seesAFailure() {
        Observing observing = new Observing();
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 2x0 Odd\r\n\r\n");
        });
        try (SeamStand stand = SeamStand.start(with(observing), backend.port())) {
            assertThat(stand.get("/").status()).isEqualTo(502);
            stand.awaitIdle();
            assertThat(observing.told)
                    .containsExactly("attempt 1", "attempt 1 ended 0 BAD_RESPONSE", "ended 502 BAD_RESPONSE after 1");
        }
    }

    @Test
    void seesTheClientGo() throws IOException {
        Observing observing = new Observing();
        backend.onRequest(connection -> connection.readToEnd());
        try (SeamStand stand = SeamStand.start(with(observing), backend.port())) {
            RawClient client = stand.client();
            client.send(SeamStand.GET);
            Await.until("the request is at the backend", () -> backend.received().length > 0);
            client.reset();
            stand.awaitIdle();
            assertThat(observing.told)
                    .containsExactly("attempt 1", "attempt 1 ended 0 CLIENT_GONE", "ended 0 CLIENT_GONE after 1");
        }
    }
}
