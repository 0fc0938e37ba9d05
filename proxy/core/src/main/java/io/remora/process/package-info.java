/** What the kernel and the JVM say of this process. Uses the JDK only. */
@NullMarked
package io.remora.process;

import org.jspecify.annotations.NullMarked;
