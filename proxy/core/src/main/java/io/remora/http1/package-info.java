/**
 * HTTP/1.1 on the wire, both sides: connections that carry one stream at a time, parsers, writers and rules (RFC 9112).
 *
 * <p>A connection is one handler in its pipeline. A client's hands what it reads to its requests, and has parts for what it
 * waits for, for how it ends, and for what it holds of the memory. What is read becomes a head and content in one pass over
 * the octets; what is written is one buffer a message where that fits.
 */
@NullMarked
package io.remora.http1;

import org.jspecify.annotations.NullMarked;
