/**
 * HTTP/1.1 on the wire, both sides: connections that carry one stream at a time, their parsers and writers, and the rules
 * that are this version's own (RFC 9112).
 *
 * <p>A connection is one handler in its pipeline. What it reads becomes a head and content in one pass over the octets;
 * what it writes is one buffer a message where that fits.
 */
@NullMarked
package io.remora.http1;

import org.jspecify.annotations.NullMarked;
