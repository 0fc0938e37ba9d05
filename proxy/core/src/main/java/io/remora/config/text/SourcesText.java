package io.remora.config.text;

import io.remora.config.keys.Key;
import io.remora.config.keys.SourceKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterTls;
import io.remora.config.model.ConsulSource;
import io.remora.config.model.KubernetesSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The resolvers that ask over HTTP for {@link ConfigText}. Tokens are not shown, only where they are. */
final class SourcesText {
    private final ConfigText text;

    SourcesText(ConfigText text) {
        this.text = text;
    }

    void consul(ConsulSource consul) {
        text.section(SourceKeys.CONSUL);
        addresses(SourceKeys.CONSUL_ADDRESS, consul.server().addresses());
        text.text(SourceKeys.CONSUL_SERVICE, consul.service());
        text.optional(SourceKeys.CONSUL_DATACENTER, consul.datacenter());
        text.optional(SourceKeys.CONSUL_TAG, consul.tag());
        text.plain(SourceKeys.CONSUL_PASSING_ONLY, consul.passingOnly() ? "true" : "false");
        text.number(SourceKeys.CONSUL_WAIT, consul.waitNs());
        text.optional(SourceKeys.CONSUL_TOKEN_FILE, consul.server().tokenFile());
        tls(SourceKeys.CONSUL_TLS, consul.server().tls());
    }

    void kubernetes(KubernetesSource kubernetes) {
        text.section(SourceKeys.KUBERNETES);
        text.text(SourceKeys.KUBERNETES_SERVICE, kubernetes.service());
        text.optional(SourceKeys.KUBERNETES_NAMESPACE, kubernetes.namespace());
        text.optional(SourceKeys.KUBERNETES_PORT, kubernetes.port());
        text.put(SourceKeys.KUBERNETES_FAMILY, kubernetes.family());
        text.number(SourceKeys.KUBERNETES_WATCH_TIMEOUT, kubernetes.watchNs());
        addresses(SourceKeys.KUBERNETES_ADDRESS, kubernetes.server().addresses());
        String token = kubernetes.server().tokenFile();
        text.text(SourceKeys.KUBERNETES_TOKEN_FILE, token == null ? Key.OFF : token);
        tls(SourceKeys.KUBERNETES_TLS, kubernetes.server().tls());
    }

    private void addresses(Key key, List<Address> addresses) {
        List<String> all = new ArrayList<>();
        for (Address address : addresses) {
            all.add(address.toString());
        }
        if (!all.isEmpty()) {
            text.list(key, all, "");
        }
    }

    private void tls(Key key, @Nullable ClusterTls tls) {
        text.tls(key, tls);
    }
}
