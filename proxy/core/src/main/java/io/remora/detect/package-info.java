/**
 * Tells what a connection speaks by how it begins, for listeners that take both requests and connections that are passed on as they come.
 *
 * <p>Nothing of it is loaded unless a listener has {@code protocol: detect}.
 */
@NullMarked
package io.remora.detect;

import org.jspecify.annotations.NullMarked;
