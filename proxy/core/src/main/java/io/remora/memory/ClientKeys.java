package io.remora.memory;

import io.remora.text.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Keys by which clients are told apart where memory is short: an IPv6 address counts by its network of 64 bits, as the holder of
 * one address usually has all of them. An IPv4 address is the same client where it is mapped to IPv6.
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
