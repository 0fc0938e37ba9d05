/** Copies of requests that another cluster gets, and whose responses nobody does. */
@NullMarked
package io.remora.feature.mirror;

import org.jspecify.annotations.NullMarked;
