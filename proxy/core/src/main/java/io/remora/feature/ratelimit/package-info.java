/** Rate limits: token buckets, one for all requests or one for each key, shared by the event loops. */
@NullMarked
package io.remora.feature.ratelimit;

import org.jspecify.annotations.NullMarked;
