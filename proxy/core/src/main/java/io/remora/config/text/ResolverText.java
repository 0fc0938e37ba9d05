package io.remora.config.text;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ResolverKeys;
import io.remora.config.keys.Units;
import io.remora.config.model.Address;
import io.remora.config.model.ConsulSource;
import io.remora.config.model.DnsSource;
import io.remora.config.model.HostTemplate;
import io.remora.config.model.KubernetesSource;
import io.remora.config.model.Limits;
import io.remora.config.model.ResolverConfig;
import java.util.ArrayList;
import java.util.List;

/** The {@code resolver} of clusters for {@link ConfigText}. */
final class ResolverText {
    private final ConfigText text;

    ResolverText(ConfigText text) {
        this.text = text;
    }

    void resolver(ResolverConfig resolver) {
        text.section(ClusterKeys.RESOLVER);
        text.optional(ResolverKeys.FILE, resolver.file());
        DnsSource dns = resolver.dns();
        if (dns != null) {
            dns(dns);
        }
        ConsulSource consul = resolver.consul();
        KubernetesSource kubernetes = resolver.kubernetes();
        if (consul != null) {
            new SourcesText(text).consul(consul);
        } else if (kubernetes != null) {
            new SourcesText(text).kubernetes(kubernetes);
        }
        text.plain(ResolverKeys.KEEP_LAST, keepLast(resolver.keepLastNs()));
        text.put(ResolverKeys.PENDING, resolver.pending());
        text.put(ResolverKeys.PENDING_TIMEOUT, resolver.pendingTimeoutNs());
    }

    private void dns(DnsSource dns) {
        text.section(ResolverKeys.DNS);
        text.text(dns.isService() ? ResolverKeys.DNS_SRV : ResolverKeys.DNS_NAME, dns.name());
        if (dns.port() == DnsSource.PORT_OF_HOST) {
            text.text(ResolverKeys.DNS_PORT, HostTemplate.PORT);
        } else if (!dns.isService()) {
            text.number(ResolverKeys.DNS_PORT, dns.port());
        }
        text.put(ResolverKeys.DNS_FAMILY, dns.family());
        List<String> servers = new ArrayList<>();
        for (Address server : dns.servers()) {
            servers.add(server.toString());
        }
        if (!servers.isEmpty()) {
            text.list(ResolverKeys.DNS_SERVERS, servers, "");
        }
        text.put(ResolverKeys.DNS_MIN_REFRESH, dns.minRefreshNs());
        text.put(ResolverKeys.DNS_MAX_REFRESH, dns.maxRefreshNs());
    }

    /** How the file writes it. */
    private static String keepLast(long keepLastNs) {
        return keepLastNs == Limits.UNLIMITED
                ? ResolverKeys.KEEP_LAST.fallbackText()
                : keepLastNs == 0 ? Key.OFF : Units.DURATION.format(keepLastNs);
    }
}
