package io.remora.webhook;

import io.remora.json.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The Secret in which the replicas share their certificates. Who writes names the version that it has read, so that one
 * replica wins and the others read again.
 *
 * <p>Owner: one thread.
 */
final class CertificateStore {
    private static final String AUTHORITY = "ca.crt";
    private static final String AUTHORITY_KEY = "ca.key";
    private static final String SERVING = "tls.crt";
    private static final String SERVING_KEY = "tls.key";

    private final ApiClient api;
    private final String path;
    private String version = "";

    CertificateStore(ApiClient api, String namespace, String name) {
        this.api = api;
        this.path = "/api/v1/namespaces/" + namespace + "/secrets/" + name;
    }

    /** Reads what is stored, with an empty serving certificate where only that is missing; null without an authority. */
    @Nullable
    CertificateSet read() throws IOException {
        Map<?, ?> secret = api.get(path);
        version = ApiClient.version(secret);
        Map<?, ?> data = ApiClient.member(secret, "data");
        Certificate authority = certificate(data, AUTHORITY, AUTHORITY_KEY);
        Certificate serving = certificate(data, SERVING, SERVING_KEY);
        return authority == null ? null : new CertificateSet(authority, serving == null ? Certificate.NONE : serving);
    }

    private static @Nullable Certificate certificate(Map<?, ?> data, String name, String keyName) {
        String pem = text(data, name);
        String key = text(data, keyName);
        return pem.isEmpty() || key.isEmpty() ? null : new Certificate(pem, key);
    }

    private static String text(Map<?, ?> data, String name) {
        try {
            return data.get(name) instanceof String base64
                    ? new String(Base64.getDecoder().decode(base64), StandardCharsets.US_ASCII)
                    : "";
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** Replaces what was read last; false where another replica has done so meanwhile. */
    boolean write(CertificateSet next) throws IOException {
        Map<String, Object> data = new LinkedHashMap<>();
        put(data, AUTHORITY, next.authority().pem());
        put(data, AUTHORITY_KEY, next.authority().key());
        put(data, SERVING, next.serving().pem());
        put(data, SERVING_KEY, next.serving().key());
        Map<String, Object> patch = new LinkedHashMap<>();
        patch.put("metadata", Map.of("resourceVersion", version));
        patch.put("data", data);
        return api.patch(path, "merge-patch", JsonWriter.line(patch)) != null;
    }

    private static void put(Map<String, Object> data, String name, String text) {
        data.put(name, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII)));
    }
}
