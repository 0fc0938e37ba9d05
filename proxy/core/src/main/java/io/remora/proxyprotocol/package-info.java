/** The PROXY protocol, versions 1 and 2, from proxies in front of this one and towards endpoints. */
@NullMarked
package io.remora.proxyprotocol;

import org.jspecify.annotations.NullMarked;
