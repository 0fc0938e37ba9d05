package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ListenerConfig;
import io.remora.exchange.AttemptView;
import io.remora.exchange.Filter;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.RequestIds;
import io.remora.http.ResponseHead;
import io.remora.seams.Http2Peer;
import io.remora.seams.Http2Streams;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.Requests;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a connection of either side, while the end of some of its streams throws: each other stream ends as well. */
final class Http2FailingEndsIT {
    private static final int THROWING = 6;

    /** A stage whose requests to two paths throw, as they get a response, or as their attempt ends. */
    private static final class Throwing extends Stage {
        @Override
        public boolean pass(StagedRequest exchange) {
            String path = exchange.head().path();
            if (path.equals("/response") || path.equals("/attempt")) {
                exchange.join(new Filter() {
                    @Override
                    public void responseHead(ResponseHead head) {
                        throwAt("/response");
                    }

                    @Override
                    public void attemptEnded(AttemptView attempt) {
                        throwAt("/attempt");
                    }

                    private void throwAt(String event) {
                        if (event.equals(path)) {
                            throw new IllegalStateException("of this test");
                        }
                    }
                });
            }
            return true;
        }
    }

    private static String[] get(String path) {
        return new String[] {":method", "GET", ":scheme", "http", ":authority", "app", ":path", path};
    }

    private static SeamStand before(String listener, Http2Streams endpoint) {
        Seams seams = new Seams() {
            @Override
            public Stage[] stages(
                    ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing, Shared shared) {
                Stage[] shipped = super.stages(listener, requestIds, tracing, shared);
                Stage[] all = new Stage[shipped.length + 1];
                all[0] = new Throwing();
                System.arraycopy(shipped, 0, all, 1, shipped.length);
                return all;
            }
        };
        return SeamStand.start(seams, SeamStand.config(listener, "protocol: http2", endpoint.port()));
    }

    /** The connection is closed, or refuses all streams by a GOAWAY. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void streamsWhoseEndThrowsKeepNoOtherFromItsEnd(boolean closes) throws IOException {
        try (Http2Streams endpoint = Http2Streams.start();
                SeamStand stand = before("", endpoint)) {
            for (int i = 1; i <= THROWING; i++) {
                int before = endpoint.requests();
                stand.client().send(Requests.post("/response", "hello"));
                Await.until("at the endpoint", () -> endpoint.requests() > before);
            }
            RawClient last = stand.client().send(Requests.post("/good", "hello"));
            endpoint.connection(0).whole("/good");
            if (closes) {
                endpoint.connection(0).peer().close();
            } else {
                endpoint.connection(0).peer().goAway(0, Http2Peer.PROTOCOL_ERROR);
            }
            assertThat(last.response().status()).isGreaterThanOrEqualTo(502);
        }
    }

    /** The client breaks a rule, which ends its connection and every request on it. */
    @Test
    void requestsWhoseEndThrowsKeepNoOtherOfTheirClientFromItsEnd() throws IOException {
        try (Http2Streams endpoint = Http2Streams.start();
                SeamStand stand = before("protocol: http2", endpoint);
                FrameClient client = FrameClient.connect(stand.address())) {
            int stream = 1;
            for (int i = 1; i <= THROWING; i++) {
                client.headers(stream, true, get("/attempt"));
                stream += 2;
            }
            client.headers(stream, true, get("/good"));
            Http2Streams.Stream good = endpoint.connection(0).whole("/good");
            // RFC 9113 6.7
            client.send(FrameClient.frame(FrameClient.PING, 0, 0, new byte[3]));
            client.readToEnd();
            Await.until("reset", good::isReset);
        }
    }
}
