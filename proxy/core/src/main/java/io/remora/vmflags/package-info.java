/** A check of the JVM flags that the user has set, for those that have no effect. Loaded only if there are any. */
@NullMarked
package io.remora.vmflags;

import org.jspecify.annotations.NullMarked;
