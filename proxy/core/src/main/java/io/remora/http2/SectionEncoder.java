package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.util.AsciiString;
import io.remora.http2.hpack.HpackEncoder;
import java.util.Map;

/**
 * Our encoder of header blocks, as Netty's writer of frames takes one. It refuses a section that is larger than the peer
 * takes.
 *
 * <p>Owner: one connection.
 */
final class SectionEncoder implements Http2HeadersEncoder, Http2HeadersEncoder.Configuration {
    /** The cost of a line beyond its octets (RFC 9113 6.5.2). */
    private static final int LINE_OCTETS = 32;

    private final HpackEncoder encoder;
    private long maxTableOctets;
    private long maxListOctets = Http2CodecUtil.MAX_HEADER_LIST_SIZE;

    /**
     * @param maxTableOctets that the table may take; 0 keeps nothing of a section
     */
    SectionEncoder(int maxTableOctets) {
        this.maxTableOctets = maxTableOctets;
        this.encoder = new HpackEncoder(maxTableOctets);
    }

    @Override
    public void encodeHeaders(int stream, Http2Headers section, ByteBuf out) throws Http2Exception {
        if (maxListOctets != Http2CodecUtil.MAX_HEADER_LIST_SIZE && octets(section) > maxListOctets) {
            Http2CodecUtil.headerListSizeExceeded(stream, maxListOctets, false);
        }
        encoder.begin(out);
        for (Map.Entry<CharSequence, CharSequence> line : section) {
            encoder.line(out, AsciiString.of(line.getKey()), AsciiString.of(line.getValue()), false);
        }
    }

    private static long octets(Http2Headers section) {
        long octets = 0;
        for (Map.Entry<CharSequence, CharSequence> line : section) {
            octets += line.getKey().length() + line.getValue().length() + LINE_OCTETS;
        }
        return octets;
    }

    @Override
    public Configuration configuration() {
        return this;
    }

    /** Takes over how large a table the peer allows. */
    @Override
    public void maxHeaderTableSize(long octets) {
        maxTableOctets = octets;
        encoder.peerTableOctets(octets);
    }

    @Override
    public long maxHeaderTableSize() {
        return maxTableOctets;
    }

    @Override
    public void maxHeaderListSize(long octets) {
        maxListOctets = octets;
    }

    @Override
    public long maxHeaderListSize() {
        return maxListOctets;
    }
}
