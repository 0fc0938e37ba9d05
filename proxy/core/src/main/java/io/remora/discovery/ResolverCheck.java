package io.remora.discovery;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.SourceText;
import java.io.IOException;

/**
 * Judges the lists of endpoints and the tokens that a configuration names, for {@code remora check}: a start does with those that
 * come later.
 */
public final class ResolverCheck {
    private ResolverCheck() {}

    /**
     * Reads each file but those that only a pod has; asks no server.
     *
     * @throws ConfigException with everything that is wrong with the first that cannot be used
     */
    public static void judge(ProxyConfig config) throws ConfigException {
        for (ClusterConfig cluster : config.clusters().values()) {
            ResolverConfig resolver = ResolverConfig.of(cluster);
            String file = resolver == null ? null : resolver.file();
            // that of a template is there only for a host
            if (file != null && !cluster.has(ClusterConfig.TEMPLATE)) {
                judge(file);
            }
            SourceServer server = resolver == null ? null : resolver.server();
            String token = server == null ? null : server.tokenFile();
            if (token != null && !token.startsWith(KubernetesSource.POD)) {
                judgeToken(token);
            }
        }
    }

    private static void judgeToken(String file) throws ConfigException {
        try {
            TokenFile.read(file);
        } catch (IOException e) {
            throw new Problems(file).fatal(1, 1, String.valueOf(e.getMessage()));
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
