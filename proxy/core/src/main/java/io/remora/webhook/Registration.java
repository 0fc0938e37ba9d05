package io.remora.webhook;

import io.remora.json.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * The webhook's registration with the API server, of which it keeps {@code caBundle} current and changes nothing else.
 * A webhook that leads to another Service is left alone.
 *
 * <p>Owner: one thread.
 */
final class Registration {
    private final ApiClient api;
    private final String path;
    private final String namespace;
    private final String service;

    Registration(ApiClient api, String name, String namespace, String service) {
        this.api = api;
        this.path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/" + name;
        this.namespace = namespace;
        this.service = service;
    }

    /** Has API servers trust the bundle; returns whether they did not yet. */
    boolean keep(String bundle) throws IOException {
        String wanted = Base64.getEncoder().encodeToString(bundle.getBytes(StandardCharsets.US_ASCII));
        Map<?, ?> found = api.get(path);
        List<Object> stale = new ArrayList<>();
        int ours = 0;
        if (found.get("webhooks") instanceof List<?> webhooks) {
            for (Object webhook : webhooks) {
                if (webhook instanceof Map<?, ?> map && isOurs(map)) {
                    ours++;
                    if (!wanted.equals(ApiClient.member(map, "clientConfig").get("caBundle"))) {
                        stale.add(Map.of("name", map.get("name"), "clientConfig", Map.of("caBundle", wanted)));
                    }
                }
            }
        }
        if (ours == 0) {
            throw new IOException(path + " has no webhook that leads to Service " + namespace + '/' + service);
        }
        if (stale.isEmpty()) {
            return false;
        }
        Map<String, Object> patch =
                Map.of("metadata", Map.of("resourceVersion", ApiClient.version(found)), "webhooks", stale);
        if (api.patch(path, "strategic-merge-patch", JsonWriter.line(patch)) == null) {
            throw new IOException(path + " was changed by another; trying again");
        }
        return true;
    }

    private boolean isOurs(Map<?, ?> webhook) {
        Map<?, ?> target = ApiClient.member(ApiClient.member(webhook, "clientConfig"), "service");
        return service.equals(target.get("name")) && namespace.equals(target.get("namespace"));
    }
}
