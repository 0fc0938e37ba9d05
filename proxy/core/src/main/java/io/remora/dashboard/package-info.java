/** The dashboard's numbers: what its page shows, as events with the changes since the previous event. */
@NullMarked
package io.remora.dashboard;

import org.jspecify.annotations.NullMarked;
