/** The networks and the identities of peers, and lists of clients. */
@NullMarked
package io.remora.trust;

import org.jspecify.annotations.NullMarked;
