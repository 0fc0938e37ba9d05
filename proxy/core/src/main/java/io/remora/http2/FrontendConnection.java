package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.remora.config.FrontendTimeouts;
import io.remora.config.Http2Config;
import io.remora.config.Limits;
import io.remora.exchange.Exchange;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.memory.LoopBudget;
import io.remora.metrics.Http2Metric;
import io.remora.metrics.Http2Stats;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import io.remora.transport.Link;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/2 connection as the outside sees it: its streams, its deadline, what it may cost, a drain, and a shortage of
 * memory.
 *
 * <p>Owner: its channel's event loop. {@link FrontendHandler} has the frames, each {@link FrontendStream} one request. Bounds: the
 * listener's {@code http2}. Spec: RFC 9113 sections 5, 6.8 and 10.5.
 */
final class FrontendConnection implements Drainable, Deadline.Expirable, FrontendGate.Sink, Link.Sender, Runnable {
    /** For the answer to the PING behind the first GOAWAY; a client that does not answer is told all the same. */
    private static final long ROUND_TRIP_NS = TimeUnit.SECONDS.toNanos(1);

    /** One of so many parts of an age is left to chance, so that connections that began together do not end together. */
    private static final int AGE_PARTS = 10;

    private static final long DRAIN_PING = 0x64_72_61_69_6eL;

    final ListenerLoop listener;
    final Link link;
    private final Channel channel;
    private final Http2Config config;
    private final FrontendTimeouts timeouts;
    private final Http2Stats stats;
    private final FrontendFloods floods;
    private final FrontendGate gate;
    private final FrontendWait wait;
    private final RecentResets recentResets = new RecentResets();
    private final List<FrontendStream> streams = new ArrayList<>();
    private List<FrontendStream> touched = new ArrayList<>();
    private @Nullable FrontendHandler handler;
    /** Null where there is no bound on it. */
    private @Nullable Deadline age;
    /** Whether the client has been told that no further streams are wanted. */
    private boolean draining;
    /** Whether further streams are ignored. */
    private boolean last;
    /** Whether nothing is read any more. */
    private boolean over;

    private boolean closing;
    private boolean left;
    /** Whether the turn that goes on settles what is touched when it ends. */
    private boolean inTurn;

    /** Whether a flush goes on, or one is to come that is for several streams; a turn ends behind it. */
    private boolean flushing;

    private boolean settling;
    private boolean scheduled;
    /** Whether a frame has been written that nobody has flushed. */
    private boolean written;

    private boolean inputEnded;
    /** The highest number of a stream that was refused; all below it are none that may be opened. */
    private int lastRefused;

    private int linkBound;
    private int opened;

    private FrontendConnection(ListenerLoop listener, Link link, Http2Config config, Http2Stats stats) {
        this.listener = listener;
        this.link = link;
        this.channel = link.channel();
        this.config = config;
        this.stats = stats;
        this.timeouts = listener.snapshot().config().timeouts();
        this.floods = new FrontendFloods(config.floods(), listener.loop());
        this.gate = new FrontendGate(listener.loop(), channel.alloc(), floods, this);
        this.wait = new FrontendWait(timeouts, listener.loop().deadlines(), this, link);
    }

    static void install(ListenerLoop listener, Link link, Http2Config config, Http2Stats stats) {
        FrontendConnection connection = new FrontendConnection(listener, link, config, stats);
        FrontendHandler handler;
        try {
            handler = FrontendHandler.of(connection, config);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
        connection.handler = handler;
        if (!listener.loop().memory().open()) {
            listener.shed();
        }
        listener.connections().add(connection);
        listener.stats().increment(ListenerMetric.FRONTEND_ACCEPTED);
        stats.increment(Http2Metric.CONNECTIONS);
        connection.beginAge();
        link.channel().pipeline().addLast(handler);
        connection.flush();
        if (listener.isDraining()) {
            // its handshake has outlasted the beginning of the drain
            connection.drain();
        }
    }

    private void beginAge() {
        long mostNs = timeouts.maxAgeNs();
        if (mostNs != Limits.UNLIMITED) {
            age = listener.loop().deadlines().add(new Deadline.Expirable() {
                @Override
                public void onDeadline() {
                    drain();
                }
            });
            age.set(mostNs - ThreadLocalRandom.current().nextLong(mostNs / AGE_PARTS + 1));
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

    int queued(int grant) {
        return listener.loop().memory().queued(grant);
    }

    /** What a stream's window may be with a grant. */
    int windowFor(int grant) {
        return Math.min(config.streamWindowBytes(), Math.max(FrontendHandler.LEAST_WINDOW, grant));
    }

    /** The buffers that all streams share keep to the least of the grants of those that are open, of which one has changed. */
    void bound(int grant) {
        int least = grant;
        if (grant > linkBound) {
            for (FrontendStream stream : streams) {
                least = stream.granted() == 0 ? least : Math.min(least, stream.granted());
            }
        }
        if (least != linkBound) {
            linkBound = least;
            LoopBudget memory = listener.loop().memory();
            link.bound(least, memory.sendBytes(least), memory.queued(least));
        }
    }

    // ---- what has been read

    void read(ByteBuf bytes) {
        inTurn = true;
        try {
            gate.read(bytes);
        } finally {
            inTurn = false;
        }
    }

    @Override
    public void frames(ByteBuf frames) {
        handler().decode(frames);
    }

    void readComplete() {
        if (!gate.hold() && !over) {
            abuse(Abuse.MEMORY);
        }
        FrontendStream filling = handler().frames().stream(gate.partialData());
        if (filling != null) {
            // its client is sending, though no frame is whole
            touch(filling);
        }
        flush();
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

    FrontendStream open(Http2Stream stream) {
        FrontendStream opened = new FrontendStream(this, handler(), stream);
        opened.slot = streams.size();
        streams.add(opened);
        stats.increment(Http2Metric.STREAMS);
        return opened;
    }

    /** One more stream has an identifier. */
    void added() {
        opened++;
    }

    /** How many have been opened so far. */
    int opened() {
        return opened;
    }

    /** Whether this side has reset it of late. */
    boolean hasReset(int id) {
        return recentResets.contains(id);
    }

    /** Whether it is a number of the client's that has been refused, or passed over before one that was. */
    boolean hasRefused(int id) {
        return id <= lastRefused && (id & 1) != 0;
    }

    void ended(FrontendStream stream) {
        FrontendStream moved = streams.remove(streams.size() - 1);
        if (moved != stream) {
            streams.set(stream.slot, moved);
            moved.slot = stream.slot;
        }
        stats.increment(Http2Metric.STREAMS_CLOSED);
        if (streams.isEmpty() && !closing) {
            settleLater();
        }
    }

    /** The client has said that it knows what it may do. */
    void settingsKnown() throws Http2Exception {
        int delta = config.connectionWindowBytes()
                - handler()
                        .decoder()
                        .flowController()
                        .initialWindowSize(handler().connection().connectionStream());
        if (delta > 0) {
            handler()
                    .decoder()
                    .flowController()
                    .incrementWindowSize(handler().connection().connectionStream(), delta);
        }
        for (FrontendStream stream : streams) {
            stream.settingsKnown();
        }
    }

    // ---- the end of a turn

    /** The end of this turn sees to {@code stream}. */
    void touch(FrontendStream stream) {
        if (!stream.touched) {
            stream.touched = true;
            touched.add(stream);
        }
    }

    /** The same where there may be no turn that ends. */
    void touchLater(FrontendStream stream) {
        touch(stream);
        settleLater();
    }

    private void settleLater() {
        if (!inTurn && !settling && !flushing && !scheduled) {
            scheduled = true;
            channel.eventLoop().execute(this);
        }
    }

    @Override
    public void run() {
        scheduled = false;
        if (!closing) {
            flush();
        }
    }

    void written() {
        written = true;
    }

    void dataSent() {
        floods.dataSent();
    }

    void flush() {
        if (flushing) {
            // whoever flushes is not done yet, but may be past the channel
            written = true;
            return;
        }
        flushing = true;
        written = false;
        try {
            handler().flush();
        } finally {
            flushing = false;
        }
        settle();
    }

    /** Does what is left to do when a turn of work is over, whatever brought it about. */
    void settle() {
        if (settling || inTurn) {
            return;
        }
        settling = true;
        try {
            while (!touched.isEmpty() || written) {
                List<FrontendStream> now = touched;
                touched = new ArrayList<>();
                for (FrontendStream stream : now) {
                    settle(stream);
                }
                if (written) {
                    written = false;
                    handler().flush();
                }
            }
        } finally {
            settling = false;
        }
        if (last && streams.isEmpty() && !over) {
            end();
        }
        waitAsDue();
    }

    // the others of this turn have no other one that would see to them
    private void settle(FrontendStream stream) {
        try {
            stream.settle();
        } catch (RuntimeException e) {
            broken(e);
        }
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
            settle();
        }
    }

    // ---- the deadline

    @Override
    public void onDeadline() {
        FrontendWait.Phase phase = wait.phase();
        wait.forNothing();
        switch (phase) {
            case HEAD -> abuse(Abuse.UNFINISHED_HEAD);
            case REQUEST -> {
                goAwayLast(Http2Error.NO_ERROR);
                end();
            }
            case READER -> {
                if (!link.hasUnsent() || wait.isReaderMoving()) {
                    waitAsDue();
                } else {
                    failAll(Failure.CLIENT_STALLED);
                    link.closeByReset();
                }
            }
            case NOTHING, END -> channel.close();
        }
    }

    // ---- what a client does wrong, or too often

    void emptyFrame() {
        endIf(floods.emptyFrame());
    }

    /** A frame has come for a stream that there is none of. */
    void strayFrame() {
        endIf(floods.controlFrame());
    }

    void resetByClient() {
        stats.increment(Http2Metric.RESETS, "client");
        endIf(floods.reset());
    }

    void streamError(Http2Exception.StreamException error, boolean outbound) {
        int id = error.streamId();
        FrontendStream stream = handler().frames().stream(id);
        if (error instanceof Http2Exception.HeaderListSizeException large && large.duringDecode()) {
            try {
                handler().frames().headersTooLarge(id);
                // trailers throw away what a backend has done for their request, as a reset does
                endIf(stream == null ? floods.controlFrame() : floods.reset());
                return;
            } catch (Http2Exception e) {
                // the stream is none any more
                reset(id, e.error());
            }
        } else if (stream != null && outbound) {
            stream.refuse(error.error());
        } else if (stream != null) {
            refuse(stream, error.error());
        } else if (!recentResets.contains(id)) {
            // RFC 9113 5.4.2: of a stream that this side has reset, more may be under way
            if (error.error() == Http2Error.REFUSED_STREAM) {
                lastRefused = Math.max(lastRefused, id);
            }
            reset(id, error.error());
        }
        if (stream == null) {
            endIf(floods.controlFrame());
        }
    }

    /** The client has broken a rule of {@code stream}, which costs it no more than a reset. */
    void refuse(FrontendStream stream, Http2Error error) {
        thrownAway();
        if (!over) {
            stream.refuse(error);
        }
    }

    /** Work that was done for a stream has come to nothing, by a fault of the client's. */
    void thrownAway() {
        endIf(floods.reset());
    }

    void reset(int id, Http2Error error) {
        stats.increment(Http2Metric.RESETS, "proxy");
        recentResets.add(id);
        handler().reset(id, error.code());
        written = true;
    }

    void connectionError(Http2Exception error) {
        if (over) {
            return;
        }
        boolean calm = error.error() == Http2Error.ENHANCE_YOUR_CALM
                || error instanceof Http2Exception.HeaderListSizeException;
        if (calm) {
            stats.increment(Http2Metric.ABUSE, Abuse.HEADER_LIST.label());
        } else {
            stats.increment(Http2Metric.ERRORS);
        }
        endWith(calm ? Http2Error.ENHANCE_YOUR_CALM : error.error());
    }

    private void endIf(@Nullable Abuse abuse) {
        if (abuse != null) {
            abuse(abuse);
        }
    }

    @Override
    public void abuse(Abuse abuse) {
        if (!over) {
            stats.increment(Http2Metric.ABUSE, abuse.label());
            endWith(Http2Error.ENHANCE_YOUR_CALM);
        }
    }

    private void endWith(Http2Error error) {
        handler().goAway(handler().connection().remote().lastStreamCreated(), error.code());
        over = true;
        failAll(Failure.CLIENT_GONE);
        end();
    }

    /** Something in here, or on the wire, broke. */
    void broken(Throwable cause) {
        if (!(cause instanceof IOException)) {
            listener.loop().report("frontend connection ended by ", cause);
            failAll(Failure.INTERNAL);
        }
        channel.close();
    }

    private void failAll(Failure failure) {
        boolean outer = flushing;
        // once for all of them
        flushing = true;
        try {
            for (FrontendStream stream : streams.toArray(new FrontendStream[0])) {
                stream.fail(failure, Http2Error.CANCEL);
            }
        } finally {
            flushing = outer;
        }
        flush();
    }

    // ---- the end

    private void goAwayLast(Http2Error error) {
        if (last) {
            return;
        }
        last = true;
        draining = true;
        int known = handler().connection().remote().lastStreamCreated();
        try {
            handler().connection().goAwaySent(known, error.code(), Unpooled.EMPTY_BUFFER);
        } catch (Http2Exception e) {
            // which nobody has told another number
            listener.loop().report("GOAWAY: ", e);
        }
        handler().goAway(known, error.code());
        handler().flush();
    }

    /** Closes behind what is written; what the client still sends is dropped. */
    private void end() {
        over = true;
        gate.close();
        leave();
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
        goAwayLast(Http2Error.NO_ERROR);
        for (FrontendStream stream : streams.toArray(new FrontendStream[0])) {
            stream.inputEnded();
        }
        flush();
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
        if (age != null) {
            age.cancel();
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
        if (draining || over) {
            return;
        }
        draining = true;
        handler().goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR.code());
        handler().ping(DRAIN_PING);
        listener.loop()
                .after(
                        new Runnable() {
                            @Override
                            public void run() {
                                drainOn();
                            }
                        },
                        ROUND_TRIP_NS);
        flush();
    }

    void pingAnswered(long data) {
        if (draining && data == DRAIN_PING) {
            drainOn();
        }
    }

    /** What the client sent before it knew has come. */
    private void drainOn() {
        if (!over && !last) {
            goAwayLast(Http2Error.NO_ERROR);
            settleLater();
        }
    }

    @Override
    public void cut() {
        for (FrontendStream stream : streams.toArray(new FrontendStream[0])) {
            if (stream.exchange() == null) {
                // finished, but for what the client has not taken
                listener.stats().increment(ListenerMetric.EXCHANGES_CUT);
            }
            stream.fail(Failure.CUT, Http2Error.CANCEL);
        }
        channel.close();
    }

    // ---- a shortage of memory

    @Override
    public void shrink(boolean greedy) {
        for (FrontendStream stream : streams) {
            Exchange current = stream.exchange();
            if (current != null) {
                current.grant().shrink(greedy);
            }
        }
    }

    @Override
    public void grow() {
        for (FrontendStream stream : streams) {
            Exchange current = stream.exchange();
            if (current != null) {
                current.grant().grow();
            }
        }
    }

    @Override
    public long burden(long nowNs) {
        long most = 0;
        for (FrontendStream stream : streams) {
            most = Math.max(most, stream.burden(nowNs));
        }
        return most;
    }

    private @Nullable FrontendStream heaviest() {
        long nowNs = listener.loop().nowNs();
        FrontendStream heaviest = null;
        long most = 0;
        for (FrontendStream stream : streams) {
            long burden = stream.burden(nowNs);
            if (burden > most) {
                most = burden;
                heaviest = stream;
            }
        }
        return heaviest;
    }

    @Override
    public long holds() {
        FrontendStream heaviest = heaviest();
        return heaviest == null ? 0 : heaviest.holds();
    }

    @Override
    public void relieve() {
        FrontendStream heaviest = heaviest();
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
    public long idleSinceNs() {
        return streams.isEmpty() && !over ? wait.restsSinceNs() : Long.MAX_VALUE;
    }
}
