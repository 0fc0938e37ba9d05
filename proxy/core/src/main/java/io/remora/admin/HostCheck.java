package io.remora.admin;

import io.netty.util.NetUtil;
import io.remora.http.FieldName;
import io.remora.http1.WholeRequests;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a web page could make its visitor's browser send: those to a host name of the page's own that
 * resolves to this address (DNS rebinding), and those from another origin that change something. Pure functions.
 */
final class HostCheck {
    private HostCheck() {}

    /** The reply that refuses a request; null if the request may be answered. */
    static @Nullable Reply refuse(WholeRequests request) {
        Reply refused = refuseHost(request);
        if (refused == null && !Pages.reads(request) && request.fields().get("Origin") != null) {
            return Reply.text(403, "requests from web pages are not allowed\n");
        }
        return refused;
    }

    /** Returns the reply that refuses a request by its host alone; null if the host is allowed. */
    static @Nullable Reply refuseHost(WholeRequests request) {
        List<String> hosts = request.fields().getAll(FieldName.HOST);
        if (hosts.size() != 1) {
            return Reply.text(400, "exactly one Host field is required\n");
        }
        // of an absolute target, which counts for more
        if (!addressOrLocalhost(hosts.get(0)) || !addressOrLocalhost(request.authority())) {
            return Reply.text(403, "the host must be an address or localhost\n");
        }
        return null;
    }

    static boolean addressOrLocalhost(String host) {
        int portAt = host.lastIndexOf(':');
        int end = portAt > host.lastIndexOf(']') ? portAt : host.length();
        if (end < host.length() && !port(host, end + 1)) {
            return false;
        }
        String name = host.substring(0, end);
        if (name.startsWith("[") && name.endsWith("]")) {
            return name.indexOf('%') < 0 && NetUtil.isValidIpV6Address(name.substring(1, name.length() - 1));
        }
        return name.equalsIgnoreCase("localhost") || NetUtil.isValidIpV4Address(name);
    }

    /** Tells if the port consists of digits; the grammar also allows an empty one. */
    private static boolean port(String host, int from) {
        for (int i = from; i < host.length(); i++) {
            if (host.charAt(i) < '0' || host.charAt(i) > '9') {
                return false;
            }
        }
        return host.length() - from <= 5;
    }
}
