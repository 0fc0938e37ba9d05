package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.http2.config.Http2Config;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.HpackEncoder;
import org.jspecify.annotations.Nullable;

/**
 * The codec of a client's connection, in its pipeline. It judges whether frames may come for a stream in its state; the
 * {@link Http2FrontendConnection} gets all events, and decides.
 *
 * <p>Owner: one connection. Bounds: the SETTINGS frame to the client has them. The streams that may be open at once hold
 * from the first frame on, windows and frames once the client has acknowledged them. The table by which responses are
 * compressed is as large as the client allows, up to {@link #TABLE_OCTETS}. Spec: RFC 9113 sections 5.1, 5.1.1 and 8.1.1.
 */
final class FrontendHandler extends ConnectionCodec implements FrontendCodec {
    /** Bytes of a body for which every grant has room. */
    static final int LEAST_WINDOW = 16 << 10;
    /** Octets of a table in which the fields fit that an API repeats. */
    private static final int TABLE_OCTETS = 1_024;

    private final Http2FrontendConnection owner;
    private final Http2Config config;
    private final HpackDecoder decoder;
    /** The section that has come last, which the loop's other connections use as well. */
    private final FieldSection section;

    /**
     * @param shared the loop's place for the section that is read
     */
    FrontendHandler(Http2FrontendConnection owner, Http2Config config, PeerFrames credit, FieldSection shared) {
        super(
                owner.link().channel(),
                new Own(true, false, window(config), config.maxFrameBytes(), FrontendGate.mostHeadOctets(config)),
                new HpackEncoder(TABLE_OCTETS, config.neverIndexed()),
                credit);
        this.owner = owner;
        this.config = config;
        this.decoder = new HpackDecoder(Frames.FIRST_TABLE, config.maxHeaderListBytes());
        this.section = shared;
    }

    private static int window(Http2Config config) {
        return Math.min(LEAST_WINDOW, config.streamWindowBytes());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        super.handlerAdded(added);
        writer.settings(
                Frames.MAX_CONCURRENT_STREAMS,
                config.maxConcurrentStreams(),
                Frames.INITIAL_WINDOW_SIZE,
                window(config),
                Frames.MAX_FRAME_SIZE,
                config.maxFrameBytes(),
                Frames.MAX_HEADER_LIST_SIZE,
                config.maxHeaderListBytes(),
                Frames.ENABLE_CONNECT_PROTOCOL,
                1);
    }

    // ---- the channel

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (message instanceof ByteBuf bytes && !owner.isOver()) {
            owner.read(bytes);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void decode(ByteBuf frames) {
        try {
            reader.read(frames);
        } catch (RuntimeException e) {
            owner.broken(e);
        }
    }

    // reading goes on as the owner has it
    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        owner.readComplete();
    }

    /**
     * A write may bring this about in the middle of a frame. Nothing may be flushed into that frame, and no stream may
     * add to it.
     */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        FrontendTurn.Turn outer = owner.turn.hold();
        try {
            super.channelWritabilityChanged(at);
        } finally {
            owner.turn.letGo(outer);
        }
        if (!at.channel().isWritable()) {
            owner.turn.settleLater();
        } else if (outer != FrontendTurn.Turn.FLUSHING) {
            owner.turn.settle();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            owner.inputEnded();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        owner.closing();
        try {
            super.channelInactive(at);
        } finally {
            owner.streamsClosed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        owner.broken(cause);
    }

    // ---- frames that come

    @Override
    public boolean isOver() {
        return owner.isOver();
    }

    /** All are counted before they come here. */
    @Override
    public boolean admits(int type, int flags, int stream, int length) {
        return true;
    }

    @Override
    public void connectionFault(ErrorCode error) {
        owner.faults.connectionError(error);
    }

    @Override
    public void streamFault(int stream, ErrorCode error) {
        if (streams.mayHaveBeen(stream) || owner.faults.hasRefused(stream)) {
            owner.faults.streamError(stream, error);
        } else {
            // RFC 9113 6.4: a stream that nobody has begun takes no reset
            connectionFault(error);
        }
    }

    @Override
    HpackDecoder.@Nullable Fault decompress(ByteBuf block, int from, int to) {
        return decoder.decode(block, from, to, section);
    }

    @Override
    void dropSection() {
        section.clear();
    }

    @Override
    boolean begins(int id) {
        if (streams.mayHaveBeen(id)) {
            if (owner.faults.hasReset(id)) {
                streamFault(id, ErrorCode.STREAM_CLOSED);
            } else {
                connectionFault(streams.isWithoutGap() ? ErrorCode.STREAM_CLOSED : ErrorCode.PROTOCOL_ERROR);
            }
            return false;
        }
        if (owner.faults.hasRefused(id)) {
            owner.faults.strayFrame();
            return false;
        }
        if (!streams.isOfPeer(id)) {
            connectionFault(ErrorCode.PROTOCOL_ERROR);
            return false;
        }
        boolean refused = streams.isRefused(id) || streams.size() >= config.maxConcurrentStreams();
        if (refused) {
            owner.faults.streamError(id, ErrorCode.REFUSED_STREAM);
        }
        return !refused;
    }

    @Override
    void section(int id, boolean first, boolean ends) {
        Http2FrontendStream known = owner.streams.get(id);
        if (first) {
            owner.requests.begin(owner.open(id), section, ends);
        } else if (known != null && (!ends || !known.intake().fits(0, true))) {
            streamFault(id, ErrorCode.PROTOCOL_ERROR);
        } else if (known != null) {
            owner.requests.trailers(known, section);
        }
    }

    @Override
    void sectionTooLarge(int id) {
        owner.faults.headersTooLarge(id);
    }

    @Override
    int content(int id, ByteBuf data, boolean ends) {
        int octets = data.readableBytes();
        if (!ends && octets == 0) {
            owner.faults.emptyFrame();
        }
        Http2FrontendStream stream = owner.streams.get(id);
        if (stream == null) {
            return octets;
        }
        if (!stream.intake().fits(octets, ends)) {
            streamFault(id, ErrorCode.PROTOCOL_ERROR);
            return octets;
        }
        return stream.data(data, ends);
    }

    @Override
    void stray(int type, int id) {
        if (type == Frames.RST_STREAM) {
            owner.faults.strayFrame();
        }
        if (streams.mayHaveBeen(id)) {
            if (type == Frames.DATA) {
                streamFault(id, ErrorCode.STREAM_CLOSED);
            }
        } else if (!owner.faults.hasRefused(id)) {
            connectionFault(ErrorCode.PROTOCOL_ERROR);
        } else if (type == Frames.DATA) {
            // the client had it under way when the stream was refused
            owner.faults.strayFrame();
        }
    }

    @Override
    void resetByPeer(int id, long code) {
        owner.faults.resetByClient(owner.streams.get(id));
    }

    @Override
    void widened(int id) {
        Http2FrontendStream stream = owner.streams.get(id);
        if (stream != null) {
            owner.turn.touch(stream);
        }
    }

    /** A response that is larger than the client likes is its own to refuse (RFC 9113 6.5.2). */
    @Override
    void settingsRead(PeerSettings settings) {
        // those that concern the codec have been applied
    }

    @Override
    void acknowledged() {
        owner.settingsKnown();
    }

    @Override
    void pingAnswered(long data) {
        owner.goAway.pingAnswered(data);
    }

    @Override
    public void goAwayRead(int last, long code) {
        // nothing is ever pushed
    }

    @Override
    public void unknown(int type, int stream, ByteBuf in, int from, int length) {
        ErrorCode fault = type == PriorityUpdates.TYPE ? PriorityUpdates.judge(stream, in, from, length) : null;
        if (fault != null) {
            connectionFault(fault);
        }
    }

    @Override
    void closed(int id) {
        Http2FrontendStream known = owner.streams.get(id);
        if (known != null) {
            known.closed();
        }
    }

    // ---- what the owner asks

    @Override
    public void dropInput() {
        reader.close();
    }

    @Override
    public int lastStream() {
        return streams.lastOfPeer();
    }

    @Override
    public boolean hasAnswered(int id) {
        WireStream stream = streams.get(id);
        return stream != null && stream.state == WireStream.State.HALF_CLOSED_LOCAL;
    }

    @Override
    public void widen(int octets) {
        input.widenAll(octets);
    }

    @Override
    public void window(int id, int octets) {
        input.resize(id, octets);
    }

    @Override
    public boolean taken(int id, int octets) {
        return input.take(id, octets);
    }

    @Override
    public void queue(int id, ByteBuf content, FrontendOutput progress) {
        output.add(id, content, progress);
    }

    @Override
    public void endStream(int id) {
        output.end(id);
    }

    @Override
    public void endStreamEarly(int id, SentSection trailers) {
        output.endWith(id, trailers);
    }

    @Override
    public void reset(int id, long code) {
        writeReset(id, code);
    }

    @Override
    public void refuseAbove(int lastStream) {
        ignoreAbove(lastStream);
    }

    @Override
    public void goAway(int lastStream, long code) {
        writer.goAway(lastStream, code);
    }
}
