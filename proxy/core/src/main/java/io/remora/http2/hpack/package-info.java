/**
 * HPACK, the compression of header sections (RFC 7541): a decoder, an encoder and the section between them.
 *
 * <p>A section is octets, laid out as {@link io.remora.http.Fields} keeps them. {@link
 * io.remora.http2.hpack.HpackDecoder} writes one, and checks each line as it does. A line from a table was checked when
 * it got there, and brings the result. No object is made for a line.
 */
@NullMarked
package io.remora.http2.hpack;

import org.jspecify.annotations.NullMarked;
