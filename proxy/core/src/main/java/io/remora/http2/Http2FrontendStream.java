package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.ClientWait;
import io.remora.exchange.FrontendExchange;
import io.remora.exchange.FrontendMemory;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Rule;
import io.remora.memory.Claim;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a client's connection: its request and exchange, the waits for the client, and its end by either
 * side. The exchange sees its client as a {@link FrontendOutput}.
 *
 * <p>Owner: one connection. Bounds: {@link FrontendIntake} for input, {@link FrontendOutput} for output, {@link
 * ClientWait} for every wait. Spec: RFC 9113 section 8.1, RFC 8441.
 */
final class Http2FrontendStream implements Claim.Holder, Deadline.Expirable {
    private final Http2FrontendConnection connection;
    private final int id;
    private final FrontendIntake intake;
    private final FrontendOutput output;
    private @Nullable FrontendExchange exchange;
    // three sides end on their own: the exchange, the stream, and a tunnel, whose ends are two
    /** True once the exchange is over; its output may still wait. */
    private boolean done;
    /** True once nothing comes or goes any more. */
    private boolean closed;
    /** Code by which the client's side is reset instead of answered; null where it is not. */
    private @Nullable ErrorCode refusal;

    /** Octets of the head's field lines. */
    private int headOctets;

    private final long begunNs;
    private final FrontendMemory memory;
    /** Null until the stream waits for its client. */
    private @Nullable ClientWait wait;
    /** The bytes that each of its buffers may hold, 0 for none yet. */
    private int granted;

    private boolean tunnel;

    /** True while it is among the streams that the end of the turn settles. */
    boolean touched;

    Http2FrontendStream(Http2FrontendConnection connection, FrontendCodec codec, int id) {
        this.connection = connection;
        this.id = id;
        this.begunNs = connection.listener().loop().readyNs();
        this.intake = new FrontendIntake(codec, id);
        this.output = new FrontendOutput(connection.link(), codec, this);
        output.mark(connection.bufferBytes());
        this.memory = new FrontendMemory(connection.listener().loop().memory(), output);
    }

    int id() {
        return id;
    }

    // ---- the request

    /** Its head has been read, of so many octets. */
    void serve(FrontendExchange begun, int octets) {
        exchange = begun;
        headOctets = octets;
        connection.turn.touch(this);
    }

    /** Time at which its head was readable. */
    long begunNs() {
        return begunNs;
    }

    int headOctets() {
        return headOctets;
    }

    FrontendIntake intake() {
        return intake;
    }

    FrontendOutput output() {
        return output;
    }

    FrontendTurn turn() {
        return connection.turn;
    }

    /** Returns whether it carries the raw octets of two sides. */
    boolean isTunnel() {
        return tunnel;
    }

    int data(ByteBuf data, boolean ends) {
        connection.turn.touch(this);
        if (data.isReadable()) {
            tunnelMoved();
        }
        int taken = intake.data(data, exchange());
        if (ends) {
            inputWhole(null);
        }
        return taken;
    }

    /** The client has sent all of it. */
    void inputWhole(@Nullable Fields trailers) {
        intake.end(trailers, exchange());
    }

    /** The client broke a rule: the stream is reset in any state. */
    void refuse(ErrorCode error) {
        refusal = error;
        FrontendExchange current = exchange();
        try {
            if (current != null) {
                current.fail(Failure.BAD_REQUEST, current.rule() == null ? Rule.FRAMES : null);
            }
        } finally {
            resetNow(error);
        }
    }

    /** Exchange in progress, null for none. */
    @Nullable
    FrontendExchange exchange() {
        return done ? null : exchange;
    }

    /** Returns whether its exchange is, or was, a call of gRPC. */
    boolean isGrpcCall() {
        return exchange != null && exchange.isGrpcCall();
    }

    // ---- the response

    /** Returns whether nothing of a response leaves any more. */
    boolean isGivenUp() {
        return closed || refusal != null;
    }

    /** The output that waits has become less. */
    void outputMoved() {
        tunnelMoved();
        connection.turn.touch(this);
    }

    private void tunnelMoved() {
        if (wait != null) {
            wait.tunnelMoved();
        }
    }

    /** A section that waited in the connection's queue has left, perhaps outside of any turn. */
    void outputLeft() {
        if (!closed) {
            connection.turn.touchLater(this);
        }
    }

    FrontendMemory memory() {
        return memory;
    }

    int granted() {
        return granted;
    }

    /** Returns what one of its buffers holds as the configuration has it. */
    int bufferBytes() {
        return connection.bufferBytes();
    }

    /** Bounds each of its buffers to {@code bytes}. */
    void bound(int bytes) {
        granted = bytes;
        memory.bound(bytes);
        intake.window(connection.windowFor(bytes));
        connection.streams.bound(bytes);
    }

    /** Keeps what its exchange was granted until the response has left; returns whether it does. */
    boolean keeps(int grant, int held) {
        return !closed && memory.keep(grant, held);
    }

    /** Sets whether its exchange wants more of the request's body. */
    void readBody(boolean wanted) {
        if (intake.want(wanted)) {
            // in a turn of its own, for who calls is not ready to be called
            connection.turn.touchLater(this);
        }
    }

    // ---- the end of a turn

    /** Does the remaining work at the end of a turn. */
    void settle() {
        touched = false;
        if (closed) {
            return;
        }
        if (intake.goOn(exchange())) {
            connection.turn.written();
        }
        FrontendExchange current = exchange();
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
        if (!output.hasUnsent()) {
            memory.giveBack();
            if (tunnel) {
                // RFC 8441 5: it ends in order, which the stream's own end has told, or by a reset
                resetNow(ErrorCode.CANCEL);
                return;
            }
        }
        if (connection.codec().hasAnswered(id)) {
            // RFC 9113 8.1: the response is whole, and the rest of the request is not wanted
            resetNow(ErrorCode.NO_ERROR);
        }
    }

    // ---- waits for the client

    private void waitAsDue() {
        FrontendExchange current = exchange();
        if (tunnel && current != null) {
            clientWait().forTunnelAsMoved(current);
        } else if (output.hasUnsent() || done) {
            // trailers too may wait behind a window
            clientWait().forReaderAsMoved();
        } else if (intake.isAwaited() && current != null) {
            clientWait().forBody(current);
        } else if (wait != null) {
            wait.forNothing();
        }
    }

    private ClientWait clientWait() {
        ClientWait known = wait;
        if (known == null) {
            known = new ClientWait(
                    connection.timeouts(), connection.listener().loop().deadlines(), this, output);
            wait = known;
        }
        return known;
    }

    @Override
    public void onDeadline() {
        FrontendExchange current = exchange();
        boolean reading = clientWait().phase() == ClientWait.Phase.READER;
        clientWait().forNothing();
        if (!reading && current != null) {
            if (tunnel) {
                current.tunnelIdle(output.hasUnsent());
            } else {
                current.fail(Failure.REQUEST_BODY_TIMEOUT);
            }
            connection.turn.touch(this);
            connection.turn.settle();
        } else {
            fail(Failure.CLIENT_STALLED, ErrorCode.CANCEL);
        }
    }

    // ---- the end

    /** Ends it now, with a reset if it has a response that is not whole. */
    void fail(Failure failure, ErrorCode error) {
        FrontendExchange current = exchange();
        try {
            if (current != null) {
                boolean begun = current.status() != 0 && !output.mayEndEarly();
                refusal = failure.withoutResponse() || begun ? error : null;
                current.fail(failure);
            }
        } finally {
            if (current == null || refusal != null) {
                resetNow(error);
            }
            connection.turn.flush();
        }
    }

    /** The client sends nothing more: a body that is not whole never will be. */
    void inputEnded() {
        FrontendExchange current = exchange();
        if (current != null && tunnel) {
            fail(Failure.CLIENT_GONE, ErrorCode.CANCEL);
        } else if (current != null && !intake.hasEnded()) {
            current.broke(Rule.CUT_SHORT);
            refuse(ErrorCode.PROTOCOL_ERROR);
        }
    }

    private void resetNow(ErrorCode error) {
        resetNow(error.code());
    }

    private void resetNow(long code) {
        if (!closed) {
            connection.faults.reset(id, code);
        }
    }

    /** Resets it, as its exchange has no whole response for it. */
    void abort() {
        if (!closed) {
            if (exchange != null && exchange.resetCode() != FrontendExchange.NOT_RESET) {
                // what the endpoint has said before comes before its reset
                connection.turn.push();
            }
            resetNow(refusal == null ? FrontendFaults.told(exchange) : refusal.code());
            connection.turn.flush();
        }
    }

    /** Takes the end of its exchange; what that has written may still wait. */
    void exchangeDone() {
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
            FrontendExchange open = exchange();
            if (open != null && tunnel && output.hasEnded() && intake.hasEnded()) {
                // both sides have ended in order, and what waits was said before that
                intake.handOn(open);
            }
        } finally {
            leave();
        }
    }

    private void leave() {
        try {
            intake.streamClosed();
            if (wait != null) {
                wait.cancel();
            }
            FrontendExchange current = exchange();
            if (current != null && (tunnel || !output.hasEnded())) {
                current.fail(Failure.CLIENT_GONE);
            }
        } finally {
            memory.giveBack();
            connection.ended(this);
        }
    }

    // ---- a shortage of memory

    /** Others have less than their share. */
    @Override
    public void yieldMemory() {
        if (exchange() == null) {
            lost();
        }
        fail(Failure.OVERLOADED, ErrorCode.ENHANCE_YOUR_CALM);
    }

    // the exchange is over, but what it wrote does not reach the client
    private void lost() {
        connection.listener().stats().increment(ListenerMetric.FAILURES, Failure.OVERLOADED.label());
    }

    // ---- a tunnel

    /** Makes it a tunnel, which carries the raw octets of two sides from here on. */
    void beginTunnel() {
        tunnel = true;
    }

    /** Reads what the client has sent ahead, as the other side is a tunnel too by now. */
    void tunnelOpened() {
        intake.openTunnel();
        // in a turn of its own, for who calls is not ready to be called
        connection.turn.touchLater(this);
    }
}
