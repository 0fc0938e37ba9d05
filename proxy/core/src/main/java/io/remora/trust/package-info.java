/** Trust in peers, and the client behind them: networks, identities, and the hops that a request names. */
@NullMarked
package io.remora.trust;

import org.jspecify.annotations.NullMarked;
