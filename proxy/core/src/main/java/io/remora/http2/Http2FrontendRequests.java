package io.remora.http2;

import io.remora.exchange.FrontendExchange;
import io.remora.exchange.ListenerSnapshot;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Rule;
import io.remora.http2.hpack.FieldSection;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests of the header sections of a connection's streams, and begins their exchanges; hands trailers on.
 *
 * <p>Owner: one connection. Spec: RFC 9113 sections 8.1 and 8.5.
 */
final class Http2FrontendRequests {
    private final Http2FrontendConnection connection;

    Http2FrontendRequests(Http2FrontendConnection connection) {
        this.connection = connection;
    }

    void begin(Http2FrontendStream stream, FieldSection section, boolean ends) {
        ListenerSnapshot snapshot = connection.listener().snapshot();
        RequestReader reader =
                new RequestReader(snapshot.config(), snapshot.addedLines(), snapshot.addedOctets(), section);
        FrontendRequest head = reader.read(ends);
        FrontendExchange begun = exchange(stream, head, reader.blockOctets());
        if (reader.isMalformed()) {
            begun.broke(reader.rule());
            connection.faults.refuse(stream, ErrorCode.PROTOCOL_ERROR);
            return;
        }
        Failure failure = reader.failure();
        if (failure != null) {
            begun.fail(failure, reader.rule());
            return;
        }
        stream.intake().expect(head.bodyLength());
        if (head.isWebSocket()) {
            stream.intake().awaitTunnel();
        }
        begun.start();
        if (ends) {
            stream.inputWhole(null);
        }
    }

    private FrontendExchange exchange(Http2FrontendStream stream, FrontendRequest head, int octets) {
        long readyNs = connection.listener().loop().readyNs();
        FrontendExchange begun = connection.newExchange(stream.output(), head, readyNs, readyNs, 0);
        stream.serve(begun, octets);
        return begun;
    }

    /** The head of {@code stream} was larger than it may be, or its trailers. */
    void tooLarge(Http2FrontendStream stream) {
        FrontendExchange current = stream.exchange();
        if (current == null) {
            current = exchange(stream, RequestReader.unreadable(), 0);
        }
        current.fail(Failure.HEADERS_TOO_LARGE, Rule.FIELDS_TOO_LARGE);
        connection.turn.touch(stream);
    }

    void trailers(Http2FrontendStream stream, FieldSection section) {
        connection.turn.touch(stream);
        if (stream.isTunnel() || stream.intake().isEarly()) {
            // RFC 9113 8.5
            broke(stream, Rule.FRAMES);
            connection.faults.refuse(stream, ErrorCode.PROTOCOL_ERROR);
            return;
        }
        TrailerReader reader =
                new TrailerReader(connection.listener().snapshot().config());
        Fields fields = reader.read(section, stream.headOctets());
        Failure failure = reader.failure();
        if (fields != null) {
            stream.inputWhole(fields);
        } else if (failure == null) {
            broke(stream, reader.rule());
            connection.faults.refuse(stream, ErrorCode.PROTOCOL_ERROR);
        } else {
            broke(stream, reader.rule());
            connection.faults.thrownAway(stream);
            fail(stream.exchange(), failure);
        }
    }

    private static void broke(Http2FrontendStream stream, @Nullable Rule rule) {
        FrontendExchange current = stream.exchange();
        if (current != null) {
            current.broke(rule);
        }
    }

    private static void fail(@Nullable FrontendExchange current, Failure failure) {
        if (current != null) {
            current.fail(failure);
        }
    }
}
