/** Changes to the requests and responses of a route: the path and the host that an endpoint sees, and the fields of both sides. */
@NullMarked
package io.remora.feature.rewrite;

import org.jspecify.annotations.NullMarked;
