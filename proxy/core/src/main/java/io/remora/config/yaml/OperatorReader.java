package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.Address;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.AdminPermissions;
import io.remora.config.model.HealthConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ListenerSecurity;
import io.remora.config.model.Options;
import io.remora.config.model.SocketConfig;
import org.jspecify.annotations.Nullable;

/** Reads {@code admin}, {@code health} and what is a key or two. */
final class OperatorReader {

    private final Problems problems;
    private final BoundAddresses bound;
    private final FeatureKeys features;

    OperatorReader(BoundAddresses bound, FeatureKeys features, Problems problems) {
        this.features = features;
        this.bound = bound;
        this.problems = problems;
    }

    AdminConfig admin(Section root) {
        Section section = root.section(OperatorKeys.ADMIN_SECTION);
        Node node = section.text(OperatorKeys.ADMIN_ADDRESS);
        Address address = node == null ? bound.put(OperatorKeys.ADMIN, "admin") : bound.readAny(node, "admin");
        boolean allowRemote = section.get(OperatorKeys.ADMIN_ALLOW_REMOTE);
        boolean isPort = node != null && !address.isUnix() && !address.host().isEmpty();
        if (node != null && isPort && !allowRemote && !address.isLoopback()) {
            String what = "admin address " + node.quoted() + " is not a loopback address";
            problems.at(node, what + "; use a loopback address, or set allow-remote: true");
        }
        Section tls = section.sectionOrOff(OperatorKeys.ADMIN_TLS);
        SocketConfig socket = socket(section, OperatorKeys.ADMIN_SOCKET, address, SocketPart.OWNER_ONLY);
        boolean acts = section.get(OperatorKeys.ADMIN_PAGES).equals(OperatorKeys.ACT);
        boolean profile = section.get(OperatorKeys.ADMIN_PROFILE);
        String heapDump = heapDump(section);
        section.end();
        ListenerSecurity security = tls == null ? null : tls(section);
        // asked here, so that its class is not loaded where there is none
        boolean permits = acts || profile || heapDump != null;
        AdminPermissions permissions = permits ? new AdminPermissions(acts, profile, heapDump) : null;
        AdminConfig config = new AdminConfig(address, allowRemote, security, socket, permissions);
        boolean isBad = !address.isUnix() && address.host().isEmpty();
        if (permissions != null && !isBad && !config.provesClients()) {
            judge(config, section);
        }
        return config;
    }

    /** Judges the permissions of clients that are not known: beyond loopback there are none, and on loopback no dumps. */
    private void judge(AdminConfig config, Section section) {
        boolean isRemote = !config.address().isLoopback();
        Node pages = config.acts() && isRemote ? section.text(OperatorKeys.ADMIN_PAGES) : null;
        if (pages != null) {
            problems.at(
                    pages,
                    "pages: act on an address that is not loopback lets anyone who reaches the port act;"
                            + " set tls with client-certificates: required, or pages: look");
        }
        if (config.profile() && isRemote) {
            section.problem(
                    OperatorKeys.ADMIN_PROFILE,
                    "profile is allowed on an address that is not loopback;"
                            + " use a loopback address, or tls with client-certificates: required");
        }
        if (config.heapDump() != null) {
            section.problem(
                    OperatorKeys.ADMIN_HEAP_DUMP,
                    "heap-dump is allowed on a port without client certificates;"
                            + " use a Unix socket, or tls with client-certificates: required");
        }
    }

    private @Nullable String heapDump(Section section) {
        Node node = section.text(OperatorKeys.ADMIN_HEAP_DUMP);
        if (node == null || node.isText(Key.OFF)) {
            return null;
        }
        if (!node.text.startsWith("/")) {
            problems.at(node, "heap-dump is " + node.quoted() + ", expected an absolute path, or off");
            return null;
        }
        return node.text;
    }

    private @Nullable ListenerSecurity tls(Section admin) {
        FeatureSection from = new FeatureSection("admin.tls", admin, "", null, false, null, problems);
        return features.read("admin.tls", from, Options.NONE).get(ListenerConfig.TLS);
    }

    @Nullable
    HealthConfig health(Section root) {
        Section section = root.sectionOrOff(OperatorKeys.HEALTH);
        if (section == null) {
            return null;
        }
        Node node = section.requiredText(OperatorKeys.HEALTH_ADDRESS, "HOST:PORT, or health: off");
        Address address = node == null ? AddressText.NONE : bound.readAny(node, "health");
        SocketConfig socket = socket(section, OperatorKeys.HEALTH_SOCKET, address, SocketPart.OWNER_AND_GROUP);
        boolean metrics = section.get(OperatorKeys.HEALTH_METRICS);
        section.end();
        return node == null ? null : new HealthConfig(address, socket, metrics);
    }

    /** Reads the socket's permissions, null for a port, which needs none. */
    private @Nullable SocketConfig socket(Section section, Key key, Address address, String modeByDefault) {
        return section.has(key) || address.isUnix() ? SocketPart.read(section, address, modeByDefault, problems) : null;
    }

    boolean watch(Section root) {
        if (!root.has(OperatorKeys.RELOAD)) {
            return false;
        }
        Section section = root.section(OperatorKeys.RELOAD);
        boolean watch = section.get(OperatorKeys.RELOAD_WATCH);
        section.end();
        return watch;
    }

    long watchdogLiveNs(Section root) {
        if (!root.has(OperatorKeys.WATCHDOG)) {
            return OperatorKeys.WATCHDOG_LIVE.fallback;
        }
        Section section = root.section(OperatorKeys.WATCHDOG);
        long liveNs = section.get(OperatorKeys.WATCHDOG_LIVE);
        section.end();
        return liveNs;
    }
}
