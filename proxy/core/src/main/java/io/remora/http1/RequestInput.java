package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.Rule;
import io.remora.memory.Held;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * The client's input: heads, bodies, in the end perhaps raw bytes, each parsed when it may be taken and not before.
 *
 * <p>Owner: one connection. Bounds: reading rests once a buffer's worth of bytes waits for its turn. An unfinished head
 * keeps to its limits, and all of a loop's together to its share of the heap.
 */
final class RequestInput {
    /** Part of the input that comes next. */
    enum State {
        /** A request's head, or nothing. */
        HEAD,
        /** The body of the request whose head came last. */
        BODY,
        /** Raw bytes. */
        TUNNEL
    }

    private static final byte CR = '\r';
    private static final byte LF = '\n';

    private final Loop loop;
    private final RequestParser parser;
    private final BodyReader body;
    private final int maxAhead;
    private State state = State.HEAD;
    private @Nullable ByteBuf unread;
    /** The head while its exchange has not taken it, and until its body is whole: a connection at rest keeps none. */
    private @Nullable Http1Request head;

    private @Nullable Fields trailers;
    /** True once further octets cannot be understood. */
    private boolean closed;
    /** True where the client may go on sending what nobody will read. */
    private boolean abandoned;
    /** True where {@link #unread} is a buffer of our own, to which more can be added. */
    private boolean gathering;

    private long startedNs;
    private long readyNs;
    private long carriedNs;
    /** Time at which the exchange before a waiting request ended: until then it waited for its client's own order. */
    private long turnNs = Long.MIN_VALUE;

    private final Held held;

    RequestInput(ListenerLoop listener) {
        ListenerSnapshot snapshot = listener.snapshot();
        ListenerConfig config = snapshot.config();
        Limits limits = config.limits();
        SectionRules rules = SectionRules.ofRequest(
                limits.requestLineBytes(),
                limits.headerBlockBytes(),
                limits.headerFields(),
                config.headers().underscores());
        this.maxAhead = limits.bufferBytes();
        this.loop = listener.loop();
        this.held = new Held(loop.memory());
        this.parser = new RequestParser(
                rules, Octets.of(snapshot.defaultAuthority()), snapshot.addedLines(), snapshot.addedOctets());
        this.body = new BodyReader(rules.ofBody());
    }

    State state() {
        return state;
    }

    /** Takes over octets that were read. */
    void add(ByteBuf bytes) {
        if (closed || !bytes.isReadable()) {
            bytes.release();
        } else if (unread == null) {
            unread = bytes;
        } else {
            unread = append(unread, bytes);
        }
    }

    // into a buffer with room for as much again, so that octets that come one by one are not copied each time; it is
    // never
    // enlarged, for slices of it may be on their way, and what was taken from it goes with the next copy
    private ByteBuf append(ByteBuf before, ByteBuf bytes) {
        ByteBuf all = before;
        if (!gathering || before.writableBytes() < bytes.readableBytes()) {
            int needed = before.readableBytes() + bytes.readableBytes();
            int octets = needed < maxAhead ? Math.min(2 * needed, maxAhead) : needed;
            all = before.alloc().buffer(octets, octets).writeBytes(before);
            before.release();
            gathering = true;
        }
        all.writeBytes(bytes);
        bytes.release();
        return all;
    }

    /** Returns whether more may be read ahead of its turn. */
    boolean hasRoom() {
        return unread == null
                || unread.readableBytes() < maxAhead
                        && loop.memory().unfinishedFits()
                        && loop.memory().hold(0);
    }

    /** Returns whether all that was read has been taken. */
    boolean isEmpty() {
        return unread == null;
    }

    /** True where octets that were read wait to be taken. */
    boolean hasUnread() {
        return unread != null && unread.isReadable();
    }

    /** True where a whole head may be among the octets that wait. */
    boolean mayHoldHead() {
        ByteBuf bytes = unread;
        if (bytes == null) {
            return false;
        }
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        while (at < end && isLineEnd(bytes.getByte(at))) {
            at++;
        }
        // an empty line ends a head
        for (int line = bytes.indexOf(at, end, LF); line >= 0; line = bytes.indexOf(line + 1, end, LF)) {
            int next = line + 1 < end && bytes.getByte(line + 1) == CR ? line + 2 : line + 1;
            if (next < end && bytes.getByte(next) == LF) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLineEnd(byte octet) {
        return octet == CR || octet == LF;
    }

    /** Gives back a buffer of which nothing is left; to be called once nothing more is taken. */
    void discardTaken() {
        ByteBuf bytes = unread;
        if (bytes != null && !bytes.isReadable()) {
            unread = null;
            gathering = false;
            bytes.release();
        }
    }

    // ---- heads

    /** Returns whether a head has begun that is not whole. */
    boolean hasPartialHead() {
        return state == State.HEAD && !closed && parser.hasBegun();
    }

    /** Parses on; {@link #takeHead} returns the head where it is whole. */
    Progress parseHead() {
        ByteBuf bytes = unread;
        if (bytes == null || closed) {
            return Progress.MORE;
        }
        long nowReadyNs = loop.readyNs();
        if (!parser.hasBegun()) {
            startedNs = nowReadyNs;
            carriedNs = 0;
        }
        readyNs = nowReadyNs;
        Progress progress = parser.parse(bytes);
        if (progress == Progress.DONE) {
            begin();
        }
        return progress;
    }

    private void begin() {
        long length = parser.bodyLength();
        head = new Http1Request(
                parser.method(),
                parser.target(),
                parser.authority(),
                parser.isHttp11(),
                parser.fields(),
                length,
                parser.connectionOptions());
        body.begin(length, length == BodyLength.UNKNOWN, parser.blockOctets());
        state = length == BodyLength.NONE ? State.HEAD : State.BODY;
        parser.reset();
        if (turnNs != Long.MIN_VALUE && turnNs - readyNs > 0) {
            startedNs = turnNs;
            readyNs = turnNs;
            carriedNs = 0;
        }
        turnNs = Long.MIN_VALUE;
    }

    /** Hands over the head that came last. */
    Http1Request takeHead() {
        Http1Request whole = head;
        if (whole == null) {
            throw new IllegalStateException("no head is whole");
        }
        head = state == State.BODY ? whole : null;
        return whole;
    }

    /** Returns a stand-in for a head that cannot be read. */
    Http1Request unreadable() {
        return parser.unreadable();
    }

    /** The rule that the head, or the body, breaks; null for none. */
    @Nullable
    Rule rule() {
        return parser.rule() == null ? body.rule() : parser.rule();
    }

    /** Failure of the head. */
    Failure failure() {
        return parser.failure();
    }

    /** Time at which the first bytes of the head that came last were readable. */
    long startedNs() {
        return startedNs;
    }

    /** Time at which the bytes that completed it were readable. */
    long readyNs() {
        return readyNs;
    }

    /** Time that the reads before the one that completed it took. */
    long carriedNs() {
        return carriedNs;
    }

    /** Gives up the wait for the rest of a head; the wait was the client's. */
    void giveUpHead() {
        readyNs = loop.nowNs();
    }

    /** Notes that the exchange before the waiting octets has ended. */
    void turn() {
        if (unread != null) {
            turnNs = loop.nowNs();
        }
    }

    // ---- bodies

    /** Takes the next piece of content, null where none is left. The caller owns it. */
    @Nullable
    @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same octets
    ByteBuf readBody() {
        ByteBuf bytes = unread;
        if (bytes == null) {
            return null;
        }
        ByteBuf content = body.read(bytes);
        if (content == bytes) {
            unread = null;
            gathering = false;
        }
        return content;
    }

    /** Failure of the body's framing, null for none. */
    @Nullable
    Failure bodyFailure() {
        return body.failure();
    }

    /** Goes on to the next head where the body is whole; returns whether it does. */
    boolean endBodyIfWhole() {
        if (state == State.BODY && body.isEnded()) {
            state = State.HEAD;
            trailers = body.takeTrailers();
            if (trailers != null && head != null) {
                HopByHop.stripTrailers(trailers, head.nominated());
            }
            head = null;
            return true;
        }
        return false;
    }

    /** Hands over the trailers of the body that is whole, without fields about the connection; null for none. */
    @Nullable
    Fields takeTrailers() {
        Fields taken = trailers;
        trailers = null;
        return taken;
    }

    // ---- raw bytes

    void openTunnel() {
        state = State.TUNNEL;
    }

    /** Takes all octets that have come, null for nothing. The caller owns the buffer. */
    @Nullable
    ByteBuf raw() {
        ByteBuf bytes = unread;
        unread = null;
        gathering = false;
        return bytes;
    }

    // ---- the end of a read, and of everything

    /** Counts the held bytes; returns the failure where there is no room for them. */
    @Nullable
    Failure readComplete() {
        boolean partial = hasPartialHead();
        if (partial) {
            carriedNs += loop.nowNs() - readyNs;
        }
        // many unfinished sections must not come to more than the heap, though each keeps to its limit
        int waiting = waitingBytes();
        // trailers are an exchange's, which has its place; what is pipelined has none yet
        boolean fits = held.to(waiting, waiting - body.heldBytes());
        return fits || !partial && body.heldBytes() == 0 ? null : Failure.OVERLOADED;
    }

    /** Releases, in the loop's budget, the memory of octets that have been taken since the last read. */
    void giveBackTaken() {
        held.toLess(waitingBytes());
    }

    /** Bytes of the heap that wait for their turn, or for the rest of their message. */
    int waitingBytes() {
        int behind = unread == null || state != State.HEAD ? 0 : unread.readableBytes();
        return behind + (hasPartialHead() ? parser.heldBytes() : 0) + body.heldBytes();
    }

    /** Closes for a request that the client may not have sent all of. */
    void abandon() {
        abandoned = true;
        close();
    }

    /** True where the client may go on sending: a close would reset the connection under the last response. */
    boolean isAbandoned() {
        return abandoned;
    }

    /** Drops all octets that wait, and all that come later. */
    void close() {
        closed = true;
        state = State.HEAD;
        // the connection may linger, and is not to keep what nobody will read
        parser.reset();
        body.abandon();
        head = null;
        held.to(0);
        ByteBuf bytes = unread;
        unread = null;
        if (bytes != null) {
            bytes.release();
        }
    }
}
