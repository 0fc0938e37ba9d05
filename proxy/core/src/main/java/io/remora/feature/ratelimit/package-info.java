/** How many requests a limit lets through: token buckets, one for all or one for each key, shared by the event loops. */
@NullMarked
package io.remora.feature.ratelimit;

import org.jspecify.annotations.NullMarked;
