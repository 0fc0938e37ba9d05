/** Copies of requests for another cluster, whose responses are dropped. */
@NullMarked
package io.remora.feature.mirror;

import org.jspecify.annotations.NullMarked;
