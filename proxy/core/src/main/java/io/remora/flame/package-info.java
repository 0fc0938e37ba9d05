/** Profiles as trees of calls, and their writers: collapsed stacks, flame graphs, pprof, JFR, and the difference of two. */
@NullMarked
package io.remora.flame;

import org.jspecify.annotations.NullMarked;
