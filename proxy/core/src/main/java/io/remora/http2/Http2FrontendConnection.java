package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.Limits;
import io.remora.exchange.ClientConnection;
import io.remora.exchange.ClientWait;
import io.remora.exchange.FloodReport;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.http2.config.Http2Config;
import io.remora.http2.hpack.FieldSection;
import io.remora.memory.Claim;
import io.remora.metrics.Http2Metric;
import io.remora.metrics.Http2Stats;
import io.remora.transport.Link;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/2 connection: the events of its channel, its deadline, a shortage of memory, and its end.
 *
 * <p>Owner: its channel's event loop. {@link FrontendCodec} has the frames, and {@link FrontendStreams} the open
 * streams, of which each is one request. {@link FrontendTurn} has the work at the end of a turn, {@link FrontendFaults}
 * the client's faults, and {@link FrontendGoAway} the GOAWAYs. Bounds: the listener's {@code http2}. Spec: RFC 9113
 * sections 5 and 6.8.
 */
final class Http2FrontendConnection extends ClientConnection implements FrontendGate.Sink, Link.Sender {
    private final Http2Config config;
    private final FrontendTimeouts timeouts;
    private final Http2Stats stats;
    private final FrontendFloods floods;
    final FrontendStreams streams;
    final Http2FrontendRequests requests;
    final FrontendTurn turn;
    final FrontendFaults faults;
    final FrontendGoAway goAway;
    private final FrontendGate gate;
    /** Null where no PING asks for the client. */
    private final @Nullable FrontendKeepAlive keepAlive;

    private @Nullable FrontendCodec codec;
    /** Created once the client has ended its side while streams go on. */
    private @Nullable FrontendProbe probe;

    private Http2FrontendConnection(
            ListenerLoop listener, Link link, Http2Config config, Http2Stats stats, FloodReport report) {
        super(listener, link);
        this.config = config;
        this.stats = stats;
        this.timeouts = listener.snapshot().config().timeouts();
        this.floods = new FrontendFloods(config.floods(), listener.loop().readyClock());
        this.streams = new FrontendStreams(listener, link);
        this.requests = new Http2FrontendRequests(this);
        this.turn = new FrontendTurn(this, link.channel());
        this.faults = new FrontendFaults(this, floods, stats, report);
        this.goAway = new FrontendGoAway(this, listener.loop());
        this.gate = new FrontendGate(listener.loop(), link.channel().alloc(), config, floods, this);
        this.keepAlive = config.keepAliveNs() == Limits.UNLIMITED
                ? null
                : new FrontendKeepAlive(this, listener.loop(), config.keepAliveNs());
    }

    /**
     * @param section the loop's place for a section that is read
     */
    static void install(
            ListenerLoop listener,
            Link link,
            Http2Config config,
            Http2Stats stats,
            FloodReport report,
            FieldSection section) {
        Http2FrontendConnection connection = new Http2FrontendConnection(listener, link, config, stats, report);
        FrontendHandler handler = new FrontendHandler(connection, config, connection.floods.credit(), section);
        connection.codec = handler;
        connection.enter();
        stats.increment(Http2Metric.CONNECTIONS);
        connection.goAway.beginAge(connection.timeouts.maxAgeNs());
        link.channel().pipeline().addLast(handler);
        connection.turn.flush();
        if (listener.isDraining()) {
            // its handshake has outlasted the beginning of the drain
            connection.drain();
        }
    }

    FrontendCodec codec() {
        FrontendCodec installed = codec;
        if (installed == null) {
            throw new IllegalStateException("not installed");
        }
        return installed;
    }

    // ---- what its streams ask

    FrontendTimeouts timeouts() {
        return timeouts;
    }

    int bufferBytes() {
        return listener().snapshot().config().limits().bufferBytes();
    }

    /** Returns the size of a stream's window with a grant. */
    int windowFor(int grant) {
        return Math.min(config.streamWindowBytes(), Math.max(FrontendHandler.LEAST_WINDOW, grant));
    }

    // ---- what has been read

    void read(ByteBuf bytes) {
        if (keepAlive != null) {
            keepAlive.heard();
        }
        turn.read(gate, bytes);
    }

    @Override
    public void frames(ByteBuf frames) {
        codec().decode(frames);
    }

    void readComplete() {
        if (!gate.hold() && !isOver() && !gate.makeRoom(listener().loop().memory(), link().claimant())) {
            faults.abuse(Abuse.MEMORY);
        }
        Http2FrontendStream filling = streams.get(gate.partialData());
        if (filling != null) {
            // its client is sending, though no frame is whole
            turn.touch(filling);
        }
        turn.flush();
    }

    Http2FrontendStream open(int id) {
        Http2FrontendStream opened = new Http2FrontendStream(this, codec(), id);
        streams.put(id, opened);
        floods.opened();
        stats.increment(Http2Metric.STREAMS);
        return opened;
    }

    void ended(Http2FrontendStream stream) {
        streams.remove(stream.id());
        floods.ended();
        stats.increment(Http2Metric.STREAMS_CLOSED);
        if (streams.isEmpty() && !isClosed()) {
            turn.settleLater();
        }
    }

    /** The client has acknowledged the settings. */
    void settingsKnown() {
        codec().widen(config.connectionWindowBytes());
        streams.settingsKnown();
    }

    // ---- the end of a turn

    /** A turn of work is over, with all of its remaining work. */
    void settled() {
        if (goAway.hasEnded() && streams.isEmpty() && !isOver()) {
            end();
        }
        waitAsDue();
    }

    private void waitAsDue() {
        if (isOver()) {
            return;
        }
        boolean reads = link().channel().isWritable();
        link().read(reads);
        // of a client that is not read, no head can come to its end
        int partialHead = reads ? gate.partialHead() : 0;
        if (partialHead > 0) {
            clientWait().forHead(partialHead);
        } else if (link().hasUnsent()) {
            clientWait().forReader();
            link().whenSent(this);
        } else if (streams.isEmpty()) {
            clientWait().forRequest();
        } else {
            clientWait().forNothing();
        }
    }

    @Override
    public void sent() {
        if (!isOver() && clientWait().phase() == ClientWait.Phase.READER) {
            turn.settle();
        }
    }

    // ---- the deadline

    @Override
    public void onDeadline() {
        ClientWait.Phase phase = clientWait().phase();
        clientWait().forNothing();
        switch (phase) {
            case HEAD -> faults.abuse(Abuse.UNFINISHED_HEAD);
            case REQUEST -> {
                goAway.end(ErrorCode.NO_ERROR);
                end();
            }
            case READER -> readerLate();
            default -> link().close();
        }
    }

    private void readerLate() {
        if (!clientWait().isReaderBehind() || clientWait().isReaderMoving()) {
            waitAsDue();
        } else {
            endByReset(Failure.CLIENT_STALLED);
        }
    }

    // ---- failures

    @Override
    public void abuse(Abuse abuse) {
        faults.abuse(abuse);
    }

    /** Ends the connection by a fault of the client's, and sends the client its code. */
    void endWith(ErrorCode error, Failure failure) {
        codec().goAway(codec().lastStream(), error.code());
        giveUp();
        try {
            failAll(failure, failure == Failure.FLOOD ? error : ErrorCode.CANCEL);
        } finally {
            end();
        }
    }

    /** Something in here, or on the wire, broke. */
    void broken(Throwable cause) {
        try {
            if (report(cause)) {
                failAll(Failure.INTERNAL, ErrorCode.CANCEL);
            }
        } finally {
            link().close();
        }
    }

    /** Ends the connection of a client that does not read, or is not there any more. */
    void endByReset(Failure failure) {
        try {
            failAll(failure, ErrorCode.CANCEL);
        } finally {
            link().closeByReset();
        }
    }

    private void failAll(Failure failure, ErrorCode error) {
        // flushed once for all of them
        FrontendTurn.Turn outer = turn.hold();
        try {
            streams.fail(failure, error);
        } finally {
            turn.letGo(outer);
        }
        turn.flush();
    }

    // ---- the end

    /** Closes behind what is written; what the client still sends is dropped. */
    private void end() {
        giveUp();
        gate.close();
        codec().dropInput();
        clientWait().forEnd();
        codec().flush();
        closeBehindWrites(true);
        link().read(true);
    }

    /** The client has ended its side: it says nothing more, and takes what its windows allow. */
    void inputEnded() {
        endInput();
        if (isOver()) {
            return;
        }
        goAway.end(ErrorCode.NO_ERROR);
        streams.inputEnded();
        turn.flush();
        if (!isOver()) {
            probe = new FrontendProbe(this, link(), listener().loop().deadlines());
        }
    }

    /** The channel is closed, and its streams follow. */
    void closing() {
        closed();
    }

    /** Its streams have ended with it. */
    void streamsClosed() {
        stats.increment(Http2Metric.CONNECTIONS_CLOSED);
        gate.close();
        goAway.cancel();
        if (keepAlive != null) {
            keepAlive.cancel();
        }
        faults.cancel();
        FrontendProbe probing = probe;
        if (probing != null) {
            probing.cancel();
        }
    }

    // ---- a drain

    @Override
    protected void beginDrain() {
        goAway.begin();
    }

    @Override
    public void cut() {
        streams.cut();
        link().close();
    }

    // ---- a shortage of memory

    @Override
    public void shrink(boolean greedy) {
        streams.shrink(greedy);
    }

    @Override
    public void grow() {
        streams.grow();
    }

    @Override
    public long evictionScore(long nowNs) {
        return streams.evictionScore(nowNs);
    }

    @Override
    public long reclaimableBytes() {
        return streams.reclaimableBytes();
    }

    @Override
    public void claims(List<Claim> into) {
        streams.claims(into);
        if (gate.heldBytes() > 0) {
            into.add(new Claim(
                    link().claimant(), false, gate.heldBytes(), clientWait().sinceNs(ClientWait.Phase.HEAD), 0, this));
        }
    }

    /** Heap bytes of a header section that is not whole. */
    @Override
    public void yieldMemory() {
        if (!isOver()) {
            faults.abuse(Abuse.MEMORY);
            turn.flush();
        }
    }

    @Override
    public void relieve() {
        // the heaviest stream alone, as the others of its connection may move well
        if (!streams.relieve() && streams.isEmpty()) {
            try {
                if (!isOver()) {
                    // a request that is under way was not processed
                    goAway.end(ErrorCode.NO_ERROR);
                }
            } finally {
                // there may be no memory for the frame
                closeNow();
            }
        }
    }

    @Override
    protected boolean isBusy() {
        return !streams.isEmpty();
    }

    @Override
    protected long restsSinceNs() {
        return Math.min(
                clientWait().sinceNs(ClientWait.Phase.REQUEST), clientWait().sinceNs(ClientWait.Phase.HEAD));
    }
}
