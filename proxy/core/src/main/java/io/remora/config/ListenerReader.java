package io.remora.config;

import io.remora.config.HeaderPolicy.ForwardingMode;
import io.remora.config.HeaderPolicy.RequestIdMode;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code listeners}. */
final class ListenerReader {
    private final Problems problems;
    private final BoundAddresses bound;
    private final RouteReader routes;
    private final List<String> names = new ArrayList<>();

    ListenerReader(RouteReader routes, BoundAddresses bound, Problems problems) {
        this.routes = routes;
        this.bound = bound;
        this.problems = problems;
    }

    List<ListenerConfig> read(List<Node> nodes) {
        List<ListenerConfig> listeners = new ArrayList<>();
        for (Node node : nodes) {
            listeners.add(listener(node, Section.of(node, "listener", problems)));
        }
        return List.copyOf(listeners);
    }

    private ListenerConfig listener(Node node, Section section) {
        String name = name(node, section);
        Address address = address(section, name);
        ListenerConfig listener = new ListenerConfig(
                name,
                address,
                headers(section.section("headers")),
                limits(section.section("limits")),
                timeouts(section.section("timeouts")),
                routes.read(section, name));
        section.end();
        return listener;
    }

    private String name(Node listener, Section section) {
        String byDefault = "listener-" + (names.size() + 1);
        Node node = section.value("name");
        String given = node == null ? byDefault : Names.name(node, "name", problems);
        String name = given == null ? byDefault : given;
        if (names.contains(name)) {
            String what = "the name " + Problems.quote(name) + " for a second listener";
            problems.at(node == null ? listener : node, what + ", expected each to have its own");
        }
        names.add(name);
        return name;
    }

    private Address address(Section section, String name) {
        Node node = section.requiredText("address", "HOST:PORT");
        return node == null ? AddressText.NONE : bound.read(node, "listener " + Problems.quote(name));
    }

    private static HeaderPolicy headers(Section section) {
        ForwardingMode[] modes = ForwardingMode.values();
        HeaderPolicy headers = new HeaderPolicy(
                section.choice("x-forwarded-for", modes, Defaults.X_FORWARDED),
                section.choice("x-forwarded-proto", modes, Defaults.X_FORWARDED),
                section.choice("x-forwarded-host", modes, Defaults.X_FORWARDED),
                section.choice("forwarded", modes, Defaults.FORWARDED),
                section.choice("x-request-id", RequestIdMode.values(), Defaults.REQUEST_ID));
        section.end();
        return headers;
    }

    private static Limits limits(Section section) {
        Limits limits = new Limits(
                section.integer("connections", Defaults.CONNECTIONS, 1, Defaults.MAX_COUNT),
                section.heldBytes("request-line", Defaults.REQUEST_LINE_BYTES),
                section.heldBytes("header-block", Defaults.HEADER_BLOCK_BYTES),
                section.integer("header-fields", Defaults.HEADER_FIELDS, 1, Defaults.MAX_PER_CONNECTION),
                section.integer("pipelined-requests", Defaults.PIPELINED_REQUESTS, 1, Defaults.MAX_PER_CONNECTION),
                section.heldBytes("buffer", Defaults.BUFFER_BYTES),
                section.integer("in-flight", Defaults.IN_FLIGHT_EXCHANGES, 1, Defaults.MAX_COUNT),
                section.sizeOrOff("body", Defaults.BODY_BYTES, Limits.UNLIMITED));
        section.end();
        return limits;
    }

    private static FrontendTimeouts timeouts(Section section) {
        FrontendTimeouts timeouts = new FrontendTimeouts(
                section.durationNs("header-read", Defaults.HEADER_READ_NS),
                section.durationNs("body-idle", Defaults.BODY_IDLE_NS),
                section.durationNs("idle", Defaults.FRONTEND_IDLE_NS));
        section.end();
        return timeouts;
    }
}
