package io.remora.check;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.feature.trust.TrustConfig;
import io.remora.proxyprotocol.ProxyProtocolConfig;
import io.remora.trust.Cidrs;
import java.util.ArrayList;
import java.util.List;

/** Says where a configuration believes more than its author may have meant. Loaded by {@code remora check} alone, where a listener has {@code
 * proxy-protocol}. */
final class TrustWarnings {
    private TrustWarnings() {}

    static List<String> of(ProxyConfig config) {
        List<String> lines = new ArrayList<>();
        for (ListenerConfig listener : config.listeners()) {
            ProxyProtocolConfig headers = listener.options().get(ProxyProtocolConfig.PROXY_PROTOCOL);
            TrustConfig trust = listener.options().get(TrustConfig.TRUST);
            if (headers != null && trust != null && new Cidrs(headers.from()).overlap(new Cidrs(trust.cidrs()))) {
                lines.add(
                        "listeners." + listener.name() + ".trust.cidrs: they overlap with proxy-protocol.from; where a"
                                + " PROXY header has no address, the sidecar trusts all"
                                + " forwarding fields of the client");
            }
        }
        return lines;
    }
}
