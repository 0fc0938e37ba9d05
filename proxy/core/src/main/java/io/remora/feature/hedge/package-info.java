/** Second attempts next to slow ones, for the routes that ask for them. The exchange runs the race of the two; this says when it starts. */
@NullMarked
package io.remora.feature.hedge;

import org.jspecify.annotations.NullMarked;
