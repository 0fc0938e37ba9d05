/** The composition of a running data path: loops, listeners, clusters, and their replacement by the next configuration. */
@NullMarked
package io.remora.serving;

import org.jspecify.annotations.NullMarked;
