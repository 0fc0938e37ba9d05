/** Readings of the kernel and the JVM about this process. Uses the JDK only. */
@NullMarked
package io.remora.process;

import org.jspecify.annotations.NullMarked;
