/**
 * Protocol detection by the first octets of a connection, for listeners that take requests and TCP. It also keeps a connection until its
 * protocol is known.
 *
 * <p>Nothing of it is loaded unless a listener has {@code protocol: detect}, and but for {@link Undecided} unless it has that or {@code auto}.
 */
@NullMarked
package io.remora.detect;

import org.jspecify.annotations.NullMarked;
