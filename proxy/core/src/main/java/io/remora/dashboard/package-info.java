/** The dashboard's numbers: what its page shows, as events with the changes of each second. */
@NullMarked
package io.remora.dashboard;

import org.jspecify.annotations.NullMarked;
