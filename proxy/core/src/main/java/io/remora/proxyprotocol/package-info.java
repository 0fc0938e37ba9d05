/** The PROXY protocol, versions 1 and 2: what a proxy before this one says of a connection, ahead of its first octet. */
@NullMarked
package io.remora.proxyprotocol;

import org.jspecify.annotations.NullMarked;
