/** The Server-Timing field, with the sidecar's and the backend's time of each response. */
@NullMarked
package io.remora.feature.servertiming;

import org.jspecify.annotations.NullMarked;
