/** Trust in peers of a listener: whose word it takes for the client's address and for the way that a request has come. */
@NullMarked
package io.remora.feature.trust;

import org.jspecify.annotations.NullMarked;
