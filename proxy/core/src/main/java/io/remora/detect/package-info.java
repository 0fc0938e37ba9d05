/**
 * Tells what a connection speaks by how it begins, for listeners that take both requests and connections that are passed on as they come, and has
 * what every connection needs of which that is not known yet.
 *
 * <p>Nothing of it is loaded unless a listener has {@code protocol: detect}, and but for {@link Undecided} unless it has that or {@code auto}.
 */
@NullMarked
package io.remora.detect;

import org.jspecify.annotations.NullMarked;
