package io.remora.config;

import java.io.IOException;

/** Judges the lists of endpoints that a configuration names, for {@code remora check}: a start does with those that come later. */
public final class ResolverCheck {
    private ResolverCheck() {}

    /**
     * Reads each list; asks no server.
     *
     * @throws ConfigException with everything that is wrong with the first that cannot be used
     */
    public static void judge(ProxyConfig config) throws ConfigException {
        for (ClusterConfig cluster : config.clusters().values()) {
            ResolverConfig resolver = cluster.resolver();
            String file = resolver == null ? null : resolver.file();
            // that of a template is there only for a host
            if (file != null && cluster.template() == null) {
                judge(file);
            }
        }
    }

    private static void judge(String file) throws ConfigException {
        try {
            EndpointList.read(file);
        } catch (IOException e) {
            throw SourceText.unreadable(e, new Problems(file));
        }
    }
}
