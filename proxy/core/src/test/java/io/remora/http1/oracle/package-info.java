/**
 * A second opinion on HTTP/1 messages: Netty's decoders, with the rules around them that they need to be strict. The
 * parsers of {@code io.remora.http1} are held against it.
 */
package io.remora.http1.oracle;
