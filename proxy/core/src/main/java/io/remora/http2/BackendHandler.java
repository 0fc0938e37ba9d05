package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.FastThreadLocal;
import io.remora.http2.config.ClusterHttp2;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.HpackEncoder;
import io.remora.metrics.BackendHttp2Stats;
import io.remora.transport.Handshake;
import io.remora.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * The codec of an HTTP/2 connection to an endpoint. Until the endpoint's settings have come it is a handshake, from then
 * on it belongs to a {@link Http2BackendConnection}.
 *
 * <p>Owner: its channel's event loop. Bounds: the response's header list and window from the cluster's configuration;
 * frames of 16 KiB; 16 small CONTINUATIONs a header list.
 *
 * <p>Requests are compressed without a dynamic table, however large a one the endpoint allows. Octets of one client's
 * request that are never kept cannot be guessed at through another's (RFC 7541 section 7.1).
 */
final class BackendHandler extends ConnectionCodec implements BackendCodec {
    /** The section that was decompressed last, which is read before the next one. */
    private static final FastThreadLocal<FieldSection> SECTION = new FastThreadLocal<>() {
        @Override
        protected FieldSection initialValue() {
            return new FieldSection();
        }
    };

    private final HpackDecoder decoder;
    private final BackendFloods floods;
    private final BackendGate gate;
    private final BackendRoom room;
    private final BackendSettings settings;
    private final BackendFaults faults;
    private final BackendHttp2Stats stats;
    private @Nullable Http2BackendConnection owner;
    private boolean reading;

    /**
     * @param outcome hears when the connection is ready
     */
    BackendHandler(
            Link link,
            ClusterHttp2 http2,
            int headerBlockBytes,
            BackendFloods floods,
            BackendHttp2Stats stats,
            Handshake.Outcome outcome) {
        super(
                link.channel(),
                // of a block that is larger than the list by more than a quarter, nobody knows what follows
                new Own(false, true, http2.windowBytes(), Frames.LEAST_FRAME, headerBlockBytes + headerBlockBytes / 4),
                new HpackEncoder(0, http2.neverIndexed()),
                floods.credit());
        this.decoder = new HpackDecoder(Frames.FIRST_TABLE, headerBlockBytes);
        this.floods = floods;
        this.gate = new BackendGate(floods, link.channel());
        this.room = new BackendRoom(streams, output, writer);
        this.settings = new BackendSettings(link, http2.maxStreams(), outcome);
        this.faults = new BackendFaults(link.channel(), streams, writer, stats, settings);
        this.stats = stats;
    }

    // ---- what the endpoint allows

    @Override
    void settingsRead(PeerSettings read) {
        boolean grown = settings.read(read);
        Http2BackendConnection told = owner;
        if (told != null && grown) {
            told.roomGrew();
        }
        settings.tell();
    }

    /** Reports all events to {@code connection} from now on. */
    void attach(Http2BackendConnection connection) {
        owner = connection;
        floods.attach(connection);
        faults.attach(connection);
    }

    private @Nullable Http2BackendRequest request(int number) {
        Http2BackendConnection told = owner;
        return told == null ? null : told.request(number);
    }

    @Override
    public BackendHttp2Stats stats() {
        return stats;
    }

    @Override
    public boolean takesConnect() {
        return settings.takesConnect();
    }

    @Override
    public int maxStreams() {
        return settings.maxStreams();
    }

    // ---- what streams want

    @Override
    public boolean isReading() {
        return reading;
    }

    @Override
    public int nextStream() {
        int number = settings.allow(streams.size() + 1) && faults.mayOpen() ? streams.next() : 0;
        if (number > 0) {
            begin(number);
        }
        return number;
    }

    @Override
    public @Nullable ChannelFuture writeSection(int number, SentSection section, boolean ends) {
        Http2BackendConnection told = owner;
        if (told == null || !(section instanceof BackendFields fields) || settings.take(fields)) {
            return super.writeSection(number, section, ends);
        }
        if (fields.isHead()) {
            // a stream that the endpoint has not seen takes no reset (RFC 9113 6.4)
            forget(number);
        }
        told.sectionTooLarge(number);
        return null;
    }

    @Override
    public void writeContent(int number, ByteBuf content, boolean last) {
        output.add(number, content, null);
        if (last) {
            output.end(number);
        }
    }

    @Override
    public boolean isWritable(int number) {
        return room.isWritable(number);
    }

    @Override
    public boolean isSent(int number) {
        WireStream stream = streams.get(number);
        return stream == null || !stream.isLocalOpen();
    }

    @Override
    public void reset(int number, ErrorCode error) {
        if (streams.get(number) != null) {
            stats.reset(false);
            writeReset(number, error.code());
            flushUnlessReading();
        }
    }

    @Override
    public void taken(int number, int octets) {
        if (input.take(number, octets)) {
            flushUnlessReading();
        }
    }

    @Override
    public void flushUnlessReading() {
        if (!reading) {
            flush();
        }
    }

    @Override
    public void flush() {
        super.flush();
        Http2BackendConnection told = owner;
        if (told != null) {
            told.flushed();
            room.look(told);
        }
    }

    @Override
    public void goAway(ErrorCode error) {
        faults.goAway(error);
    }

    @Override
    public void calm() {
        faults.goAway(ErrorCode.ENHANCE_YOUR_CALM);
    }

    // ---- frames that come

    @Override
    public boolean isOver() {
        return faults.isOver();
    }

    @Override
    public boolean admits(int type, int flags, int stream, int length) {
        BackendGate.Verdict verdict = gate.count(type, flags, length, streams.get(stream) != null);
        if (verdict == BackendGate.Verdict.ENDS) {
            connectionFault(ErrorCode.ENHANCE_YOUR_CALM);
        }
        return verdict == BackendGate.Verdict.PASSES;
    }

    @Override
    public void data(int id, ByteBuf content, int padding, boolean ends) {
        boolean isEmpty = !content.isReadable() && !ends;
        if (isEmpty ? gate.emptyContent() : streams.get(id) == null && gate.late()) {
            connectionFault(ErrorCode.ENHANCE_YOUR_CALM);
        } else {
            super.data(id, content, padding, ends);
        }
    }

    @Override
    int content(int id, ByteBuf data, boolean ends) {
        Http2BackendRequest request = request(id);
        int octets = data.readableBytes();
        return request == null ? octets : octets - request.response().dataRead(data, ends);
    }

    @Override
    HpackDecoder.@Nullable Fault decompress(ByteBuf block, int from, int to) {
        return decoder.decode(block, from, to, SECTION.get());
    }

    @Override
    void dropSection() {
        SECTION.get().clear();
    }

    /** An endpoint begins no stream, as pushes are switched off. */
    @Override
    boolean begins(int id) {
        if (gate.late()) {
            connectionFault(ErrorCode.ENHANCE_YOUR_CALM);
        } else {
            stray(Frames.HEADERS, id);
        }
        return false;
    }

    @Override
    void section(int id, boolean first, boolean ends) {
        Http2BackendRequest request = request(id);
        if (request != null) {
            request.response().headersRead(SECTION.get(), ends);
        }
    }

    @Override
    void sectionTooLarge(int id) {
        streamFault(id, ErrorCode.PROTOCOL_ERROR);
    }

    /** A frame that was on its way when its stream ended needs no answer. */
    @Override
    void stray(int type, int id) {
        if (!streams.mayHaveBeen(id)) {
            connectionFault(ErrorCode.PROTOCOL_ERROR);
        }
    }

    @Override
    void resetByPeer(int id, long code) {
        Http2BackendRequest request = request(id);
        if (request != null) {
            stats.reset(true);
            request.response().resetRead(code);
        }
    }

    @Override
    void widened(int id) {
        Http2BackendRequest request = request(id);
        if (request != null) {
            request.windowOpened();
        }
    }

    @Override
    void acknowledged() {
        // they hold from the first frame on
    }

    @Override
    void pingAnswered(long data) {
        // any octet ends a silence
    }

    @Override
    void closed(int id) {
        // the caller that closes it reports to the request
    }

    @Override
    public void goAwayRead(int last, long code) {
        if (faults.goAwayRead(last)) {
            forgetAbove(last);
        } else {
            connectionFault(ErrorCode.PROTOCOL_ERROR);
        }
    }

    @Override
    public void unknown(int type, int stream, ByteBuf in, int from, int length) {
        if (type == PriorityUpdates.TYPE) {
            // RFC 9218 7.1: it is a client's to send
            connectionFault(ErrorCode.PROTOCOL_ERROR);
        }
    }

    @Override
    public void streamFault(int id, ErrorCode error) {
        faults.ofStream(id, error);
    }

    @Override
    public void connectionFault(ErrorCode error) {
        faults.ofConnection(error);
        reader.close();
    }

    // ---- the channel

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        reading = true;
        if (message instanceof ByteBuf bytes && !faults.isOver()) {
            reader.read(bytes);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        Http2BackendConnection told = owner;
        if (told != null) {
            told.readComplete();
        }
        reading = false;
        flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        super.channelWritabilityChanged(at);
        Http2BackendConnection told = owner;
        if (told != null) {
            room.look(told);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        try {
            super.channelInactive(at);
        } finally {
            faults.closed();
            Http2BackendConnection told = owner;
            if (told != null) {
                told.closed();
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelOutputShutdownEvent) {
            faults.outputShutDown();
        }
    }

    @Override
    @SuppressWarnings("deprecation") // in outbound handlers only
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        faults.caught(cause);
    }
}
