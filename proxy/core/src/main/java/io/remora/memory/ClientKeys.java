package io.remora.memory;

import io.remora.text.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Keys by which clients are told apart where memory is short: an IPv6 address counts by its network of 64 bits, as anyone who has
 * one address of it usually has all of them.
 *
 * <p>Owner: one event loop. Cost: nothing but for IPv6.
 */
public final class ClientKeys {
    /** Null before the first that may be of IPv6. */
    private @Nullable IpAddress address;

    /**
     * Returns the key of a client.
     *
     * @param client an identity, an address, or a connection where it has neither
     */
    public Object of(Object client) {
        return client instanceof String text && text.indexOf(':') >= 0 ? ofText(text) : client;
    }

    // an identity may have colons as well
    private Object ofText(String text) {
        IpAddress parsed = address;
        if (parsed == null) {
            parsed = new IpAddress();
            address = parsed;
        }
        boolean isNetworked = parsed.parse(text) && !parsed.isV4();
        return isNetworked ? (Object) parsed.high() : text;
    }
}
