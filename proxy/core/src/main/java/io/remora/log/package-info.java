/** The small logger, Netty's adapter to it, and the access log. */
@NullMarked
package io.remora.log;

import org.jspecify.annotations.NullMarked;
