/** Routing: the first route that matches a request. */
@NullMarked
package io.remora.route;

import org.jspecify.annotations.NullMarked;
