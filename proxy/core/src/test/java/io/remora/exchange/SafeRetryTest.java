package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Address;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.engine.Cluster;
import io.remora.exchange.SafeRetry.Next;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Heads;
import io.remora.http.RequestHead;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.memory.Plans;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import io.remora.route.Router;
import io.remora.seams.SilentFrontend;
import io.remora.seams.SilentStream;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What follows an attempt that came to nothing, by what the exchange knows of it. */
final class SafeRetryTest {
    private static final Loops LOOPS = new Loops(1, NanoClock.SYSTEM, new Stats(), Plans.holding(1 << 20));

    private final SafeRetry retries = new SafeRetry();
    private boolean hasOther = true;
    private boolean repeatsByItself;

    @AfterAll
    static void endLoops() {
        LOOPS.shutdown().syncUninterruptibly();
    }

    /** After an attempt that got as far as a stream. */
    private Next after(Failure failure, String method, boolean reused, boolean unanswered, boolean replayable) {
        RequestHead head = Heads.request(method, "/");
        Attempt attempt = attempt(head);
        attempt.picked(new Picked());
        attempt.ready(new SilentStream(reused));
        return retries.after(attempt, failure, head, unanswered, body(replayable));
    }

    private static RequestBody body(boolean replayable) {
        return new RequestBody(replayable ? BodyLength.NONE : 1, Limits.UNLIMITED);
    }

    /** After an attempt that got no stream. */
    private Next afterUnsent(Failure failure) {
        RequestHead head = Heads.request("POST", "/");
        Attempt attempt = attempt(head);
        attempt.picked(new Picked());
        return retries.after(attempt, failure, head, true, body(false));
    }

    private Attempt attempt(RequestHead head) {
        HeaderPolicy headers = new HeaderPolicy(
                ForwardingMode.OFF,
                ForwardingMode.OFF,
                ForwardingMode.OFF,
                ForwardingMode.OFF,
                ForwardingMode.SANITIZE,
                false,
                RequestIdMode.OFF,
                Underscores.PASS);
        ListenerConfig config = new ListenerConfig(
                "test",
                new Address("127.0.0.1", 1),
                headers,
                new Limits(1, 1, 1, 1, 1, 1, Limits.UNLIMITED),
                new FrontendTimeouts(1, 1, 1, Limits.UNLIMITED),
                PathConfig.DEFAULT,
                List.of(),
                Options.NONE);
        ListenerLoop listener = new ListenerLoop(
                LOOPS.all().get(0),
                new ListenerStats("test", Failure.labels()),
                new Admission(),
                new Via("test"),
                null,
                new RequestIds(() -> 0, 0));
        listener.replace(new ListenerSnapshot(1, config, new Router(List.of()), Map.of(), new Stage[0]));
        return new Attempt(new Exchange(listener, new SilentFrontend(), head, 0, 0, 0), new Endpoints(), 1);
    }

    // ---- nothing was sent

    @ParameterizedTest
    @EnumSource(
            value = Failure.class,
            names = {"CONNECT_FAILED", "CONNECT_TIMEOUT", "HANDSHAKE_FAILED", "POOL_EXHAUSTED"})
    void anyRequestGoesToAnotherEndpointOnce(Failure failure) {
        assertThat(afterUnsent(failure)).isEqualTo(Next.OTHER_ENDPOINT);
        assertThat(afterUnsent(failure)).isEqualTo(Next.NONE);
    }

    @Test
    void nothingFollowsWhereThereIsNoOtherEndpoint() {
        hasOther = false;
        assertThat(afterUnsent(Failure.CONNECT_FAILED)).isEqualTo(Next.NONE);
        hasOther = true;
        assertThat(afterUnsent(Failure.CONNECT_FAILED)).isEqualTo(Next.OTHER_ENDPOINT);
    }

    @Test
    void nothingFollowsWhereNoEndpointWasPicked() {
        RequestHead head = Heads.request("GET", "/");
        assertThat(retries.after(attempt(head), Failure.CONNECT_FAILED, head, true, body(true)))
                .isEqualTo(Next.NONE);
    }

    // ---- it was sent

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"})
    void whatIsIdempotentIsRepeatedOnceOnANewConnection(String method) {
        assertThat(after(Failure.BACKEND_CLOSED, method, true, true, true)).isEqualTo(Next.NEW_CONNECTION);
        assertThat(after(Failure.BACKEND_CLOSED, method, true, true, true)).isEqualTo(Next.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH", "PURGE", "get", "CONNECT"})
    void whatIsNotIdempotentIsNeverRepeated(String method) {
        assertThat(after(Failure.BACKEND_CLOSED, method, true, true, true)).isEqualTo(Next.NONE);
    }

    @ParameterizedTest
    @CsvSource({"false, true, true", "true, false, true", "true, true, false"})
    void itIsRepeatedOnlyOnAUsedConnectionWithoutAnAnswerAndWhole(
            boolean reused, boolean unanswered, boolean replayable) {
        assertThat(after(Failure.BACKEND_CLOSED, "GET", reused, unanswered, replayable))
                .isEqualTo(Next.NONE);
        // which does not count as a repetition
        assertThat(after(Failure.BACKEND_CLOSED, "GET", true, true, true)).isEqualTo(Next.NEW_CONNECTION);
    }

    /** One of each: the new connection may fail to come about, and the other endpoint's may be stale. */
    @Test
    void aRepickAndARepetitionMayFollowEachOther() {
        assertThat(after(Failure.BACKEND_CLOSED, "GET", true, true, true)).isEqualTo(Next.NEW_CONNECTION);
        assertThat(afterUnsent(Failure.CONNECT_FAILED)).isEqualTo(Next.OTHER_ENDPOINT);
        assertThat(after(Failure.BACKEND_CLOSED, "GET", true, true, true)).isEqualTo(Next.NONE);
        assertThat(afterUnsent(Failure.CONNECT_FAILED)).isEqualTo(Next.NONE);
    }

    // ---- it was sent, and the backend says that it has not looked at it

    @Test
    void whatWasNotProcessedGoesElsewhereAndThenToANewConnection() {
        assertThat(after(Failure.STREAM_REFUSED, "POST", false, true, true)).isEqualTo(Next.OTHER_ENDPOINT);
        assertThat(after(Failure.STREAM_REFUSED, "POST", false, true, true)).isEqualTo(Next.NEW_CONNECTION);
        assertThat(after(Failure.STREAM_REFUSED, "POST", false, true, true)).isEqualTo(Next.NONE);
        assertThat(after(Failure.STREAM_REFUSED, "GET", false, false, true)).isEqualTo(Next.NONE);
    }

    @Test
    void whatAnEndpointCannotDoIsAskedOfAnotherOnce() {
        assertThat(after(Failure.WEBSOCKET_REFUSED, "GET", false, true, true)).isEqualTo(Next.OTHER_ENDPOINT);
        assertThat(after(Failure.WEBSOCKET_REFUSED, "GET", false, true, true)).isEqualTo(Next.NONE);
    }

    // ---- never

    @ParameterizedTest
    @EnumSource(
            value = Failure.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "CONNECT_FAILED",
                "CONNECT_TIMEOUT",
                "HANDSHAKE_FAILED",
                "POOL_EXHAUSTED",
                "BACKEND_CLOSED",
                "STREAM_REFUSED",
                "WEBSOCKET_REFUSED"
            })
    void nothingFollowsAnyOtherFailure(Failure failure) {
        assertThat(after(failure, "GET", true, true, true)).isEqualTo(Next.NONE);
        assertThat(afterUnsent(failure)).isEqualTo(Next.NONE);
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    void nothingFollowsWhereTheEngineRepeatsByItself(Failure failure) {
        repeatsByItself = true;
        assertThat(after(failure, "GET", true, true, true)).isEqualTo(Next.NONE);
        assertThat(afterUnsent(failure)).isEqualTo(Next.NONE);
    }

    // ---- what stands around an attempt

    private static final class Picked implements Target {
        @Override
        public String name() {
            return "127.0.0.1:1";
        }

        @Override
        public void ended(Verdict verdict, long latencyNs) {}
    }

    private final class Endpoints extends Cluster {
        @Override
        public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
            throw new AssertionError("an attempt is judged, not made");
        }

        @Override
        public void newStreamAgain(Target target, StreamClient client) {
            throw new AssertionError("an attempt is judged, not made");
        }

        @Override
        public boolean hasOther(Target tried) {
            return hasOther;
        }

        @Override
        public boolean repeatsByItself() {
            return repeatsByItself;
        }
    }
}
