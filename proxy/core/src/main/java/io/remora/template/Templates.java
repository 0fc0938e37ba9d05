package io.remora.template;

import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.discovery.DnsSource;
import io.remora.discovery.ResolverConfig;
import io.remora.text.HostVariable;
import io.remora.tls.config.ClusterTls;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The clusters that a template stands for. Loaded only where a template is configured. */
public final class Templates {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    /** A character that is in no name of a configuration. */
    private static final char AT = '@';

    private Templates() {}

    /** Returns the prefix of the names of a template's clusters. */
    public static String prefix(String template) {
        return template + AT;
    }

    /** Returns whether the port is a part of a cluster's name too. */
    public static boolean usesPort(ClusterConfig template) {
        ResolverConfig resolver = ResolverConfig.of(template);
        DnsSource dns = resolver == null ? null : resolver.dns();
        String file = resolver == null ? null : resolver.file();
        return dns != null && dns.port() == DnsSource.PORT_OF_HOST || file != null && file.contains(HostVariable.PORT);
    }

    /** Returns the port of a host that was named without one: the default port of the cluster's scheme. */
    public static int portByDefault(ClusterConfig template) {
        return !template.has(ClusterConfig.TLS) ? HTTP_PORT : HTTPS_PORT;
    }

    /**
     * Returns the cluster of one host, null where a name from the template cannot be one in DNS. Such names are those
     * to look up, and those for SNI.
     *
     * @param host in lower case, without a dot at its end, of letters, digits, {@code -} and {@code _} between single
     *     dots; or an IP address without brackets
     * @param isAddress whether it is one
     */
    public static @Nullable ClusterConfig of(ClusterConfig template, String host, boolean isAddress, int port) {
        ResolverConfig resolver = ResolverConfig.of(template);
        if (resolver == null) {
            throw new IllegalArgumentException(template.name() + " is no template");
        }
        String at = host.indexOf(':') < 0 ? host : '[' + host + ']';
        String name = prefix(template.name()) + at + (usesPort(template) ? ":" + port : "");
        DnsSource dns = resolver.dns();
        if (dns != null && isAddress) {
            int own = dns.port() == DnsSource.PORT_OF_HOST ? port : dns.port();
            return filled(template, name, List.of(new Address(host, own)), host, null);
        }
        ResolverConfig own = filled(resolver, host, port);
        DnsSource asked = own.dns();
        ClusterTls tls = template.has(ClusterConfig.TLS) ? template.options().get(ClusterTls.TLS) : null;
        String serverName = tls == null ? null : tls.serverName();
        boolean usable = (asked == null || Address.isHost(asked.name()))
                && (serverName == null || Address.isHost(HostVariable.filled(serverName, host)));
        return usable ? filled(template, name, List.of(), host, own) : null;
    }

    private static ResolverConfig filled(ResolverConfig resolver, String host, int port) {
        String file = resolver.file();
        DnsSource dns = resolver.dns();
        return new ResolverConfig(
                file == null
                        ? null
                        : HostVariable.filled(file, host).replace(HostVariable.PORT, Integer.toString(port)),
                dns == null ? null : filled(dns, host, port),
                null,
                null,
                resolver.keepLastNs(),
                resolver.pending(),
                resolver.pendingTimeoutNs());
    }

    private static DnsSource filled(DnsSource dns, String host, int port) {
        return new DnsSource(
                HostVariable.filled(dns.name(), host),
                dns.port() == DnsSource.PORT_OF_HOST ? port : dns.port(),
                dns.family(),
                dns.servers(),
                dns.minRefreshNs(),
                dns.maxRefreshNs());
    }

    private static ClusterConfig filled(
            ClusterConfig template, String name, List<Address> endpoints, String host, @Nullable ResolverConfig own) {
        ClusterTls tls = template.has(ClusterConfig.TLS) ? template.options().get(ClusterTls.TLS) : null;
        return new ClusterConfig(
                name,
                endpoints,
                template.maxConnections(),
                template.maxIdleConnections(),
                template.headerBlockBytes(),
                template.bufferBytes(),
                template.connectTimeoutNs(),
                template.responseHeaderNs(),
                template.idleNs(),
                template.options()
                        .without(ClusterConfig.TEMPLATE)
                        .with(ClusterTls.TLS, tls == null ? null : tls.forHost(host))
                        .with(ResolverConfig.RESOLVER, own));
    }
}
