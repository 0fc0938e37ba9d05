/** The composition of a running data path: its loops, listeners and clusters, and how a next configuration replaces them under traffic. */
@NullMarked
package io.remora.serving;

import org.jspecify.annotations.NullMarked;
