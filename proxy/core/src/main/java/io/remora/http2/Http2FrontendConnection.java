package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.Http2Config;
import io.remora.config.model.Limits;
import io.remora.exchange.FloodReport;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.memory.Claim;
import io.remora.memory.LoopBudget;
import io.remora.metrics.Http2Metric;
import io.remora.metrics.Http2Stats;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import io.remora.transport.Link;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/2 connection as the outside sees it: the events of its channel, its deadline, a shortage of memory, and how it ends.
 *
 * <p>Owner: its channel's event loop. {@link FrontendHandler} has the frames, {@link FrontendStreams} the streams that are open, of
 * which each is one request, {@link FrontendTurn} what is left to do at the end of a turn, {@link FrontendFaults} what the client
 * does wrong, {@link FrontendGoAway} how it is told to go. Bounds: the listener's {@code http2}. Spec: RFC 9113 sections 5 and 6.8.
 */
final class Http2FrontendConnection
        implements Drainable, Claim.Holder, Deadline.Expirable, FrontendGate.Sink, Link.Sender {
    final ListenerLoop listener;
    final Link link;
    private final Channel channel;
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
    private final FrontendWait wait;
    /** Null where no PING asks for the client. */
    private final @Nullable FrontendKeepAlive keepAlive;

    private @Nullable FrontendHandler handler;
    /** Once the client has ended its side while streams go on. */
    private @Nullable FrontendProbe probe;

    /** Whether nothing is read any more. */
    private boolean over;

    private boolean closing;
    private boolean left;
    private boolean inputEnded;

    private Http2FrontendConnection(
            ListenerLoop listener, Link link, Http2Config config, Http2Stats stats, FloodReport report) {
        this.listener = listener;
        this.link = link;
        this.channel = link.channel();
        this.config = config;
        this.stats = stats;
        this.timeouts = listener.snapshot().config().timeouts();
        this.floods = new FrontendFloods(config.floods(), listener.loop().readyClock());
        this.streams = new FrontendStreams(listener.loop(), link);
        this.requests = new Http2FrontendRequests(this);
        this.turn = new FrontendTurn(this, channel);
        this.faults = new FrontendFaults(this, floods, stats, report);
        this.goAway = new FrontendGoAway(this, listener.loop());
        this.gate = new FrontendGate(listener.loop(), channel.alloc(), floods, this);
        this.wait = new FrontendWait(timeouts, listener.loop().deadlines(), this, link);
        this.keepAlive = config.keepAliveNs() == Limits.UNLIMITED
                ? null
                : new FrontendKeepAlive(this, listener.loop(), config.keepAliveNs());
    }

    static void install(ListenerLoop listener, Link link, Http2Config config, Http2Stats stats, FloodReport report) {
        Http2FrontendConnection connection = new Http2FrontendConnection(listener, link, config, stats, report);
        FrontendHandler handler;
        try {
            handler = FrontendHandler.of(connection, config, connection.floods.credit());
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
        connection.handler = handler;
        listener.opened(link, connection);
        stats.increment(Http2Metric.CONNECTIONS);
        connection.goAway.beginAge(connection.timeouts.maxAgeNs());
        link.channel().pipeline().addLast(handler);
        connection.turn.flush();
        if (listener.isDraining()) {
            // its handshake has outlasted the beginning of the drain
            connection.drain();
        }
    }

    FrontendHandler handler() {
        FrontendHandler installed = handler;
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
        return listener.snapshot().config().limits().bufferBytes();
    }

    /** What a stream's window may be with a grant. */
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
        handler().decode(frames);
    }

    void readComplete() {
        if (!gate.hold() && !over && !makeRoom()) {
            faults.abuse(Abuse.MEMORY);
        }
        Http2FrontendStream filling = handler().frames().stream(gate.partialData());
        if (filling != null) {
            // its client is sending, though no frame is whole
            turn.touch(filling);
        }
        turn.flush();
    }

    private boolean makeRoom() {
        LoopBudget budget = listener.loop().memory();
        Object client = link.claimant();
        return gate.partialData() == 0 ? budget.makeRoomForUnfinished(client) : budget.makeRoomForHeld(client);
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public int mostOctets() {
        // before the client knows of more, it may still keep to the least
        return Math.max(config.maxFrameBytes(), 1 << 14) + 9;
    }

    @Override
    public int mostHeadOctets() {
        return config.maxHeaderListBytes() / 4 * 5;
    }

    Http2FrontendStream open(Http2Stream stream) {
        Http2FrontendStream opened = new Http2FrontendStream(this, handler(), stream);
        streams.add(opened);
        floods.opened();
        stats.increment(Http2Metric.STREAMS);
        return opened;
    }

    void ended(Http2FrontendStream stream) {
        streams.remove(stream);
        floods.ended();
        stats.increment(Http2Metric.STREAMS_CLOSED);
        if (streams.isEmpty() && !closing) {
            turn.settleLater();
        }
    }

    /** The client has said that it knows what it may do. */
    void settingsKnown() throws Http2Exception {
        handler().widen(config.connectionWindowBytes());
        streams.settingsKnown();
    }

    // ---- the end of a turn

    boolean isClosing() {
        return closing;
    }

    /** A turn of work is over, and with it all that it has left to do. */
    void settled() {
        if (goAway.hasEnded() && streams.isEmpty() && !over) {
            end();
        }
        waitAsDue();
    }

    private void waitAsDue() {
        if (over) {
            return;
        }
        boolean reads = channel.isWritable();
        if (channel.config().isAutoRead() != reads) {
            channel.config().setAutoRead(reads);
        }
        // of a client that is not read, no head can come to its end
        if (wait.asDue(reads ? gate.partialHead() : 0, !streams.isEmpty())) {
            link.whenSent(this);
        }
    }

    @Override
    public void sent() {
        if (!over && wait.phase() == FrontendWait.Phase.READER) {
            turn.settle();
        }
    }

    // ---- the deadline

    @Override
    public void onDeadline() {
        FrontendWait.Phase phase = wait.phase();
        wait.forNothing();
        switch (phase) {
            case HEAD -> faults.abuse(Abuse.UNFINISHED_HEAD);
            case REQUEST -> {
                goAway.end(Http2Error.NO_ERROR);
                end();
            }
            case READER -> {
                if (!link.hasUnsent() || wait.isReaderMoving()) {
                    waitAsDue();
                } else {
                    failAll(Failure.CLIENT_STALLED, Http2Error.CANCEL);
                    link.closeByReset();
                }
            }
            case NOTHING, END -> channel.close();
        }
    }

    // ---- failures

    @Override
    public void abuse(Abuse abuse) {
        faults.abuse(abuse);
    }

    /** Ends it by a fault of the client's, which is told which. */
    void endWith(Http2Error error, Failure failure) {
        handler().goAway(handler().connection().remote().lastStreamCreated(), error.code());
        over = true;
        failAll(failure, failure == Failure.FLOOD ? error : Http2Error.CANCEL);
        end();
    }

    /** Something in here, or on the wire, broke. */
    void broken(Throwable cause) {
        if (!(cause instanceof IOException)) {
            listener.loop().report("frontend connection ended by ", cause);
            failAll(Failure.INTERNAL, Http2Error.CANCEL);
        }
        channel.close();
    }

    /** Tells if a client that is there would be heard: it has streams, and is read. */
    boolean isHeard() {
        return !over && !inputEnded && !streams.isEmpty() && channel.config().isAutoRead();
    }

    /** The client has not answered for as long as it may. */
    void silent() {
        failAll(Failure.CLIENT_GONE, Http2Error.CANCEL);
        link.closeByReset();
    }

    private void failAll(Failure failure, Http2Error error) {
        // flushed once for all of them
        boolean outer = turn.hold();
        try {
            for (Http2FrontendStream stream : streams.copy()) {
                stream.fail(failure, error);
            }
        } finally {
            turn.letGo(outer);
        }
        turn.flush();
    }

    // ---- the end

    /** Closes behind what is written; what the client still sends is dropped. */
    private void end() {
        over = true;
        gate.close();
        wait.forNothing();
        wait.forEnd();
        handler().flush();
        if (inputEnded) {
            link.closeBehindWrites();
        } else {
            link.shutdownOutputBehindWrites(true);
        }
        channel.config().setAutoRead(true);
    }

    /** The client has ended its side: it says nothing more, and takes what its windows allow. */
    void inputEnded() {
        inputEnded = true;
        if (over) {
            if (link.isOutputShutdown()) {
                channel.close();
            }
            return;
        }
        goAway.end(Http2Error.NO_ERROR);
        for (Http2FrontendStream stream : streams.copy()) {
            stream.inputEnded();
        }
        turn.flush();
        if (!over) {
            probe = new FrontendProbe(this, link, listener.loop().deadlines());
        }
    }

    /** The channel is closed, and its streams follow. */
    void closing() {
        closing = true;
        over = true;
    }

    void closed() {
        stats.increment(Http2Metric.CONNECTIONS_CLOSED);
        listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
        listener.connections().remove(this);
        gate.close();
        wait.cancel();
        goAway.cancel();
        if (keepAlive != null) {
            keepAlive.cancel();
        }
        faults.cancel();
        FrontendProbe probing = probe;
        if (probing != null) {
            probing.cancel();
        }
        leave();
    }

    private void leave() {
        if (!left) {
            left = true;
            listener.loop().memory().closed();
        }
    }

    // ---- a drain

    @Override
    public void drain() {
        goAway.begin();
    }

    @Override
    public void cut() {
        for (Http2FrontendStream stream : streams.copy()) {
            if (stream.exchange() == null) {
                // finished, but for what the client has not taken
                listener.cutUnread();
            }
            stream.fail(Failure.CUT, Http2Error.CANCEL);
        }
        channel.close();
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
    public long burden(long nowNs) {
        return streams.burden(nowNs);
    }

    @Override
    public long holds() {
        Http2FrontendStream heaviest = streams.heaviest();
        return heaviest == null ? 0 : heaviest.holds();
    }

    @Override
    public void claims(List<Claim> into) {
        streams.claims(into);
        if (gate.heldBytes() > 0) {
            into.add(new Claim(link.claimant(), false, gate.heldBytes(), wait.headSinceNs(), 0, this));
        }
    }

    /** Heap bytes of a header section that is not whole. */
    @Override
    public void yieldMemory() {
        if (!over) {
            faults.abuse(Abuse.MEMORY);
            turn.flush();
        }
    }

    @Override
    public void relieve() {
        Http2FrontendStream heaviest = streams.heaviest();
        if (heaviest != null) {
            // the others of its connection may move well
            heaviest.relieve();
        } else if (streams.isEmpty()) {
            over = true;
            leave();
            channel.close();
        }
    }

    @Override
    public Object client() {
        return link.claimant();
    }

    @Override
    public long idleSinceNs() {
        if (!streams.isEmpty() || left) {
            return Long.MAX_VALUE;
        }
        return !over ? wait.restsSinceNs() : link.hasUnsent() ? Long.MAX_VALUE : LINGERS;
    }
}
