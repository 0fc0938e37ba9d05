/** An application to try the sidecar with; it knows nothing of the sidecar. */
@NullMarked
package io.remora.demo;

import org.jspecify.annotations.NullMarked;
