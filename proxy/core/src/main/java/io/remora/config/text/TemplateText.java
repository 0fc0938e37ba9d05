package io.remora.config.text;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.TemplateKeys;
import io.remora.config.model.HostTemplate;

/** The {@code template} of clusters for {@link ConfigText}. */
final class TemplateText {
    private TemplateText() {}

    static void template(ConfigText text, HostTemplate template) {
        text.section(ClusterKeys.TEMPLATE);
        text.list(TemplateKeys.HOSTS, template.hosts(), "");
        text.put(TemplateKeys.MAX_HOSTS, template.maxHosts());
        text.put(TemplateKeys.HOST_TTL, template.hostTtlNs());
    }
}
