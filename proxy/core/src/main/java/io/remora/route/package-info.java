/** Which cluster a request is for. */
@NullMarked
package io.remora.route;

import org.jspecify.annotations.NullMarked;
