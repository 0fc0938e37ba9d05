/** What drives and measures a sidecar from the outside. Footprint is no concern here, precision is. */
@NullMarked
package io.remora.loadtest;

import org.jspecify.annotations.NullMarked;
