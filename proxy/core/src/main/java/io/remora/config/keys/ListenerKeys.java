package io.remora.config.keys;

import io.remora.config.model.ClientHalfClose;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.Limits;
import io.remora.config.model.PathConfig;

/** The keys of {@code listeners}, in the order of the page. */
public final class ListenerKeys {
    /** Modes of a field that names the origin of a request. */
    private static final ForwardingMode[] MODES = {ForwardingMode.OFF, ForwardingMode.APPEND, ForwardingMode.REPLACE};

    /** Modes of a field that identifies the client. */
    private static final ForwardingMode[] CERTIFICATE_MODES = {
        ForwardingMode.SANITIZE, ForwardingMode.APPEND, ForwardingMode.REPLACE
    };

    /** One listener or more. */
    public static final Key LISTENERS = Key.required(null, "listeners", Key.LIST);

    /**
     * The name in metrics and in the access log; each listener has its own. A listener without one is named after its
     * position.
     */
    public static final Key NAME = Key.text(LISTENERS, "name", "name", nameByDefault(1));

    /**
     * Address of the listener: a host and a port, or {@code unix:/PATH} for a Unix socket. See
     * [tcp.md](tcp.md#unix-sockets).
     */
    public static final Key ADDRESS = Key.required(LISTENERS, "address", "address, or `unix:/PATH`");

    /** Permissions and owner of the Unix socket, if {@code address} is one. They decide which processes may connect. */
    public static final Key SOCKET = Key.mapping(LISTENERS, "socket");

    /**
     * The permissions of the socket's file. A process needs the permission to write in order to connect. Without it,
     * {@code 0660} is for owner and group.
     */
    public static final Key SOCKET_MODE = Key.optional(SOCKET, "mode", "octal number, from `0600` to `0777`");

    /** The owner of the socket's file, if the sidecar may set it; by default the sidecar's own user and group. */
    public static final Key SOCKET_OWNER = Key.optional(SOCKET, "owner", "`USER`, `USER:GROUP` or `:GROUP`");

    /**
     * The side of the application that the listener serves: {@code inbound} for requests to the application, {@code
     * outbound} for its own requests to others. {@code POST /drain?direction=inbound} drains the inbound listeners
     * alone, so that an application that shuts down keeps its outbound calls.
     */
    public static final Key DIRECTION = Key.text(LISTENERS, "direction", "`inbound` or `outbound`", "inbound");

    public static final String OUTBOUND = "outbound";

    /**
     * The protocol of the clients. With {@code http1} it is HTTP/1, and with {@code http2} HTTP/2 by prior knowledge,
     * or with TLS by ALPN. With {@code auto} it is both on one port: by ALPN if {@code tls} is given, and otherwise by
     * how a connection begins. With {@code tcp} it is anything else, which is passed on as it comes. With {@code
     * detect} it is all of it on one port. HTTP/2 costs memory; its classes and those of {@code tcp} are loaded only
     * where they are spoken. See [http2.md](http2.md), [tcp.md](tcp.md) and [capture.md](capture.md#what-is-spoken).
     */
    public static final Key PROTOCOL =
            Key.text(LISTENERS, "protocol", "`http1`, `http2`, `auto`, `tcp` or `detect`", "http1");

    /**
     * Destination of connections that carry no requests. It is there with {@code protocol: detect}, and with nothing
     * else.
     */
    public static final Key DETECT = Key.mapping(LISTENERS, "detect");

    /** The bounds of HTTP/2 connections; it needs {@code protocol: http2}, {@code auto} or {@code detect}. */
    public static final Key HTTP2 = Key.mapping(LISTENERS, "http2");

    /** The cluster that takes every request, instead of {@code routes}. */
    public static final Key CLUSTER = Key.optional(LISTENERS, "cluster", "name of a cluster");

    /**
     * The fields that are added to requests. A field set to {@code off} passes as the client sent it, {@code append}
     * adds this hop's element behind it, and {@code replace} drops it first. With {@code trust}, the fields of an
     * untrusted peer have been dropped by then.
     */
    public static final Key HEADERS = Key.mapping(LISTENERS, "headers");

    /**
     * The address of the client. With {@code append} the application learns who called, and still sees the proxies on
     * the way here. Use {@code replace} at the edge of a network. With {@code append} it is the address of the peer,
     * with {@code replace} that of the client as {@code trust} finds it.
     */
    public static final Choice<ForwardingMode> X_FORWARDED_FOR =
            new Choice<>(HEADERS, "x-forwarded-for", MODES, ForwardingMode.APPEND);

    /** The scheme of the connection, {@code https} if it has TLS; otherwise like {@code x-forwarded-for}. */
    public static final Choice<ForwardingMode> X_FORWARDED_PROTO =
            new Choice<>(HEADERS, "x-forwarded-proto", MODES, ForwardingMode.APPEND);

    /** The host of the client's request; otherwise like {@code x-forwarded-for}. */
    public static final Choice<ForwardingMode> X_FORWARDED_HOST =
            new Choice<>(HEADERS, "x-forwarded-host", MODES, ForwardingMode.APPEND);

    /**
     * Address, scheme and host of the X-Forwarded fields in one standard field (RFC 7239). It is off because it repeats
     * what the X-Forwarded fields say, and one of the two is enough.
     */
    public static final Choice<ForwardingMode> FORWARDED =
            new Choice<>(HEADERS, "forwarded", MODES, ForwardingMode.OFF);

    /**
     * The client's certificate by its digest, subject and names, as X-Forwarded-Client-Cert. With {@code sanitize} the
     * sidecar drops what the client sent. With {@code replace} it puts the certificate of this connection in its place,
     * and with {@code append} behind what a trusted peer sent. No other peer is ever trusted, because applications take
     * this field for proof.
     */
    public static final Choice<ForwardingMode> X_FORWARDED_CLIENT_CERT =
            new Choice<>(HEADERS, "x-forwarded-client-cert", CERTIFICATE_MODES, ForwardingMode.SANITIZE);

    /**
     * Adds the certificate itself to that field, as {@code Cert}, in PEM and percent-encoded, for applications that
     * read more of it than names. It is off because it adds 1 to 3 KiB to each request, and many applications take
     * heads of 8 KiB only.
     */
    public static final Choice<Boolean> X_FORWARDED_CLIENT_CERT_PEM =
            Key.flag(HEADERS, "x-forwarded-client-cert-pem", false);

    /**
     * The form of the X-Request-Id that a request without one gets. A ULID sorts by time and is shorter than a UUID.
     */
    public static final Choice<RequestIdMode> X_REQUEST_ID =
            new Choice<>(HEADERS, "x-request-id", RequestIdMode.values(), RequestIdMode.ULID);

    /**
     * The handling of a request field whose name contains an underscore. With {@code pass} it is forwarded, because RFC
     * 9110 5.1 wants unrecognised fields forwarded. With {@code drop} the request is forwarded without it, and with
     * {@code reject} it gets 400. The other two exist because CGI-like applications cannot tell {@code
     * Transfer_Encoding} from {@code Transfer-Encoding}. In each case the sidecar refuses a request with a framing,
     * forwarding or identity field that is spelled with {@code _} for {@code -}.
     */
    public static final Choice<Underscores> UNDERSCORES_IN_HEADERS =
            new Choice<>(LISTENERS, "underscores-in-headers", Underscores.values(), Underscores.PASS);

    /**
     * The spelling of a path that routes match, if it has several (RFC 3986 6.2.2), such as {@code /%61dmin} and {@code
     * /x/../admin} for {@code /admin}. With {@code both} a path is forwarded as sent if its normalized spelling takes
     * the same route, and any other gets 400. With {@code as-sent} routes match the path as sent. With {@code
     * normalize} they match the normalized spelling, which is forwarded. With {@code refuse} a path that is not
     * normalized gets 400. See [routing.md](routing.md#path-normalization).
     */
    public static final Choice<PathConfig.Mode> PATH_MODE =
            new Choice<>(LISTENERS, "path", PathConfig.Mode.values(), PathConfig.Mode.BOTH);

    /**
     * Separators that no path may have, because some applications take them for a slash or for the end of a segment.
     * They are {@code double-slash}, {@code encoded-slash} ({@code %2F}), {@code semicolon} and {@code backslash}; the
     * last two are refused encoded as well. The response to a request with one is 400. See
     * [routing.md](routing.md#path-normalization).
     */
    public static final Key REFUSE_IN_PATH = Key.optional(LISTENERS, "refuse-in-path", "list of separators");

    /**
     * The fate of a request whose HTTP/1 client ends its side of the connection (FIN) while it waits. With {@code
     * cancel} the client is taken to be gone, and the request ends at once, at the endpoint too. With {@code serve} it
     * gets its response, if something of that moves within {@code timeouts.idle}. Clients that close and clients that
     * half-close look alike, and most of them have closed. Pipelined requests are answered either way; tunnels and
     * requests for one are not affected. See [http-conformance.md](http-conformance.md#half-closed-client-connections).
     */
    public static final Choice<ClientHalfClose> CLIENT_HALF_CLOSE =
            new Choice<>(LISTENERS, "client-half-close", ClientHalfClose.values(), ClientHalfClose.CANCEL);

    /**
     * The detail of a failure in the sidecar's own responses. {@code detailed} names the rule of HTTP that the client,
     * or the endpoint, has broken, as {@code Remora-Reason} and in the body. Logs have it either way. See
     * [http-conformance.md](http-conformance.md#rule-names).
     */
    public static final Key ERRORS = Key.text(LISTENERS, "errors", "`plain` or `detailed`", "plain");

    public static final String DETAILED = "detailed";

    /** The protocol of a listener and of a cluster. */
    public static final String TCP = "tcp";

    public static final String FROM_HOST = "host";

    /** The bounds that the listener holds its clients to. */
    public static final Key LIMITS = Key.mapping(LISTENERS, "limits");

    /**
     * Connections open at once. At the limit the listener stops accepting, and further connections wait in the kernel's
     * backlog. The default is more than one application usually serves. Under a memory limit that allows for fewer, the
     * connections that have been idle for longest make room for others.
     */
    public static final ValueKey<Integer> CONNECTIONS =
            Key.count(LIMITS, "connections", 1, Key.MAX_COUNT, Limits.CONNECTIONS_BY_DEFAULT);

    /** Size of the request line. A longer one gets 414. The default is the longest that common servers accept. */
    public static final ValueKey<Integer> REQUEST_LINE = Key.heldBytes(LIMITS, "request-line", 8 << 10);

    /**
     * Size of all field lines of a request together. A larger header section gets 431. Large cookies and tokens fit,
     * and what one client can make the sidecar hold stays small.
     */
    public static final ValueKey<Integer> HEADER_BLOCK = Key.heldBytes(LIMITS, "header-block", 32 << 10);

    /** Field lines in a request. More get 431. The default is three times what browsers and meshes send. */
    public static final ValueKey<Integer> HEADER_FIELDS =
            Key.count(LIMITS, "header-fields", 1, Key.MAX_PER_CONNECTION, 100);

    /**
     * Bytes held per direction on a client's connection before the sidecar stops reading the sending side. They are the
     * part of a response that waits for the client, and the bytes that one read of a request brings. The default keeps
     * a fast link busy for one turn of the event loop. Twice this, times {@code connections}, is the most that bodies
     * can occupy.
     */
    public static final ValueKey<Integer> BUFFER = Key.heldBytes(LIMITS, "buffer", 32 << 10);

    /**
     * Exchanges in progress at once. More get 503 and Retry-After. An application that is this far behind is better
     * served by a quick 503 than by a longer queue. A memory limit may allow for fewer.
     */
    public static final ValueKey<Integer> IN_FLIGHT =
            Key.count(LIMITS, "in-flight", 1, Key.MAX_COUNT, Limits.IN_FLIGHT_BY_DEFAULT);

    /** Size of a request's body. A larger one gets 413. Bodies stream unbuffered, so their size costs nothing. */
    public static final ValueKey<Long> BODY = Key.bytesOrOff(LIMITS, "body");

    /** Bounds on admitted requests, in addition to the fixed bound of {@code limits.in-flight}. */
    public static final Key ADMISSION = Key.mapping(LISTENERS, "admission");

    /**
     * A bound on the requests that wait for the backend. It falls while more of them only make each other wait, and
     * rises again. Requests beyond it get 503 and Retry-After. See [resilience.md](resilience.md). {@code {}} switches
     * it on with the defaults below.
     */
    public static final Key ADAPTIVE = Key.mappingOrOff(ADMISSION, "adaptive");

    /**
     * TLS on the listener's connections; {@code off} is plain HTTP. See [tls.md](tls.md). A reload changes it for new connections, and
     * new files need none.
     */
    public static final Key TLS = Key.mappingOrOff(LISTENERS, "tls");

    /**
     * Takes the client's address from the PROXY protocol, version 1 or 2, of a load balancer or proxy in front of the
     * listener. {@code from} has their networks. Their connections begin with a header, before any TLS, or are closed;
     * those of others are taken as they are. The address in it is the client's in logs, X-Forwarded-For and {@code
     * trust}. See [trust.md](trust.md#the-proxy-protocol).
     */
    public static final Key PROXY_PROTOCOL = Key.mappingOrOff(LISTENERS, "proxy-protocol");

    /** Networks of the load balancers or proxies, such as {@code 10.0.0.0/8}. */
    public static final Key PROXY_PROTOCOL_FROM = Key.required(PROXY_PROTOCOL, "from", "list of networks");

    /**
     * Lets the requests of trusted peers override the destination of their cluster's name by a dtab. The dtab is in
     * {@code Dtab-Local}, {@code l5d-dtab} or {@code Remora-Dtab}. It needs {@code trust}, and {@code engine: finagle}.
     * See [engines.md](engines.md#per-request-dtabs).
     */
    public static final Key REQUEST_DTAB = Key.mappingOrOff(LISTENERS, "request-dtab");

    /**
     * Announces the listener while it takes requests, as a member of a serverset in ZooKeeper. With {@code engine:
     * finagle} only. See [engines.md](engines.md#announcing-a-listener).
     */
    public static final Key ANNOUNCE = Key.mappingOrOff(LISTENERS, "announce");

    /**
     * Identities, one of which a client must have proved by its certificate. Any other client gets 403. Exact, or
     * {@code spiffe://DOMAIN/PATH/*} for all below a path. It needs {@code client-certificates}.
     */
    public static final Key REQUIRE_IDENTITY = Key.optional(LISTENERS, "require-identity", "list of identities");

    /**
     * Admits clients by their addresses, as {@code trust} and {@code proxy-protocol} find them. Any other client gets
     * 403, or a reset with {@code protocol: tcp}. See [limits.md](limits.md#limits-per-client-address).
     */
    public static final Key CLIENTS = Key.mappingOrOff(LISTENERS, "clients");

    /**
     * Networks of admitted clients, such as {@code 10.0.0.0/8}. No other client is admitted then, nor is one without an
     * address. By default all are.
     */
    public static final Key CLIENTS_ALLOW = Key.optional(CLIENTS, "allow", "list of networks");

    /** Networks whose clients are refused, even if {@code allow} has them. */
    public static final Key CLIENTS_DENY = Key.optional(CLIENTS, "deny", "list of networks");

    /** Times that the listener waits for its clients. */
    public static final Key TIMEOUTS = Key.mapping(LISTENERS, "timeouts");

    /**
     * Time from the first byte of a request to the end of its header section; beyond it 408. A header section is one or
     * two packets: a client that needs longer is holding a connection open on purpose.
     */
    public static final ValueKey<Long> HEADER_READ = Key.durationNs(TIMEOUTS, "header-read", 10_000_000_000L);

    /**
     * The longest time without a byte moving while a body is under way in either direction. A peer that is silent for
     * the default is gone.
     */
    public static final ValueKey<Long> BODY_IDLE = Key.durationNs(TIMEOUTS, "body-idle", 30_000_000_000L);

    /**
     * Time that a connection may rest without a request. The default is longer than common clients and load balancers
     * keep theirs, so that they are the ones to close first.
     */
    public static final ValueKey<Long> IDLE = Key.durationNs(TIMEOUTS, "idle", 300_000_000_000L);

    /**
     * Time that a connection is used, less up to a tenth, so that connections that began together do not end together.
     * From then on the next response says {@code Connection: close}, and a connection that rests for a second is
     * closed. No exchange is cut, and upgraded connections stay. With {@code client-certificates: optional} or {@code
     * required} the default is {@code 1h}, because a client's identity and trust are checked when it connects.
     */
    public static final ValueKey<Long> MAX_CONNECTION_AGE = Key.durationOrOffNs(TIMEOUTS, "max-connection-age");

    /**
     * Has the kernel check that a silent client is still there (TCP keepalive). The {@code net.ipv4.tcp_keepalive_*}
     * settings of the sidecar's network namespace set the times: by Linux' default after two hours.
     */
    public static final Choice<Boolean> TCP_KEEP_ALIVE = Key.flag(TIMEOUTS, "tcp-keep-alive", false);

    /**
     * A field by which clients say how long they wait, such as {@code l5d-timeout} or {@code
     * x-envoy-upstream-rq-timeout-ms}. Its value is whole milliseconds, or a duration such as {@code 250ms} or {@code
     * 1.5s}. It shortens {@code timeouts.total} of the route and never lengthens it. The time that is left is passed on
     * in the same field. With {@code trust} only the fields of trusted peers count.
     */
    public static final Key CALLER_HEADER = Key.text(TIMEOUTS, "caller-header", "name of a field, or off", "off");

    /**
     * One route or more, unless the listener has {@code cluster}. The first one that matches wins, so a route without
     * {@code match} comes last.
     */
    public static final Key ROUTES = Key.required(LISTENERS, "routes", Key.LIST);

    /** The name in the access log; by default the name of the listener and the position. */
    public static final Key ROUTE_NAME = Key.text(ROUTES, "name", "name", routeNameByDefault(nameByDefault(1), 1));

    /**
     * The cluster that takes the requests of this route. {@code clusters}, {@code redirect} or {@code respond} may
     * stand in its place.
     */
    public static final Key ROUTE_CLUSTER = Key.required(ROUTES, "cluster", "name of a cluster");

    /**
     * Clusters over which the requests of this route are spread by weight, each with the attempts that it takes; at most 32. See
     * [routing.md](routing.md).
     */
    public static final Key ROUTE_CLUSTERS = Key.optional(ROUTES, "clusters", Key.LIST);

    /**
     * The part of a request that always leads to the same one of {@code clusters}. A request without that header or
     * cookie goes to any.
     */
    public static final Key STICKY =
            Key.text(ROUTES, "sticky", "off, `client`, or mapping with `header` or `cookie`", Key.OFF);

    /**
     * Changes the path and the host that the endpoint sees. The access log and {@code match} see those of the client.
     */
    public static final Key REWRITE = Key.optional(ROUTES, "rewrite", Key.MAPPING);

    /** Changes the fields that the endpoint sees. Fields about connections, framing and forwarding are refused. */
    public static final Key REQUEST_HEADERS = Key.optional(ROUTES, "request-headers", Key.MAPPING);

    /** Changes the fields of responses to the client, of the sidecar's own as well. */
    public static final Key RESPONSE_HEADERS = Key.optional(ROUTES, "response-headers", Key.MAPPING);

    /** Sends the client elsewhere. Parts of the URI that are not given stay as they came. */
    public static final Key REDIRECT = Key.optional(ROUTES, "redirect", Key.MAPPING);

    /** Answers instead of an endpoint. */
    public static final Key RESPOND = Key.optional(ROUTES, "respond", Key.MAPPING);

    /**
     * Selects the cluster by the request's host, with {@code host} and a template as {@code cluster}. The route is
     * there for the hosts of the template only; requests for others go on to the next one. See
     * [outbound.md](outbound.md).
     */
    public static final Key ROUTE_CLUSTER_FROM = Key.optional(ROUTES, "cluster-from", "`host`");

    /** Identities as in the listener's {@code require-identity}, for the requests of this route, in addition to it. */
    public static final Key ROUTE_REQUIRE_IDENTITY = Key.optional(ROUTES, "require-identity", "list of identities");

    /** Admits clients as the listener's {@code clients} does, for the requests of this route, in addition to it. */
    public static final Key ROUTE_CLIENTS = Key.optional(ROUTES, "clients", Key.MAPPING_OR_OFF);

    /**
     * Retries as in the cluster's {@code retries}, instead of them; {@code off} for none. The budget is the cluster's
     * all the same.
     */
    public static final Key ROUTE_RETRIES = Key.optional(ROUTES, "retries", Key.MAPPING_OR_OFF);

    /**
     * Delegations in Finagle's terms for the requests of this route, if the cluster has {@code dest}. They win over
     * {@code finagle.dtab}. With {@code engine: finagle} only. See [engines.md](engines.md#names-and-dtabs).
     */
    public static final Key ROUTE_DTAB = Key.optional(ROUTES, "dtab", "dtab, such as `/s/app => /#/canary`");

    /** Times that the requests of this route may take. */
    public static final Key ROUTE_TIMEOUTS = Key.mapping(ROUTES, "timeouts");

    /**
     * Time from the first byte of the request to the last of the response, all attempts included. Beyond it the client
     * gets 504, or a cut if the response has begun. An upgraded connection is not bound by it.
     */
    public static final ValueKey<Long> TOTAL = Key.durationOrOffNs(ROUTE_TIMEOUTS, "total");

    /**
     * Time of each attempt, to the head of its final response. It starts with the attempt, or once the request is whole
     * if that is later. Beyond it the sidecar makes another attempt if {@code retries} permit one, or answers 504.
     */
    public static final ValueKey<Long> TRY = Key.durationOrOffNs(ROUTE_TIMEOUTS, "try");

    /**
     * Time that both sides of an exchange may be silent, instead of the listener's {@code body-idle}, and of its {@code
     * idle} for an upgraded connection. The value {@code off} is for event streams and watches of gRPC. It needs
     * something else that watches both sides: {@code tcp-keep-alive}, or {@code http2.keep-alive} if only HTTP/2 is
     * spoken. A side that takes none of the bytes that wait for it still has the listener's time. See
     * [resilience.md](resilience.md#long-lived-streams).
     */
    public static final ValueKey<Long> STREAM_IDLE =
            Key.durationOrOffNs(ROUTE_TIMEOUTS, "stream-idle", "as the listener");

    /**
     * Conditions that a request must meet for this route. All parts must match, and an empty mapping matches every
     * request.
     */
    public static final Key MATCH = Key.text(ROUTES, "match", Key.MAPPING, "{}");

    /**
     * The host without a port, in any spelling of it; {@code *.} stands for one label or more. See
     * [routing.md](routing.md#hosts).
     */
    public static final Key HOST = Key.optional(MATCH, "host", "host, or `*.suffix`");

    /**
     * The name in a TLS client's hello, in any letter case and with or without a dot at its end. {@code *.} stands for
     * one label or more. With {@code protocol: tcp} only, and not if the listener ends TLS.
     */
    public static final Key SNI = Key.optional(MATCH, "sni", "host, or `*.suffix`");

    /** The exact path, without the query; not together with {@code prefix}. */
    public static final Key PATH = Key.optional(MATCH, "path", "path");

    /** The beginning of the path, on segment boundaries: {@code /a} takes {@code /a} and {@code /a/b}, but not {@code /ab}. */
    public static final Key PREFIX = Key.optional(MATCH, "prefix", "path");

    /** The method, which is case-sensitive. */
    public static final Key METHOD = Key.optional(MATCH, "method", "token");

    /**
     * Fields that must be present with exactly these values; names in any letter case. {@code GET /config} shows
     * {@code ***} as the value of a field whose name suggests a credential.
     */
    public static final Key MATCH_HEADERS = Key.optional(MATCH, "headers", "mapping of names to values");

    /** The identity that the client has proved, exact or {@code spiffe://DOMAIN/PATH/*}. It needs {@code client-certificates}. */
    public static final Key MATCH_IDENTITY = Key.optional(MATCH, "identity", "identity");

    private ListenerKeys() {}

    public static String nameByDefault(int position) {
        return "listener-" + position;
    }

    public static String routeNameByDefault(String listener, int position) {
        return listener + "/" + position;
    }
}
