package io.remora.finagle;

import io.netty.buffer.ByteBuf;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.http1.BodyReader;
import io.remora.http1.HopByHop;
import io.remora.http1.ResponseParser;
import io.remora.http1.SectionRules;
import io.remora.transport.Loop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the responses on one connection, by the rules of the default engine: interim heads and the final one, and the body behind it.
 *
 * <p>Owner: the event loop. Spec: RFC 9112 sections 6 and 9; RFC 9110 section 15.2.
 */
final class ResponseReader {
    private final Loop loop;
    private final ResponseParser parser;
    private final BodyReader body;
    private @Nullable Failure failure;
    private boolean keepAlive;
    private boolean closeDelimited;
    /** The time of the first bytes of the head that is being read, 0 before any. */
    private long firstByteNs;
    /** The time of the first bytes of the head that was read last. */
    private long readyNs;

    private List<String> nominated = List.of();

    ResponseReader(Loop loop, SectionRules rules) {
        this.loop = loop;
        this.parser = new ResponseParser(rules);
        this.body = new BodyReader(rules.ofBody());
    }

    /** A request has been sent. */
    void expect(RequestStart start) {
        firstByteNs = 0;
        parser.expect(start.isHead(), start.upgrades());
    }

    // ---- heads

    /** The next head without the fields of its connection; null where it is not whole, or is refused by {@link #failure}. */
    @Nullable
    ResponseHead head(ByteBuf bytes) {
        if (firstByteNs == 0) {
            firstByteNs = loop.readyNs();
        }
        return switch (parser.parse(bytes)) {
            case MORE -> null;
            case REFUSED -> {
                failure = parser.failure();
                yield null;
            }
            case DONE -> head();
        };
    }

    private ResponseHead head() {
        ResponseHead whole = new ResponseHead(parser.status(), parser.reason(), parser.fields(), parser.bodyLength());
        nominated = HopByHop.strip(whole, parser.connectionOptions());
        if (!whole.isSwitch() && !whole.isInterim()) {
            boolean chunked = parser.isChunked();
            keepAlive = parser.isKeptAlive();
            closeDelimited = whole.bodyLength() == BodyLength.UNKNOWN && !chunked;
            body.begin(whole.bodyLength(), chunked, parser.blockOctets());
        }
        parser.reset();
        readyNs = firstByteNs;
        // the next head has a time of its own
        firstByteNs = 0;
        return whole;
    }

    /** Why a head is none; null where it is one. */
    @Nullable
    Failure failure() {
        return failure;
    }

    /** The rule that a head, or a body, breaks; null for none. */
    @Nullable
    Rule rule() {
        return parser.rule() == null ? body.rule() : parser.rule();
    }

    /** Returns when the first bytes of the head that was read last were readable. */
    long readyNs() {
        return readyNs;
    }

    // ---- the body

    /** Returns the content in {@code bytes}, which stay the caller's; null for none. */
    @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same octets
    @Nullable
    ByteBuf content(ByteBuf bytes) {
        ByteBuf content = body.read(bytes);
        return content == bytes ? bytes.readRetainedSlice(bytes.readableBytes()) : content;
    }

    boolean isBroken() {
        return body.failure() != null;
    }

    boolean hasEnded() {
        return body.isEnded();
    }

    /** Returns whether it ends where its connection does, which has ended. */
    boolean endsWithConnection() {
        return closeDelimited && body.endOfInput();
    }

    /** Returns the trailers, null for none. */
    @Nullable
    Fields trailers() {
        Fields trailers = body.takeTrailers();
        if (trailers != null) {
            HopByHop.stripTrailers(trailers, nominated);
        }
        return trailers;
    }

    /** Returns whether the endpoint takes another request after this one. */
    boolean isKeptAlive() {
        return keepAlive;
    }
}
