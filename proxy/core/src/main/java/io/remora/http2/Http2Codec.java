package io.remora.http2;

import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2FrameReader;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2PromisedRequestVerifier;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;

/**
 * The parts of Netty's codec, put together for either side of the proxy. Pure functions. A side brings its reader,
 * which judges frames, its encoder and its windows. It receives events by a {@link StreamFrames}, and writes by its
 * {@link CodecHandler}.
 */
final class Http2Codec {
    private Http2Codec() {}

    /**
     * Returns the states of a connection's streams, without windows for received content.
     *
     * @param server whether the peer opens the streams; an endpoint may open none
     */
    static Http2Connection connection(boolean server) {
        Http2Connection made = server ? new DefaultHttp2Connection(true) : new DefaultHttp2Connection(false, 0);
        made.remote()
                .flowController(new DefaultHttp2RemoteFlowController(made, new UniformStreamByteDistributor(made)));
        return made;
    }

    /**
     * Returns a decoder that takes frames from {@code reader}, answers SETTINGS and PINGs, and hands the rest to its
     * frame listener.
     *
     * @param windows for received content
     * @param judges whether Netty judges the fields of a section; else the side itself does
     */
    static Http2ConnectionDecoder decoder(
            Http2Connection connection,
            Http2LocalFlowController windows,
            Http2ConnectionEncoder encoder,
            Http2FrameReader reader,
            boolean judges) {
        connection.local().flowController(windows);
        return new DefaultHttp2ConnectionDecoder(
                connection, encoder, reader, Http2PromisedRequestVerifier.ALWAYS_VERIFY, true, true, judges);
    }
}
