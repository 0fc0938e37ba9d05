/** Who is believed, and who a client is: networks, identities, and the hops that a request names. */
@NullMarked
package io.remora.trust;

import org.jspecify.annotations.NullMarked;
