package io.remora.memory;

import io.remora.text.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Keys of clients for accounting where memory is short. All addresses of an IPv6 /64 network share a key, as one holder usually has
 * them all. An IPv4 address and its IPv4-mapped IPv6 form (RFC 4291 2.5.5.2) share a key.
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
        if (!parsed.parse(text)) {
            return text;
        }
        return parsed.isV4() ? v4((int) parsed.low()) : (Object) parsed.high();
    }

    /** Returns the text that an address has where it comes as IPv4. */
    private static String v4(int number) {
        return (number >>> 24) + "." + (number >> 16 & 255) + '.' + (number >> 8 & 255) + '.' + (number & 255);
    }
}
