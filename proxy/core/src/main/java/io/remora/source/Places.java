package io.remora.source;

import io.remora.text.Ascii;
import io.remora.text.IpAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** What sources say of where an endpoint is, as far as it can be believed. Not thread safe. */
final class Places {
    /** Of the endpoints of one source: beyond it its answer is refused, as a part would pass for all. */
    static final int MAX_ENDPOINTS = 10_000;

    static final int MAX_PORT = 65_535;

    /** As for endpoints that are listed. */
    static final int MAX_WEIGHT = 65_535;

    private static final int MAX_ZONE_CHARS = 64;

    private final IpAddress parser = new IpAddress();

    /** The address in the text, null where there is none; nothing is looked up. */
    @Nullable
    InetAddress address(@Nullable String text) {
        if (text == null || !parser.parse(text)) {
            return null;
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** The name of a zone as the configuration knows them; empty for none. */
    static String zone(@Nullable String text) {
        if (text == null || text.length() > MAX_ZONE_CHARS) {
            return "";
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Ascii.isAlphanumeric(c) && "._-/".indexOf(c) < 0) {
                return "";
            }
        }
        return text;
    }
}
