/**
 * HTTP/2 on the wire (RFC 9113): connections that carry many streams at a time, and the rules that are this version's own.
 *
 * <p>Frames and HPACK are Netty's; what a message may be is judged here. Nothing of this package, and nothing of Netty's
 * codecs, is loaded unless a configuration asks for HTTP/2.
 */
@NullMarked
package io.remora.http2;

import org.jspecify.annotations.NullMarked;
