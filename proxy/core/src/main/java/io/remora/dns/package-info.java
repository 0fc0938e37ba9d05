/**
 * A DNS client on channels of the JDK, with several questions and several servers at a time.
 *
 * <p>Not for an event loop, as it blocks the thread that asks. Nothing here caches: the caller heeds the time to live of the answers.
 *
 * <p>Spec: RFC 1035, RFC 2181, RFC 2782, RFC 3596, RFC 5452, RFC 7766, RFC 8020.
 */
@NullMarked
package io.remora.dns;

import org.jspecify.annotations.NullMarked;
