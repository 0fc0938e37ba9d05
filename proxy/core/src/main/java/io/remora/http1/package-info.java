/**
 * The HTTP/1.1 wire, on both sides: Netty's codec with what it leaves to us, and the handlers that turn its messages
 * into an exchange's.
 */
@NullMarked
package io.remora.http1;

import org.jspecify.annotations.NullMarked;
