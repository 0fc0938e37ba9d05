package io.remora.webhook;

import io.remora.config.model.Address;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part {@code webhook} of injector.yaml, each key of which has a default. Immutable.
 *
 * @param address of the webhook's port
 * @param health address of the port for probes and metrics
 * @param tlsDirectory folder with {@code tls.crt} and {@code tls.key} of another issuer; null for certificates of its own
 * @param account folder of the service account
 */
record WebhookSettings(
        Address address, Address health, @Nullable Path tlsDirectory, Path account) {
    private static final List<String> KEYS = List.of("address", "health", "tls", "service-account");
    private static final List<String> TLS_KEYS = List.of("directory");
    private static final String ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
    private static final int MAX_PORT = 65_535;

    /**
     * Reads the part.
     *
     * @param problems for what is wrong
     */
    static WebhookSettings read(Map<?, ?> part, List<String> problems) {
        judgeKeys("webhook", part, KEYS, problems);
        Object tls = part.get("tls");
        Map<?, ?> tlsPart = tls instanceof Map<?, ?> map ? map : Map.of();
        if (tls != null && !(tls instanceof Map)) {
            problems.add("webhook.tls: expected a mapping with directory");
        }
        judgeKeys("webhook.tls", tlsPart, TLS_KEYS, problems);
        String directory = text(tlsPart, "webhook.tls.directory", "directory", "", problems);
        return new WebhookSettings(
                address(part, "address", "0.0.0.0:8443", problems),
                address(part, "health", "0.0.0.0:8080", problems),
                directory.isEmpty() ? null : Path.of(directory),
                Path.of(text(part, "webhook.service-account", "service-account", ACCOUNT, problems)));
    }

    private static void judgeKeys(String name, Map<?, ?> part, List<String> known, List<String> problems) {
        for (Object key : part.keySet()) {
            if (!known.contains(key)) {
                problems.add(name + '.' + key + ": not a setting, expected one of " + String.join(", ", known));
            }
        }
    }

    private static String text(Map<?, ?> part, String path, String key, String fallback, List<String> problems) {
        Object given = part.get(key);
        if (given != null && !(given instanceof String text && !text.isEmpty())) {
            problems.add(path + ": expected a text");
        }
        return given instanceof String text ? text : fallback;
    }

    private static Address address(Map<?, ?> part, String key, String fallback, List<String> problems) {
        String text = text(part, "webhook." + key, key, fallback, problems);
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String bare = bracketed ? host.substring(1, host.length() - 1) : host;
        int port = port(text.substring(colon + 1));
        if (bare.isEmpty() || port < 0 || !bracketed && bare.indexOf(':') >= 0) {
            problems.add("webhook." + key + ": '" + text + "', expected an address and a port such as " + fallback);
            return new Address("localhost", 0);
        }
        return new Address(bare, port);
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port > MAX_PORT ? -1 : port;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
