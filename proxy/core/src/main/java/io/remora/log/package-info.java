/** The sidecar's own small logger, the adapter that connects Netty to it, and the access log. */
@NullMarked
package io.remora.log;

import org.jspecify.annotations.NullMarked;
