package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.remora.exchange.Exchange;
import io.remora.exchange.Frontend;
import io.remora.exchange.Pace;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.ResponseHead;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Deadline;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client's connection: what its exchange sees of the client.
 *
 * <p>Owner: one connection. Bounds: {@link FrontendIntake} for what comes, {@link FrontendOutput} for what goes, {@link StreamWait}
 * for every wait. Spec: RFC 9113 section 8.1, RFC 8441.
 */
final class FrontendStream extends Frontend implements Deadline.Expirable {
    private final FrontendConnection connection;
    private final Http2Stream stream;
    private final FrontendIntake intake;
    private final FrontendOutput output;
    private @Nullable Exchange exchange;
    /** Whether the exchange is over; what was written may still wait. */
    private boolean done;
    /** Whether nothing comes or goes any more. */
    private boolean closed;
    /** Whether the client's side is reset instead of answered, and why. */
    private @Nullable Http2Error refusal;

    /** Of the head's field lines. */
    private int headOctets;

    private int granted;
    /** Of the finished exchange, while what it wrote waits. */
    private int kept;

    private final StreamWait wait;
    /** Whether it carries what two sides say to each other, raw. */
    private boolean tunnel;

    private @Nullable Pace pace;
    /** Whether it stands among those that the end of the turn sees to. */
    boolean touched;
    /** Among the streams of its connection. */
    int slot;

    FrontendStream(FrontendConnection connection, FrontendHandler handler, Http2Stream stream) {
        this.connection = connection;
        this.stream = stream;
        this.intake = new FrontendIntake(
                handler.decoder().flowController(),
                stream,
                connection.link.channel().alloc());
        this.output = new FrontendOutput(handler, this, stream);
        output.mark(connection.bufferBytes());
        this.wait =
                new StreamWait(connection.timeouts(), connection.listener.loop().deadlines(), this);
    }

    // ---- the request

    void begin(RequestLines lines, boolean ends) {
        RequestReader reader = new RequestReader(connection.listener.snapshot().config());
        FrontendRequest head = reader.read(lines, ends);
        headOctets = reader.blockOctets();
        Exchange begun = newExchange(head);
        if (reader.isMalformed()) {
            connection.faults.refuse(this, Http2Error.PROTOCOL_ERROR);
            return;
        }
        Failure failure = reader.failure();
        if (failure != null) {
            begun.fail(failure);
            return;
        }
        if (head.isWebSocket()) {
            intake.awaitTunnel();
        }
        begun.start();
        if (ends) {
            intake.end(null, exchange());
        }
    }

    private Exchange newExchange(FrontendRequest head) {
        long readyNs = connection.listener.loop().readyNs();
        Exchange begun = new Exchange(connection.listener, this, head, readyNs, readyNs, 0);
        exchange = begun;
        connection.turn.touch(this);
        return begun;
    }

    /** Its head was larger than it may be, or its trailers. */
    void headersTooLarge() {
        Exchange current = exchange;
        if (current == null) {
            current =
                    newExchange(new RequestReader(connection.listener.snapshot().config()).unreadable());
        }
        current.fail(Failure.HEADERS_TOO_LARGE);
        connection.turn.touch(this);
    }

    int data(ByteBuf data, boolean ends) throws Http2Exception {
        connection.turn.touch(this);
        if (data.isReadable()) {
            wait.tunnelMoved();
        }
        int taken = intake.data(data, exchange());
        if (ends) {
            intake.end(null, exchange());
        }
        return taken;
    }

    void settingsKnown() throws Http2Exception {
        intake.settingsKnown();
    }

    void trailers(RequestLines lines) {
        connection.turn.touch(this);
        if (tunnel || intake.isEarly()) {
            // RFC 9113 8.5
            connection.faults.refuse(this, Http2Error.PROTOCOL_ERROR);
            return;
        }
        RequestReader reader = new RequestReader(connection.listener.snapshot().config());
        Fields fields = reader.trailers(lines, headOctets);
        Failure failure = reader.failure();
        if (fields != null) {
            intake.end(fields, exchange());
        } else if (failure == null) {
            connection.faults.refuse(this, Http2Error.PROTOCOL_ERROR);
        } else {
            connection.faults.thrownAway();
            Exchange current = exchange();
            if (current != null) {
                current.fail(failure);
            }
        }
    }

    /** The client broke a rule: whatever has been going on, the stream is reset. */
    void refuse(Http2Error error) {
        refusal = error;
        Exchange current = exchange();
        if (current != null) {
            current.fail(Failure.BAD_REQUEST);
        }
        resetNow(error);
    }

    /** In progress, null for none. */
    @Nullable
    Exchange exchange() {
        return done ? null : exchange;
    }

    // ---- who asks

    @Override
    public String client() {
        return connection.link.peerAddress();
    }

    @Override
    public @Nullable InetSocketAddress originalDestination() {
        return connection.link.originalDestination();
    }

    @Override
    public String scheme() {
        return connection.link.scheme();
    }

    @Override
    public @Nullable String identity() {
        return connection.link.peerIdentity();
    }

    @Override
    public @Nullable String forwardedCertificate(boolean pem) {
        return connection.link.forwardedCertificate(pem);
    }

    @Override
    public @Nullable String tlsVersion() {
        return connection.link.tlsVersion();
    }

    @Override
    public @Nullable String tlsCipher() {
        return connection.link.tlsCipher();
    }

    @Override
    public String version() {
        return "HTTP/2";
    }

    // ---- the response

    @Override
    public boolean isGivenUp() {
        return isMute();
    }

    private boolean isMute() {
        return closed || refusal != null;
    }

    @Override
    public void respondInterim(ResponseHead head) {
        if (!isMute()) {
            output.interim(head);
            connection.turn.flush();
        }
    }

    @Override
    public void respond(ResponseHead head, boolean last) {
        if (!isMute()) {
            output.head(head, exchange != null && exchange.isGrpcCall());
        }
    }

    @Override
    public void respondContent(ByteBuf content) {
        if (isMute()) {
            content.release();
        } else {
            output.add(content);
        }
    }

    @Override
    public void respondEnd(@Nullable Fields trailers) {
        if (!isMute()) {
            output.end(trailers);
            if (tunnel) {
                // the end of a backend's connection comes behind the end of its last read
                flush();
            }
        }
    }

    @Override
    public boolean endEarly(Fields trailers) {
        boolean told = !isMute() && output.endEarly(trailers);
        if (told) {
            connection.turn.flush();
        }
        return told;
    }

    @Override
    public void flush() {
        connection.turn.touch(this);
        connection.turn.flush();
    }

    @Override
    public boolean isWritable() {
        return isMute() || output.isWritable();
    }

    /** What waits has become less. */
    void outputMoved() {
        wait.tunnelMoved();
        connection.turn.touch(this);
    }

    /** What it was granted last, 0 for nothing yet. */
    int granted() {
        return granted;
    }

    @Override
    public void bound(int bytes) {
        granted = bytes;
        output.mark(Math.min(connection.bufferBytes(), connection.queued(bytes)));
        intake.window(connection.windowFor(bytes));
        connection.streams.bound(bytes);
    }

    @Override
    public boolean keeps(int grant) {
        if (closed || output.pending() == 0) {
            return false;
        }
        kept = grant;
        return true;
    }

    @Override
    public void readBody(boolean wanted) {
        if (intake.want(wanted)) {
            // in a turn of its own, for who calls is not ready to be called
            connection.turn.touchLater(this);
        }
    }

    // ---- the end of a turn

    /** Does what is left to do, whatever brought it about. */
    void settle() {
        touched = false;
        if (closed) {
            return;
        }
        if (intake.goOn(exchange())) {
            connection.turn.written();
        }
        Exchange current = exchange();
        if (current != null) {
            // with what had waited
            current.flushRequest();
        }
        current = exchange();
        if (current != null && output.hasRoomAgain()) {
            current.frontendWritable(true);
        }
        if (done) {
            settleDone();
        }
        if (!closed) {
            waitAsDue();
        }
    }

    private void settleDone() {
        if (output.pending() == 0) {
            giveBackKept();
            if (tunnel) {
                // RFC 8441 5: it ends in order, which the stream's own end has told, or by a reset
                resetNow(Http2Error.CANCEL);
                return;
            }
        }
        if (stream.state() == Http2Stream.State.HALF_CLOSED_LOCAL) {
            // RFC 9113 8.1: the response is whole, and the rest of the request is not wanted
            resetNow(Http2Error.NO_ERROR);
        }
    }

    private void giveBackKept() {
        if (kept > 0) {
            connection.listener.loop().memory().giveBack(kept, 0);
            kept = 0;
        }
    }

    // ---- waits for the client

    private void waitAsDue() {
        if (tunnel && !done) {
            wait.forTunnel();
        } else if (output.pending() > 0 || done) {
            // trailers too may wait behind a window
            wait.forReader(output.moved());
        } else if (intake.isAwaited()) {
            wait.forBody();
        } else {
            wait.forNothing();
        }
    }

    @Override
    public void onDeadline() {
        Exchange current = exchange();
        if (!wait.isForReader() && current != null) {
            if (tunnel) {
                current.tunnelIdle();
            } else {
                current.fail(Failure.REQUEST_BODY_TIMEOUT);
            }
            connection.turn.touch(this);
            connection.turn.settle();
        } else {
            fail(Failure.CLIENT_STALLED, Http2Error.CANCEL);
        }
    }

    // ---- the end

    /** Ends it now, with a reset if it has a response that is not whole. */
    void fail(Failure failure, Http2Error error) {
        Exchange current = exchange();
        if (current != null) {
            boolean begun = current.status() != 0 && !output.mayEndEarly();
            refusal = failure.withoutResponse() || begun ? error : null;
            current.fail(failure);
        }
        if (current == null || refusal != null) {
            resetNow(error);
        }
        connection.turn.flush();
    }

    /** The client says nothing more: a body that is not whole never will be. */
    void inputEnded() {
        Exchange current = exchange();
        if (current != null && tunnel) {
            fail(Failure.CLIENT_GONE, Http2Error.CANCEL);
        } else if (current != null && !intake.hasEnded()) {
            refuse(Http2Error.PROTOCOL_ERROR);
        }
    }

    private void resetNow(Http2Error error) {
        if (!closed) {
            connection.faults.reset(stream.id(), error);
        }
    }

    @Override
    public void abort() {
        if (!closed) {
            resetNow(refusal == null ? broken() : refusal);
            connection.turn.flush();
        }
    }

    // what comes nearest for a client of gRPC, where no trailers can tell it
    private Http2Error broken() {
        Failure failure = exchange == null || !exchange.isGrpcCall() ? null : exchange.failure();
        GrpcStatus status = failure == null ? GrpcStatus.INTERNAL : GrpcStatus.of(failure);
        if (status == GrpcStatus.DEADLINE_EXCEEDED) {
            // which it takes for that once its own clock says so
            return Http2Error.CANCEL;
        }
        return status == GrpcStatus.RESOURCE_EXHAUSTED ? Http2Error.ENHANCE_YOUR_CALM : Http2Error.INTERNAL_ERROR;
    }

    @Override
    public void exchangeDone() {
        done = true;
        if (intake.close()) {
            connection.turn.written();
        }
        connection.turn.touchLater(this);
    }

    /** The stream is gone: reset by either side, ended in order, or with its connection. */
    void closed() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            Exchange open = exchange();
            if (open != null && tunnel && output.hasEnded() && intake.hasEnded()) {
                // both sides have ended in order, and what waits was said before that
                intake.handOn(open);
            }
            intake.streamClosed();
            wait.cancel();
            Exchange current = exchange();
            if (current != null && (tunnel || !output.hasEnded())) {
                current.fail(Failure.CLIENT_GONE);
            }
        } finally {
            giveBackKept();
            connection.ended(this);
        }
    }

    // ---- what it weighs when memory is short

    long holds() {
        Exchange current = exchange();
        if (current != null) {
            return current.grant().reservedBytes();
        }
        return kept == 0 ? 0 : connection.listener.loop().memory().reserved(kept);
    }

    /** As {@link io.remora.transport.Drainable#burden}. */
    long burden(long nowNs) {
        long held = holds();
        Exchange current = exchange();
        boolean waits = output.pending() > 0 || !tunnel && current != null && intake.isAwaited();
        if (held == 0 || !waits) {
            pace = null;
            return 0;
        }
        if (pace == null) {
            pace = new Pace();
        }
        long moved = current == null ? output.moved() : current.grant().moved() - output.pending();
        return pace.slowness(moved, nowNs) * (held >> Pace.HOLDS_SHIFT);
    }

    /** Ends it, as there is no memory for it. */
    void relieve() {
        connection.listener.loop().memory().cut();
        if (exchange() == null) {
            // the exchange is over, but what it wrote is lost
            connection.listener.stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
        }
        fail(Failure.OVERLOADED, Http2Error.ENHANCE_YOUR_CALM);
    }

    // ---- a tunnel

    @Override
    public void openTunnel(ResponseHead head) {
        tunnel = true;
        if (!isMute()) {
            output.switched(head);
            flush();
        }
    }

    @Override
    public void tunnelOpened() {
        intake.openTunnel();
        // in a turn of its own, for who calls is not ready to be called
        connection.turn.touchLater(this);
    }
}
