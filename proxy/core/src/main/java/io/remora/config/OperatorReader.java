package io.remora.config;

import org.jspecify.annotations.Nullable;

/** Reads {@code admin}, {@code health} and {@code access-log}. */
final class OperatorReader {
    private final Problems problems;
    private final BoundAddresses bound;

    OperatorReader(BoundAddresses bound, Problems problems) {
        this.bound = bound;
        this.problems = problems;
    }

    AdminConfig admin(Section root) {
        Section section = root.section("admin");
        Node node = section.text("address");
        Address address = node == null
                ? bound.put(new Address(Defaults.ADMIN_HOST, Defaults.ADMIN_PORT), "admin")
                : bound.read(node, "admin");
        boolean allowRemote = section.bool("allow-remote", Defaults.ADMIN_ALLOW_REMOTE);
        if (node != null && !address.host().isEmpty() && !allowRemote && !AddressText.isLoopback(address)) {
            String what = "admin address " + node.quoted() + " can be reached from elsewhere";
            problems.at(node, what + ", expected a loopback address, or allow-remote: true");
        }
        section.end();
        return new AdminConfig(address, allowRemote);
    }

    @Nullable
    HealthConfig health(Section root) {
        Section section = root.sectionOrOff("health");
        if (section == null) {
            return null;
        }
        Node node = section.requiredText("address", "HOST:PORT, or health: off");
        section.end();
        return node == null ? null : new HealthConfig(bound.read(node, "health"));
    }

    @Nullable
    AccessLogConfig accessLog(Section root) {
        Section section = root.sectionOrOff("access-log");
        if (section == null) {
            return null;
        }
        AccessLogConfig.Format format =
                section.choice("format", AccessLogConfig.Format.values(), Defaults.ACCESS_LOG_FORMAT);
        Node output = section.text("output");
        if (output != null
                && (output.text.isBlank() || !Problems.oneLine(output.text).equals(output.text))) {
            problems.at(output, "output is " + output.quoted() + ", expected stdout or the path of a file");
        }
        int queue = section.integer("queue", Defaults.ACCESS_LOG_QUEUE_ENTRIES, 1, Defaults.MAX_COUNT);
        section.end();
        return new AccessLogConfig(format, output == null ? Defaults.ACCESS_LOG_OUTPUT : output.text, queue);
    }
}
