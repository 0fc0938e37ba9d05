/** The dashboard's numbers: what its page shows, as events with the changes since the event before. */
@NullMarked
package io.remora.dashboard;

import org.jspecify.annotations.NullMarked;
