package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.Response;
import com.twitter.io.Reader;
import com.twitter.util.FutureEventListener;
import io.remora.http.BodyLength;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * The response of one attempt, from Finagle's call to the exchange.
 *
 * <p>Owner: the exchange's event loop. Bounds: one piece, and the octets that the connection has read.
 */
final class FinagleResponseRelay {
    private final FinagleStream stream;
    private final Deadline deadline;
    /** The response that the client gets. */
    private @Nullable Response given;
    /** The reader of a body that is read on; null before, and once the body is over. */
    private @Nullable Reader<Chunk> body;

    private boolean begun;
    /** True while the body is to be read on. */
    private boolean reading = true;
    /** True while a read of the body is under way. */
    private boolean asked;
    /** The octets of a declared length that have not come; -1 for a body of any other length. */
    private long owed = -1;

    FinagleResponseRelay(FinagleStream stream, Deadline deadline) {
        this.stream = stream;
        this.deadline = deadline;
    }

    /** Returns whether its head has come. */
    boolean hasBegun() {
        return begun;
    }

    /** Returns whether its body is being read on. */
    boolean isOpen() {
        return body != null;
    }

    boolean isReading() {
        return reading;
    }

    /** Returns the response that the client gets; null before its head. */
    @Nullable
    Response given() {
        return given;
    }

    /**
     * @param toHead whether the request was HEAD
     */
    void answered(Response value, boolean toHead) {
        StreamClient told = stream.client();
        if (told == null) {
            value.chunkReader().discard();
            return;
        }
        ResponseHead received;
        try {
            received = Answers.headOf(value, toHead);
        } catch (IllegalArgumentException e) {
            value.chunkReader().discard();
            stream.failed(e);
            return;
        }
        begun = true;
        given = value;
        boolean empty = received.bodyLength() == BodyLength.NONE && !received.isSwitch();
        body = value.isChunked() ? value.chunkReader() : null;
        owed = received.bodyLength() == BodyLength.UNKNOWN ? -1 : received.bodyLength();
        stream.awaitContent();
        told.response(
                received,
                value instanceof EndpointResponse own
                        ? own.readyNs()
                        : stream.loop().readyNs());
        if (stream.isGone()) {
            return;
        }
        if (received.isSwitch()) {
            deadline.clear();
            told.readComplete();
        } else if (empty) {
            value.chunkReader().discard();
            ended(null);
        } else if (value.isChunked()) {
            readOn();
        } else {
            whole(value, told);
        }
    }

    private void whole(Response value, StreamClient told) {
        Piece whole = value instanceof EndpointResponse own ? own.whole() : null;
        Piece content = whole == null ? Piece.of(value.content()) : whole;
        if (comes(content)) {
            told.content(content.take());
        }
        ended(null);
    }

    /**
     * Counts a piece against the declared length, drops it where it exceeds that, and returns whether there is content.
     */
    private boolean comes(Piece content) {
        if (owed >= 0) {
            owed -= content.length();
            if (owed < 0) {
                content.drop();
                owed = 1;
                return false;
            }
        }
        return content.length() > 0;
    }

    /** Sets whether the body is read on from now on. */
    void reading(boolean wanted) {
        reading = wanted;
    }

    void readOn() {
        Reader<Chunk> from = body;
        if (from == null || asked || !reading || stream.isGone()) {
            return;
        }
        asked = true;
        from.read().addEventListener(new FutureEventListener<Option<Chunk>>() {
            @Override
            public void onSuccess(Option<Chunk> value) {
                stream.loop().execute(() -> chunk(value));
            }

            @Override
            public void onFailure(Throwable cause) {
                stream.loop().execute(() -> stream.failed(cause));
            }
        });
    }

    private void chunk(Option<Chunk> read) {
        asked = false;
        StreamClient told = stream.client();
        if (told == null) {
            return;
        }
        if (read.isEmpty()) {
            ended(null);
            return;
        }
        Chunk chunk = read.get();
        Piece content = Piece.of(chunk);
        if (comes(content)) {
            stream.awaitContent();
            told.content(content.take());
        }
        if (chunk.isLast()) {
            endedBy(chunk);
        } else if (!stream.isGone()) {
            told.readComplete();
            readOn();
        }
    }

    private void endedBy(Chunk last) {
        Reader<Chunk> from = body;
        if (from != null) {
            // tells of the end once more, and gives the connection back then
            from.read();
        }
        try {
            Fields trailers = Trailing.of(last);
            ended(trailers.isEmpty() ? null : trailers);
        } catch (IllegalArgumentException e) {
            stream.failed(e);
        }
    }

    private void ended(@Nullable Fields trailers) {
        if (owed > 0) {
            stream.failed(new IllegalStateException("another length than the response declared"));
            return;
        }
        body = null;
        deadline.clear();
        StreamClient told = stream.client();
        if (told != null) {
            told.end(trailers);
            told.readComplete();
        }
    }

    /** Drops the rest of the body, which is not taken any more. */
    void discard() {
        Reader<Chunk> from = body;
        body = null;
        if (from != null) {
            from.discard();
        }
    }

    /** The tunnel behind it is over, so that Finagle learns by a read that the connection has closed. */
    void tunnelEnded() {
        Reader<Chunk> from = body;
        body = null;
        if (from != null) {
            from.read();
        }
    }
}
