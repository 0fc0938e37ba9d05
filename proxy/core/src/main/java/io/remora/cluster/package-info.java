/**
 * The default engine: resolver, balancer and pools of each cluster, put together for each event loop.
 */
@NullMarked
package io.remora.cluster;

import org.jspecify.annotations.NullMarked;
