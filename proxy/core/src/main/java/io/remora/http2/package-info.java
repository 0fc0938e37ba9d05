/**
 * HTTP/2 on the wire: connections that carry many streams at once (RFC 9113). Nothing of it is loaded where no
 * configuration asks for it.
 *
 * <p>A codec reads and writes frames, and keeps the windows and the states of streams: {@link
 * io.remora.http2.ConnectionCodec}, behind {@link io.remora.http2.FrontendCodec} and {@link
 * io.remora.http2.BackendCodec}. The other classes of this package decide on the form of a
 * request, the pace of reading, the cost of a client and the end of a connection. The exchange's rules are the same as
 * for any other version. Mechanisms that both sides need are written once: {@link io.remora.http2.SilenceWatch}, {@link
 * io.remora.http2.FloodWindow}, {@link io.remora.http2.PeerFrames}, {@link io.remora.http2.StreamTable} and {@link
 * io.remora.http2.HeldContent}.
 */
@NullMarked
package io.remora.http2;

import org.jspecify.annotations.NullMarked;
