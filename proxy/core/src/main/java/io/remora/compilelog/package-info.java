/** The command {@code compile-log}: a reader of HotSpot's compilation log, and its reports by second and by method. */
@NullMarked
package io.remora.compilelog;

import org.jspecify.annotations.NullMarked;
