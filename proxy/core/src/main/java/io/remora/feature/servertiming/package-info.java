/** Responses that say how long they took. */
@NullMarked
package io.remora.feature.servertiming;

import org.jspecify.annotations.NullMarked;
