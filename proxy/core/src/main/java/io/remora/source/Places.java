package io.remora.source;

import io.remora.config.model.ProxyConfig;
import io.remora.discovery.EndpointList;
import io.remora.text.IpAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** Places of endpoints in the answers of sources, as far as these can be trusted. Not thread safe. */
final class Places {
    /** Most endpoints of one source. A longer answer is refused, as a part would pass for all. */
    static final int MAX_ENDPOINTS = EndpointList.MAX_ENDPOINTS;

    static final int MAX_PORT = 65_535;

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
        return text != null && ProxyConfig.isName(text) ? text : "";
    }
}
