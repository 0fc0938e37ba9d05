package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ClientHalfClose;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ListenerSecurity;
import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.SocketConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code listeners}. */
final class ListenerReader {
    /** Fields that HTTP gives a number, or that say how a message is framed and where it goes. */
    private static final String[] OTHERS_FIELDS = {
        "Age",
        "Connection",
        "Content-Length",
        "Content-Type",
        "Date",
        "Expect",
        "grpc-timeout",
        "Host",
        "Max-Forwards",
        "Range",
        "TE",
        "Transfer-Encoding",
        "Upgrade",
        "Via"
    };

    private final Problems problems;
    private final BoundAddresses bound;
    private final RouteReader routes;
    private int read;

    ListenerReader(RouteReader routes, BoundAddresses bound, Problems problems) {
        this.routes = routes;
        this.bound = bound;
        this.problems = problems;
    }

    List<ListenerConfig> read(List<Node> nodes) {
        List<ListenerConfig> listeners = new ArrayList<>();
        for (Node node : nodes) {
            listeners.add(listener(Section.of(node, "listener", problems)));
        }
        return List.copyOf(listeners);
    }

    private ListenerConfig listener(Section section) {
        String name = name(section);
        Address address = address(section, name);
        Node protocol = section.text(ListenerKeys.PROTOCOL);
        boolean tcp = protocol != null && protocol.isText(ListenerKeys.TCP);
        Limits limits = limits(section.section(ListenerKeys.LIMITS));
        routes.begin(address, limits);
        Options spoken = tcp ? Options.NONE : http2(section, protocol, name);
        Options secured = inOrder(ListenerKeys.TLS, section, name, tcp, spoken);
        PathConfig path = path(section);
        HeaderPolicy headers = headers(section);
        FrontendTimeouts timeouts =
                timeouts(section.section(ListenerKeys.TIMEOUTS), secured.get(ListenerConfig.TLS), tcp);
        Options ofClients = secured.with(
                ListenerConfig.REQUIRED_IDENTITIES, routes.identities(section, ListenerKeys.REQUIRE_IDENTITY));
        // before the listener's own limits: of two with one name the second is the problem
        List<RouteConfig> ofRoutes = routes.read(section, name, path.mode());
        Section admission = section.section(ListenerKeys.ADMISSION);
        Options admitted = inOrder(ListenerKeys.ADAPTIVE, admission, name, tcp, ofClients);
        Options named = inOrder(ListenerKeys.REQUEST_DTAB, section, name, tcp, admitted);
        Options ofListener = inOrder(ListenerKeys.ANNOUNCE, section, name, tcp, named)
                .with(ListenerConfig.SOCKET, socket(section, address))
                .with(ListenerConfig.TCP, tcp)
                .with(ListenerConfig.OUTBOUND, isOutbound(section.text(ListenerKeys.DIRECTION)));
        Options options = routes.ofListener(section, name, ofListener)
                .with(ListenerConfig.DETAILED_ERRORS, detailed(section.text(ListenerKeys.ERRORS)))
                .with(ListenerConfig.CLIENT_HALF_CLOSE, halfClose(section));
        admission.end();
        ListenerConfig listener = new ListenerConfig(name, address, headers, limits, timeouts, path, ofRoutes, options);
        if (tcp) {
            new TcpRules(problems).listener(section);
        }
        section.end();
        return listener;
    }

    private static @Nullable ClientHalfClose halfClose(Section listener) {
        ClientHalfClose given = listener.get(ListenerKeys.CLIENT_HALF_CLOSE);
        return given == ListenerKeys.CLIENT_HALF_CLOSE.byDefault() ? null : given;
    }

    private boolean isOutbound(@Nullable Node direction) {
        boolean outbound = direction != null && direction.isText(ListenerKeys.OUTBOUND);
        if (direction != null && !outbound && !direction.isText(ListenerKeys.DIRECTION.fallbackText())) {
            problems.at(direction, "direction is " + direction.quoted() + ", expected inbound or outbound");
        }
        return outbound;
    }

    private boolean detailed(@Nullable Node errors) {
        boolean detailed = errors != null && errors.isText(ListenerKeys.DETAILED);
        if (errors != null && !detailed && !errors.isText(ListenerKeys.ERRORS.fallbackText())) {
            problems.at(errors, "errors is " + errors.quoted() + ", expected plain or detailed");
        }
        return detailed;
    }

    private PathConfig path(Section listener) {
        return new PathConfig(
                listener.get(ListenerKeys.PATH_MODE),
                listener.has(ListenerKeys.REFUSE_IN_PATH) ? PathReader.refused(listener, problems) : List.of());
    }

    /** Reads the part below a key, where the file has it, and returns the options with it. */
    private Options inOrder(Key key, Section section, String name, boolean tcp, Options others) {
        return section.has(key) ? routes.read(key.name, section, name, tcp, others) : others;
    }

    private @Nullable SocketConfig socket(Section listener, Address address) {
        return listener.has(ListenerKeys.SOCKET) || address.isUnix()
                ? SocketPart.read(listener, address, problems)
                : null;
    }

    private Options http2(Section listener, @Nullable Node protocol, String name) {
        Node bounds = listener.value(ListenerKeys.HTTP2);
        if (protocol != null && !protocol.isText(ListenerKeys.PROTOCOL.fallbackText())) {
            return routes.read(ListenerKeys.HTTP2.name, listener, name, false, Options.NONE);
        }
        if (bounds != null) {
            problems.at(bounds, "http2 requires protocol: http2, auto or detect");
        }
        return Options.NONE;
    }

    private String name(Section section) {
        String byDefault = ListenerConfig.nameByDefault(read + 1);
        Node node = section.value(ListenerKeys.NAME);
        String given = node == null ? byDefault : Names.name(node, ListenerKeys.NAME.name, problems);
        read++;
        return given == null ? byDefault : given;
    }

    private Address address(Section section, String name) {
        Node node = section.requiredText(ListenerKeys.ADDRESS, "HOST:PORT");
        return node == null ? AddressText.NONE : bound.readAny(node, "listener " + Problems.quote(name));
    }

    private HeaderPolicy headers(Section listener) {
        Section section = listener.section(ListenerKeys.HEADERS);
        HeaderPolicy headers = new HeaderPolicy(
                section.get(ListenerKeys.X_FORWARDED_FOR),
                section.get(ListenerKeys.X_FORWARDED_PROTO),
                section.get(ListenerKeys.X_FORWARDED_HOST),
                section.get(ListenerKeys.FORWARDED),
                section.get(ListenerKeys.X_FORWARDED_CLIENT_CERT),
                section.get(ListenerKeys.X_FORWARDED_CLIENT_CERT_PEM),
                section.get(ListenerKeys.X_REQUEST_ID),
                listener.get(ListenerKeys.UNDERSCORES_IN_HEADERS));
        Node pem = section.value(ListenerKeys.X_FORWARDED_CLIENT_CERT_PEM);
        if (pem != null && headers.clientCertPem() && headers.xForwardedClientCert() == ForwardingMode.SANITIZE) {
            String name = ListenerKeys.X_FORWARDED_CLIENT_CERT_PEM.name;
            problems.at(pem, name + " requires x-forwarded-client-cert: append or replace");
        }
        section.end();
        return headers;
    }

    private static Limits limits(Section section) {
        Limits limits = new Limits(
                section.get(ListenerKeys.CONNECTIONS),
                section.get(ListenerKeys.REQUEST_LINE),
                section.get(ListenerKeys.HEADER_BLOCK),
                section.get(ListenerKeys.HEADER_FIELDS),
                section.get(ListenerKeys.BUFFER),
                section.get(ListenerKeys.IN_FLIGHT),
                section.get(ListenerKeys.BODY));
        section.end();
        return limits;
    }

    private @Nullable String callerHeader(@Nullable Node node) {
        if (node == null || node.isText(Key.OFF)) {
            return null;
        }
        String name = Names.token(node, ListenerKeys.CALLER_HEADER.name, problems);
        for (String taken : OTHERS_FIELDS) {
            if (taken.equalsIgnoreCase(name)) {
                String expected = ", expected a field without another meaning, such as l5d-timeout";
                problems.at(node, ListenerKeys.CALLER_HEADER.name + " is " + node.quoted() + expected);
            }
        }
        return name;
    }

    private FrontendTimeouts timeouts(Section section, @Nullable ListenerSecurity tls, boolean tcp) {
        // a tunnel has no place at which it could end in order
        boolean asks = !tcp && tls != null && tls.asksForCertificates();
        FrontendTimeouts timeouts = new FrontendTimeouts(
                section.get(ListenerKeys.HEADER_READ),
                section.get(ListenerKeys.BODY_IDLE),
                section.get(ListenerKeys.IDLE),
                section.number(
                        ListenerKeys.MAX_CONNECTION_AGE,
                        asks ? Limits.VERIFIED_AGE_NS : Limits.UNLIMITED,
                        ListenerKeys.MAX_CONNECTION_AGE.max),
                section.get(ListenerKeys.TCP_KEEP_ALIVE),
                callerHeader(section.text(ListenerKeys.CALLER_HEADER)));
        section.end();
        return timeouts;
    }
}
