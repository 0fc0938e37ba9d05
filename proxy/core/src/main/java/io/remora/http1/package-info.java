/**
 * HTTP/1.1 on the wire, both sides: connections that carry one stream at a time, parsers, writers and rules (RFC 9112).
 *
 * <p>A connection is one handler in its pipeline. A client's connection hands its input to its requests, and has parts
 * for its wait, its end and its memory. Input becomes a head and content in one pass over the octets; output is one
 * buffer a message where that fits.
 */
@NullMarked
package io.remora.http1;

import org.jspecify.annotations.NullMarked;
