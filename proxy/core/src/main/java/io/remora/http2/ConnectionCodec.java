package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.HpackEncoder;
import io.remora.transport.InboundHandler;
import org.jspecify.annotations.Nullable;

/**
 * A connection's codec in its pipeline, for either side: what frames change in the states of streams, and the end of
 * each stream. {@link FrameReader} has the form of frames that come, {@link FrameWriter} the buffer of those that go,
 * {@link WireOutput} what streams send, {@link InputWindows} the windows of this side.
 *
 * <p>A side receives what has come by the abstract methods, and decides on all faults: it ends a stream by {@link
 * #writeReset}, and a connection by a GOAWAY. It also gives the peer's octets to {@link FrameReader#read}, decompresses
 * header blocks, and flushes. Faults are values. A stream may be closed by any call to a side: it is looked up again
 * by its number.
 *
 * <p>Owner: the channel's event loop. Cost: no object for a frame; for a stream one that is used again. Bounds: the
 * settings that the side has sent. Spec: RFC 9113 sections 5 and 6.
 */
abstract class ConnectionCodec extends InboundHandler implements StreamCodec, FrameReader.Events, WireOutput.Sink {
    private static final WireStream[] NONE = {};

    final WireStreams streams;
    final FrameReader reader;
    final FrameWriter writer;
    final WireOutput output;

    final InputWindows input;

    private final Own own;
    private @Nullable ChannelHandlerContext context;

    /**
     * The settings that concern the codec.
     *
     * @param peerIsClient whether the peer opens the streams
     * @param opensAtOnce whether the connection's window is opened as octets come
     * @param window of a stream, once the peer has acknowledged it
     * @param frame octets of a frame, once the peer has acknowledged them
     * @param block octets of a header block
     */
    record Own(boolean peerIsClient, boolean opensAtOnce, int window, int frame, int block) {}

    ConnectionCodec(Channel channel, Own own, HpackEncoder sections, PeerFrames credit) {
        this.own = own;
        this.streams = new WireStreams(own.peerIsClient());
        this.reader = new FrameReader(channel.alloc(), own.peerIsClient(), own.block(), this);
        this.writer = new FrameWriter(channel, sections, credit);
        this.output = new WireOutput(streams, writer, channel, this);
        this.input = new InputWindows(streams, writer, own.window(), own.opensAtOnce());
    }

    // ---- for the side

    /**
     * Decompresses a header block, of any stream; the side keeps the section until {@link #section}.
     *
     * @return null for a good one
     */
    abstract HpackDecoder.@Nullable Fault decompress(ByteBuf block, int from, int to);

    /** Drops the section that was decompressed, as it has been read. */
    abstract void dropSection();

    /**
     * A section has come for a stream that is none.
     *
     * @return whether it begins one; otherwise the side has dealt with it
     */
    abstract boolean begins(int id);

    /**
     * A section has come: a head, or trailers.
     *
     * @param first whether it has begun the stream
     */
    abstract void section(int id, boolean first, boolean ends);

    /** The same, but it was larger than it may be. */
    abstract void sectionTooLarge(int id);

    /**
     * Content has come, which the side retains if it keeps it.
     *
     * @return the octets for which more may come at once
     */
    abstract int content(int id, ByteBuf data, boolean ends);

    /** A frame has come for a stream that is none; of DATA the connection's window knows already. */
    abstract void stray(int type, int id);

    /** The peer has reset a stream, which is closed next. */
    abstract void resetByPeer(int id, long code);

    /** The peer takes more of a stream. */
    abstract void widened(int id);

    /** Settings have come, which have been acknowledged and applied as far as they concern the codec. */
    abstract void settingsRead(PeerSettings settings);

    /** The peer has acknowledged the settings of this side. */
    abstract void acknowledged();

    /** The peer has answered a PING. */
    abstract void pingAnswered(long data);

    /** A stream has been closed, in any way; the codec has forgotten it. */
    abstract void closed(int id);

    // ---- the pipeline

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        writer.begin(added);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        release();
    }

    /** Closes all streams, as the channel is closed. */
    @Override
    public void channelInactive(ChannelHandlerContext at) {
        release();
        forgetAbove(0);
    }

    private void release() {
        reader.close();
        writer.close();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        if (at.channel().isWritable()) {
            flush();
        }
    }

    // ---- frames that come

    @Override
    public void data(int id, ByteBuf content, int padding, boolean ends) {
        int octets = content.readableBytes() + padding;
        if (!input.receive(octets)) {
            connectionFault(ErrorCode.FLOW_CONTROL_ERROR);
            return;
        }
        WireStream stream = streams.get(id);
        if (stream == null) {
            input.giveBack(octets);
            stray(Frames.DATA, id);
            return;
        }
        boolean isDue = stream.isRemoteOpen();
        if (!isDue || !stream.received.receive(octets)) {
            input.giveBack(octets);
            streamFault(id, isDue ? ErrorCode.FLOW_CONTROL_ERROR : ErrorCode.STREAM_CLOSED);
            return;
        }
        int taken = content(id, content, ends) + padding;
        WireStream after = streams.get(id);
        if (after != null && ends) {
            closeRemote(after);
        }
        input.take(id, taken);
    }

    @Override
    public final void headers(int id, ByteBuf block, int from, int to, boolean ends, ErrorCode fault) {
        try {
            HpackDecoder.Fault wrong = decompress(block, from, to);
            if (wrong == HpackDecoder.Fault.COMPRESSION) {
                connectionFault(ErrorCode.COMPRESSION_ERROR);
            } else if (wrong == HpackDecoder.Fault.EXCESSIVE) {
                connectionFault(ErrorCode.ENHANCE_YOUR_CALM);
            } else {
                section(id, ends, fault, wrong != null);
            }
        } finally {
            dropSection();
        }
    }

    private void section(int id, boolean ends, ErrorCode fault, boolean tooLarge) {
        WireStream known = streams.get(id);
        if (known == null && !begins(id)) {
            return;
        }
        if (known != null && !known.isRemoteOpen()) {
            streamFault(id, ErrorCode.STREAM_CLOSED);
            return;
        }
        if (known == null) {
            WireStream.State state = ends ? WireStream.State.HALF_CLOSED_REMOTE : WireStream.State.OPEN;
            streams.open(id).begin(id, state, input.first(), output.firstWindow());
        }
        if (fault != ErrorCode.NO_ERROR) {
            streamFault(id, fault);
            return;
        }
        if (tooLarge) {
            sectionTooLarge(id);
        } else {
            section(id, known == null, ends);
        }
        WireStream after = streams.get(id);
        if (after != null && ends && after.isRemoteOpen()) {
            closeRemote(after);
        }
    }

    @Override
    public final void resetRead(int id, long code) {
        if (streams.get(id) == null) {
            stray(Frames.RST_STREAM, id);
            return;
        }
        resetByPeer(id, code);
        WireStream after = streams.get(id);
        if (after != null) {
            close(after);
        }
    }

    @Override
    public final void settings(ByteBuf in, int from, int count) {
        PeerSettings settings = new PeerSettings();
        ErrorCode fault = settings.read(in, from, count, own.peerIsClient());
        if (fault != null) {
            connectionFault(fault);
            return;
        }
        writer.settingsAck();
        if (!output.apply(settings)) {
            connectionFault(ErrorCode.FLOW_CONTROL_ERROR);
            return;
        }
        settingsRead(settings);
    }

    @Override
    public final void settingsKnown() {
        if (input.agree()) {
            reader.mostFrame(own.frame());
            acknowledged();
        }
    }

    @Override
    public final void ping(long data, boolean answer) {
        if (answer) {
            pingAnswered(data);
        } else {
            writer.ping(data, true);
        }
    }

    @Override
    public final void windowUpdate(int id, int more) {
        if (id == 0) {
            if (!output.widen(more)) {
                connectionFault(ErrorCode.FLOW_CONTROL_ERROR);
            }
            return;
        }
        WireStream stream = streams.get(id);
        if (stream == null) {
            stray(Frames.WINDOW_UPDATE, id);
        } else if (output.widen(stream, more)) {
            widened(id);
        } else {
            streamFault(id, ErrorCode.FLOW_CONTROL_ERROR);
        }
    }

    // ---- what goes

    /** Begins a stream of this side, by a number that {@link WireStreams#next} has told. */
    final void begin(int id) {
        streams.add(id).begin(id, WireStream.State.OPEN, input.first(), output.firstWindow());
    }

    @Override
    public @Nullable ChannelFuture writeSection(int id, SentSection section, boolean ends) {
        return output.writeSection(id, section, ends);
    }

    @Override
    public final void broken(Throwable cause) {
        ChannelHandlerContext at = context;
        if (at != null) {
            exceptionCaught(at, cause);
        }
    }

    /** Writes RST_STREAM for a stream, open or not, and closes it now: nothing of it follows. */
    final void writeReset(int id, long code) {
        writer.reset(id, code);
        WireStream stream = streams.get(id);
        if (stream != null) {
            close(stream);
        }
    }

    /** Closes a stream of which the peer knows nothing, or nothing any more. */
    public final void forget(int id) {
        WireStream stream = streams.get(id);
        if (stream != null) {
            close(stream);
        }
    }

    /** Closes all streams above that number, of which the peer knows nothing; what one of them throws keeps no other. */
    final void forgetAbove(int last) {
        forget(streams.copy(NONE), 0, last);
    }

    private void forget(WireStream[] all, int from, int last) {
        int at = from;
        try {
            for (; at < all.length; at++) {
                WireStream stream = all[at];
                // the end of one may have ended others, whose objects are used again
                if (stream.id > last && streams.get(stream.id) == stream) {
                    close(stream);
                }
            }
        } finally {
            if (at < all.length) {
                forget(all, at + 1, last);
            }
        }
    }

    @Override
    public final void ping(long data) {
        writer.ping(data, false);
    }

    @Override
    public final boolean hasGoneAway() {
        return streams.refusesSome();
    }

    /** Ignores the peer's streams above that number from now on; false where that is so already. */
    final boolean ignoreAbove(int lastStream) {
        return streams.refuseAbove(lastStream);
    }

    /** Writes what the windows allow, and flushes the channel. */
    public void flush() {
        output.write();
        writer.flush();
    }

    // ---- the states of streams

    // a frame that was written may have closed it, and the object may be another stream's
    @Override
    public final void ended(int id) {
        WireStream stream = streams.get(id);
        if (stream != null && stream.endLocal()) {
            close(stream);
        }
    }

    private void closeRemote(WireStream stream) {
        if (stream.endRemote()) {
            close(stream);
        }
    }

    private void close(WireStream stream) {
        if (stream.state == WireStream.State.CLOSED) {
            return;
        }
        int id = stream.id;
        stream.state = WireStream.State.CLOSED;
        try {
            output.drop(stream);
            int untaken = stream.received.untaken();
            if (untaken > 0) {
                input.giveBack(untaken);
            }
        } finally {
            streams.close(stream);
            closed(id);
        }
    }
}
