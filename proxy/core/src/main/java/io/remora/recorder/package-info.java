/** The flight recorder of the image variant jfr: its control, the sidecar's own events, and the settings for a sidecar. */
@NullMarked
package io.remora.recorder;

import org.jspecify.annotations.NullMarked;
