package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersDecoder;
import io.netty.util.concurrent.FastThreadLocal;
import io.remora.http2.hpack.HpackDecoder;

/**
 * Our decoder of header blocks, as Netty's reader of frames takes one. The sizes of the table and of the list are those
 * that our SETTINGS have from the first frame on.
 *
 * <p>Owner: one connection. Cost: one section for each event loop.
 */
final class SectionDecoder implements Http2HeadersDecoder, Http2HeadersDecoder.Configuration {
    private static final FastThreadLocal<SectionHeaders> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected SectionHeaders initialValue() {
            return new SectionHeaders();
        }
    };

    private final int maxListOctets;
    private final HpackDecoder decoder;

    SectionDecoder(int maxListOctets) {
        this.maxListOctets = maxListOctets;
        this.decoder = new HpackDecoder(Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE, maxListOctets);
    }

    @Override
    public Http2Headers decodeHeaders(int stream, ByteBuf block) throws Http2Exception {
        SectionHeaders headers = OF_THREAD.get();
        int from = block.readerIndex();
        int to = block.writerIndex();
        block.readerIndex(to);
        HpackDecoder.Fault fault = decoder.decode(block, from, to, headers.section());
        if (fault == HpackDecoder.Fault.COMPRESSION) {
            throw Http2Exception.connectionError(Http2Error.COMPRESSION_ERROR, "not a header block");
        }
        if (fault == HpackDecoder.Fault.EXCESSIVE) {
            throw Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "a header block that costs too much");
        }
        if (fault != null) {
            headers.section().clear();
            Http2CodecUtil.headerListSizeExceeded(stream, maxListOctets, true);
        }
        headers.read();
        return headers;
    }

    @Override
    public Configuration configuration() {
        return this;
    }

    @Override
    public void maxHeaderTableSize(long octets) {}

    @Override
    public long maxHeaderTableSize() {
        return Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE;
    }

    @Override
    public void maxHeaderListSize(long octets, long octetsOfBlock) {}

    @Override
    public long maxHeaderListSize() {
        return maxListOctets;
    }

    @Override
    public long maxHeaderListSizeGoAway() {
        return Http2CodecUtil.calculateMaxHeaderListSizeGoAway(maxListOctets);
    }
}
