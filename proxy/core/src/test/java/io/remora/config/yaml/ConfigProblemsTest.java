package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad files, and every line that is said about them. */
final class ConfigProblemsTest {
    private static final String DURATION = "expected a duration such as 250ms, 10s, 5m or 1h";
    private static final String SIZE = "expected a size such as 512B, 64KiB or 1MiB";

    /** A bad line at the head of a configuration that is otherwise good, and the problems. */
    static Stream<Arguments> heads() {
        return Stream.of(
                bad("wrkers: 1", "1:1: unknown key 'wrkers', did you mean 'workers'?"),
                bad("drain_timeout: 1s", "1:1: unknown key 'drain_timeout', did you mean 'drain-timeout'?"),
                bad("drainTimeout: 1s", "1:1: unknown key 'drainTimeout', did you mean 'drain-timeout'?"),
                bad("amdin: {}", "1:1: unknown key 'amdin', did you mean 'admin'?"),
                bad("workers: 0", "1:10: workers is '0', expected 1 to 64"),
                bad("workers: 65", "1:10: workers is '65', expected 1 to 64"),
                bad("workers: -1", "1:10: workers is '-1', expected a whole number"),
                bad("workers: 1.5", "1:10: workers is '1.5', expected a whole number"),
                bad("workers: 4294967297", "1:10: workers is '4294967297', expected 1 to 64"),
                bad("workers: 99999999999999999999999", "1:10: workers is '99999999999999999999999', expected 1 to 64"),
                bad("workers:", "1:9: workers is empty, expected a whole number"),
                bad("workers: [1]", "1:10: workers is a list, expected text"),
                bad("workers: {a: 1}", "1:10: workers is a mapping, expected text"),
                bad("drain-timeout: 30", "1:16: drain-timeout is '30' without a unit, " + DURATION),
                bad("drain-timeout: 0s", "1:16: drain-timeout is '0s', expected 1us to 24h"),
                bad("drain-timeout: -1s", "1:16: drain-timeout is '-1s', " + DURATION),
                bad("drain-timeout: 1 s", "1:16: drain-timeout is '1 s', " + DURATION),
                bad("drain-timeout: 1sec", "1:16: drain-timeout is '1sec', " + DURATION),
                bad("drain-timeout: 1S", "1:16: drain-timeout is '1S', " + DURATION),
                bad("drain-timeout: 1.5s", "1:16: drain-timeout is '1.5s', " + DURATION),
                bad("drain-timeout: s", "1:16: drain-timeout is 's', " + DURATION),
                bad("drain-timeout: off", "1:16: drain-timeout is 'off', " + DURATION),
                bad("drain-timeout: 25h", "1:16: drain-timeout is '25h', expected 1us to 24h"),
                bad(
                        "drain-timeout: 9223372036854775807h",
                        "1:16: drain-timeout is '9223372036854775807h', expected 1us to 24h"),
                bad(
                        "drain-timeout: 5124095576030431h",
                        "1:16: drain-timeout is '5124095576030431h', expected 1us to 24h"),
                bad("log-level: INFO", "1:12: log-level is 'INFO', expected one of debug, info, warn, error"),
                bad("via: a b", "1:6: via is 'a b', expected a token of letters, digits and !#$%&'*+-.^_`|~"),
                bad("via: []", "1:6: via is a list, expected a token of letters, digits and !#$%&'*+-.^_`|~"),
                bad("admin: off", "1:8: admin is 'off', expected a mapping"),
                bad("admin: {allow-remote: yes}", "1:23: allow-remote is 'yes', expected true or false"),
                bad("admin: {pages: edit}", "1:16: pages is 'edit', expected one of look, act"),
                bad(
                        "admin: {address: \"0.0.0.0:9990\", allow-remote: true, pages: act}",
                        "1:61: pages: act on an address that is not loopback lets anyone who reaches the port act; set"
                                + " tls with client-certificates: required, or pages: look"),
                bad(
                        "admin: {address: \"0.0.0.0:9990\"}",
                        "1:18: admin address '0.0.0.0:9990' is not a loopback address; use a loopback address, "
                                + "or set allow-remote: true"),
                bad(
                        "admin: {address: \"[::]:9990\", allow-remote: false}",
                        "1:18: admin address '[::]:9990' is not a loopback address; use a loopback address, "
                                + "or set allow-remote: true"),
                bad(
                        "admin: {address: \"localhost.evil.example:9990\"}",
                        "1:18: admin address 'localhost.evil.example:9990' is not a loopback address; "
                                + "use a loopback address, or set allow-remote: true"),
                bad(
                        "admin: {address: \"127.evil.example:9990\"}",
                        "1:18: admin address '127.evil.example:9990' is not a loopback address; "
                                + "use a loopback address, or set allow-remote: true"),
                bad("admin: {profile: yes}", "1:18: profile is 'yes', expected true or false"),
                bad(
                        "admin: {address: \"0.0.0.0:9990\", allow-remote: true, profile: true}",
                        "1:63: profile is allowed on an address that is not loopback; use a loopback address, or tls with"
                                + " client-certificates: required"),
                bad("admin: {heap-dump: dumps}", "1:20: heap-dump is 'dumps', expected an absolute path, or off"),
                bad(
                        "admin: {address: \"0.0.0.0:9990\", allow-remote: true, heap-dump: /dumps}",
                        "1:65: heap-dump is allowed on a port without client certificates; use a Unix socket, or tls with"
                                + " client-certificates: required"),
                bad(
                        "admin: {heap-dump: /dumps}",
                        "1:20: heap-dump is allowed on a port without client certificates; use a Unix socket, or tls with"
                                + " client-certificates: required"),
                bad("plugins: on", "1:10: plugins is 'on', expected a mapping, or off"),
                bad("plugins: {filters: [a.B]}", "1:10: missing directory, expected the directory of their jars"),
                bad("plugins: {directory: a}", "1:10: missing filters, expected a list of at least one class name"),
                bad(
                        "plugins: {directory: a, filters: [a.B, [c]]}",
                        "1:40: filters has a list, expected the name of a class"),
                bad("health: on", "1:9: health is 'on', expected a mapping, or off"),
                bad("health: {}", "1:9: missing address, expected HOST:PORT, or health: off"),
                bad(
                        "health: {address: \"127.0.0.1:9990\"}",
                        "1:19: address '127.0.0.1:9990' is already used by admin on 127.0.0.1:9990; use another"
                                + " address"),
                bad("access-log: true", "1:13: access-log is 'true', expected a mapping, or off"),
                bad("access-log: {format: xml}", "1:22: format is 'xml', expected one of json, combined"),
                bad("access-log: {output: ' '}", "1:22: output is ' ', expected stdout or the path of a file"),
                bad("access-log: {output: \"a\\0\"}", "1:22: output is 'a ', expected stdout or the path of a file"),
                bad("access-log: {queue: 0}", "1:21: queue is '0', expected 1 to 1000000"));
    }

    /** A bad line of the listener, instead of its address and cluster where it gives one, and the problems. */
    static Stream<Arguments> listeners() {
        return Stream.of(
                bad("name: a b", "3:11: name is 'a b', expected 1 to 64 letters, digits, '.', '_', '-' or '/'"),
                bad("nam: a", "3:5: unknown key 'nam', did you mean 'name'?"),
                bad("adress: x:1", "3:5: unknown key 'adress', did you mean 'address'?"),
                bad("headers: {forwarded: on}", "3:26: forwarded is 'on', expected one of off, append, replace"),
                bad("headers: {x-request-id: guid}", "3:29: x-request-id is 'guid', expected one of off, ulid, uuid"),
                bad(
                        "underscores-in-headers: off",
                        "3:29: underscores-in-headers is 'off', expected one of pass, drop, reject"),
                bad("underscores-in-headers: {}", "3:29: underscores-in-headers is a mapping, expected text"),
                bad(
                        "headers: {underscores-in-headers: drop}",
                        "3:15: unknown key 'underscores-in-headers', expected one of x-forwarded-for,"
                                + " x-forwarded-proto, x-forwarded-host, forwarded, x-forwarded-client-cert,"
                                + " x-forwarded-client-cert-pem, x-request-id"),
                bad(
                        "underscore-in-headers: drop",
                        "3:5: unknown key 'underscore-in-headers', did you mean 'underscores-in-headers'?"),
                bad(
                        "headers: {x-forwarded-four: off}",
                        "3:15: unknown key 'x-forwarded-four', did you mean 'x-forwarded-for'?"),
                bad("limits: {body: 1000}", "3:20: body is '1000' without a unit, " + SIZE + ", or off"),
                bad("limits: {body: none}", "3:20: body is 'none', " + SIZE + ", or off"),
                bad("limits: {body: 0B}", "3:20: body is '0B', expected 1B to 1024GiB"),
                bad("limits: {buffer: 64K}", "3:22: buffer is '64K', " + SIZE),
                bad("limits: {buffer: 8}", "3:22: buffer is '8' without a unit, " + SIZE),
                bad("limits: {buffer: off}", "3:22: buffer is 'off', " + SIZE),
                bad("limits: {request-line: 255B}", "3:28: request-line is '255B', expected 256B to 16MiB"),
                bad("limits: {header-block: 3GiB}", "3:28: header-block is '3GiB', expected 256B to 16MiB"),
                bad("limits: {in-flight: 0}", "3:25: in-flight is '0', expected 1 to 1000000"),
                bad("limits: {in-flights: 1}", "3:14: unknown key 'in-flights', did you mean 'in-flight'?"),
                bad("limits:", "3:12: limits is empty, expected a mapping"),
                bad("timeouts: {idle: 300}", "3:22: idle is '300' without a unit, " + DURATION),
                bad(
                        "timeouts: {connect: 1s}",
                        "3:16: unknown key 'connect', expected one of header-read, body-idle, idle,"
                                + " max-connection-age, tcp-keep-alive, caller-header"),
                bad("trust: on", "3:12: trust is 'on', expected a mapping, or off"),
                bad("trust: {}", "3:12: trust requires cidrs, identities or hops"),
                bad("trust: {field: forwarded}", "3:12: trust requires cidrs, identities or hops"),
                bad("trust: {hops: 1, feild: forwarded}", "3:22: unknown key 'feild', did you mean 'field'?"),
                bad(
                        "trust: {hops: 1, field: x-real-ip}",
                        "3:29: field is 'x-real-ip', expected one of x-forwarded-for, forwarded"),
                bad("trust: {hops: 0}", "3:19: hops is '0', expected 1 to 16"),
                bad("trust: {hops: 17}", "3:19: hops is '17', expected 1 to 16"),
                bad("trust: {hops: 1, cidrs: [10.0.0.0/8]}", "3:19: hops cannot be combined with cidrs or identities"),
                bad("trust: {cidrs: []}", "3:20: cidrs is an empty list, expected a list of at least one network"),
                bad(
                        "trust: {cidrs: 10.0.0.0/8}",
                        "3:20: cidrs is '10.0.0.0/8', expected a list of at least one network"),
                network("10.0.0.0/33", "network '10.0.0.0/33' has no prefix, expected 0 to 32 after the slash"),
                network("10.0.0.0/", "network '10.0.0.0/' has no prefix, expected 0 to 32 after the slash"),
                network("10.0.0.0/08", "network '10.0.0.0/08' has no prefix, expected 0 to 32 after the slash"),
                network("10.0.0.0/-1", "network '10.0.0.0/-1' has no prefix, expected 0 to 32 after the slash"),
                network("fd00::/129", "network 'fd00::/129' has no prefix, expected 0 to 128 after the slash"),
                network("10.0.0.1/8", "network '10.0.0.1/8' has bits set after its prefix, expected zeros"),
                network("0.0.0.1/0", "network '0.0.0.1/0' has bits set after its prefix, expected zeros"),
                network("fd00::1/127", "network 'fd00::1/127' has bits set after its prefix, expected zeros"),
                network("fd00:0:0:1::/63", "network 'fd00:0:0:1::/63' has bits set after its prefix, expected zeros"),
                network("10.0.0.256", "network is '10.0.0.256', expected one such as 10.0.0.0/8, fd00::/8 or 10.1.2.3"),
                network("10.0.0.0/8/8", "network '10.0.0.0/8/8' has no prefix, expected 0 to 32 after the slash"),
                network("[fd00::]/8", "network is '[fd00::]/8', expected one such as 10.0.0.0/8, fd00::/8 or 10.1.2.3"),
                network("localhost", "network is 'localhost', expected one such as 10.0.0.0/8, fd00::/8 or 10.1.2.3"),
                bad("trust: {identities: [a.test]}", "3:25: " + UNPROVED),
                bad("require-identity: [a.test]", "3:23: " + UNPROVED),
                bad("require-identity: a", "3:23: " + UNPROVED, "3:23: require-identity is 'a', " + IDENTITY_LIST),
                identity("a*"),
                identity("*"),
                identity("/*"),
                identity("a.test/*"),
                identity("https://a.test/*"),
                identity("spiffe://*"),
                identity("spiffe:///*"),
                identity("spiffe://mesh"),
                identity("spiffe://mesh/"),
                identity("spiffe://Mesh/a"),
                identity("spiffe://mesh/ns*"),
                identity("spiffe://mesh/*/a"),
                identity("spiffe://mesh//*"),
                identity("a b"),
                identity(""),
                bad(
                        "headers: {x-forwarded-client-cert: off}",
                        "3:40: x-forwarded-client-cert is 'off', expected one of " + "sanitize, append, replace"),
                bad("routes: []", "4:14: cluster cannot be combined with routes", EMPTY_ROUTES),
                bad("routes: [{cluster: app}]", "4:14: cluster cannot be combined with routes"));
    }

    private static final String UNPROVED =
            "an identity requires tls with " + "client-certificates: optional or required";

    private static final String IDENTITY_LIST = "expected a list of at least one identity";

    private static Arguments network(String cidr, String problem) {
        return bad("trust: {cidrs: ['" + cidr + "']}", "3:21: " + problem);
    }

    private static Arguments identity(String identity) {
        return bad(
                "require-identity: ['" + identity + "']",
                "3:23: " + UNPROVED,
                "3:24: identity is " + (identity.isEmpty() ? "empty" : "'" + identity + "'")
                        + ", expected a URI, a DNS name, or spiffe://DOMAIN/PATH/* for all below a path");
    }

    private static final String EMPTY_ROUTES =
            "3:13: routes is an empty list, expected a list of at least one route, or a cluster for all requests";

    /** One route in flow style, and the problems. */
    static Stream<Arguments> routes() {
        return Stream.of(
                bad("{}", "4:9: missing cluster, expected the name of a cluster"),
                bad("app", "4:9: route is 'app', expected a mapping"),
                bad("{cluster: ap}", "4:19: cluster 'ap' does not exist, did you mean 'app'?"),
                bad("{cluster: backend}", "4:19: cluster 'backend' does not exist, expected app"),
                bad("{cluster: app, clutser: app}", "4:24: unknown key 'clutser', did you mean 'cluster'?"),
                bad("{cluster: app, match: {pth: /}}", "4:32: unknown key 'pth', did you mean 'path'?"),
                bad("{cluster: app, match: {path: a}}", "4:38: path is 'a', expected a path that begins with '/'"),
                bad(
                        "{cluster: app, match: {path: '/a?b'}}",
                        "4:38: path '/a?b' has a '?', expected visible ASCII without '?' and '#'"),
                bad(
                        "{cluster: app, match: {prefix: '/a b'}}",
                        "4:40: prefix '/a b' has a ' ', expected visible ASCII without '?' and '#'"),
                bad("{cluster: app, match: {path: /a, prefix: /a}}", "4:50: prefix cannot be combined with path"),
                bad("{cluster: app, match: {method: get}}", "4:40: method 'get' never matches, expected 'GET'"),
                bad(
                        "{cluster: app, match: {method: 'G T'}}",
                        "4:40: method is 'G T', expected a token of letters, digits and !#$%&'*+-.^_`|~"),
                bad(
                        "{cluster: app, match: {host: 'a:80'}}",
                        "4:38: host is 'a:80', expected a host without a port, or '*.' and a suffix"),
                bad(
                        "{cluster: app, match: {host: '*'}}",
                        "4:38: host is '*', expected a host without a port, or '*.' and a suffix"),
                bad(
                        "{cluster: app, match: {host: 'a.*.b'}}",
                        "4:38: host is 'a.*.b', expected a host without a port, or '*.' and a suffix"),
                bad(
                        "{cluster: app, match: {host: 'a..b'}}",
                        "4:38: host is 'a..b', expected a host without a port, or '*.' and a suffix"),
                bad(
                        "{cluster: app, match: {host: '[fe80::1%eth0]'}}",
                        "4:38: host is '[fe80::1%eth0]', expected a host without a port, or '*.' and a suffix"),
                bad("{cluster: app, require-identity: [a]}", "4:42: " + UNPROVED),
                bad("{cluster: app, match: {identity: a}}", "4:42: " + UNPROVED),
                bad(
                        "{cluster: app, match: {identity: 'a*'}}",
                        "4:42: an identity requires tls with client-certificates: optional " + "or required",
                        "4:42: identity is 'a*', expected a URI, a DNS name, or spiffe://DOMAIN/PATH/* for all below a"
                                + " path"),
                bad(
                        "{cluster: app, match: {headers: {X-Forwarded-Client-Cert: x}}}",
                        "4:42: header 'X-Forwarded-Client-Cert' cannot be matched without trust; use identity, or set"
                                + " trust"),
                bad("{cluster: app, match: {headers: [a]}}", "4:41: headers is a list, expected a mapping"),
                bad(
                        "{cluster: app, match: {headers: {'a b': x}}}",
                        "4:42: header is 'a b', expected a token of letters, digits and !#$%&'*+-.^_`|~"),
                bad(
                        "{cluster: app, match: {headers: {X-A: 1, x-a: 2}}}",
                        "4:50: header 'x-a' is listed twice; names are case-insensitive"),
                bad(
                        "{cluster: app, match: {headers: {x-a: ' 1'}}}",
                        "4:47: header 'x-a' is ' 1', expected visible ASCII, with spaces only inside"),
                bad(
                        "{cluster: app, match: {headers: {x-a: \"1\\r\\nb: 2\"}}}",
                        "4:47: header 'x-a' is '1  b: 2', expected visible ASCII, with spaces only inside"),
                bad(
                        "{cluster: app}\n      - {cluster: app, match: {path: /a}}",
                        "5:9: route is never reached, because the one on line 4 matches every request; "
                                + "move that one to the end"),
                bad(
                        "{cluster: app, match: {}}\n      - {cluster: app, match: {path: /a}}",
                        "5:9: route is never reached, because the one on line 4 matches every request; "
                                + "move that one to the end"));
    }

    /** A cluster in flow style, and the problems. */
    static Stream<Arguments> clusters() {
        String host = ", expected a name, an IPv4 address or an IPv6 address in brackets";
        String address = ", expected HOST:PORT or [IPV6]:PORT";
        return Stream.of(
                bad("{}", "5:8: missing endpoints, expected a list of at least one HOST:PORT"),
                bad("off", "5:8: cluster 'app' is 'off', expected a mapping"),
                bad("{endpoints: []}", "5:20: endpoints is an empty list, expected a list of at least one HOST:PORT"),
                bad("{endpoints: 'a:1'}", "5:20: endpoints is 'a:1', expected a list of at least one HOST:PORT"),
                bad("{endpoints: [[]]}", "5:21: endpoint is a list" + address),
                bad("{endpoints: [a]}", "5:21: endpoint is 'a'" + address),
                bad("{endpoints: ['']}", "5:21: endpoint is empty" + address),
                bad("{endpoints: ['::1:80']}", "5:21: endpoint is '::1:80'" + address),
                bad("{endpoints: ['[::1]']}", "5:21: endpoint is '[::1]'" + address),
                bad("{endpoints: ['a:']}", "5:21: endpoint 'a:' has the port '', expected 1 to 65535"),
                bad("{endpoints: ['a:0']}", "5:21: endpoint 'a:0' has the port '0', expected 1 to 65535"),
                bad("{endpoints: ['a:65536']}", "5:21: endpoint 'a:65536' has the port '65536', expected 1 to 65535"),
                bad("{endpoints: ['a:-1']}", "5:21: endpoint 'a:-1' has the port '-1', expected 1 to 65535"),
                bad(
                        "{endpoints: ['a:18446744073709551617']}",
                        "5:21: endpoint 'a:18446744073709551617' has the port '18446744073709551617', expected 1 to"
                                + " 65535"),
                bad("{endpoints: [':80']}", "5:21: endpoint ':80' has the host ''" + host),
                bad("{endpoints: ['a b:80']}", "5:21: endpoint 'a b:80' has the host 'a b'" + host),
                bad("{endpoints: ['http//a:80']}", "5:21: endpoint 'http//a:80' has the host 'http//a'" + host),
                bad("{endpoints: ['256.0.0.1:80']}", "5:21: endpoint '256.0.0.1:80' has the host '256.0.0.1'" + host),
                bad("{endpoints: ['010.0.0.1:80']}", "5:21: endpoint '010.0.0.1:80' has the host '010.0.0.1'" + host),
                bad("{endpoints: ['10.0.1:80']}", "5:21: endpoint '10.0.1:80' has the host '10.0.1'" + host),
                bad("{endpoints: ['[::g]:80']}", "5:21: endpoint '[::g]:80' has the host '[::g]'" + host),
                bad("{endpoints: ['[1.2.3.4]:80']}", "5:21: endpoint '[1.2.3.4]:80' has the host '[1.2.3.4]'" + host),
                bad("{endpoints: ['a:1', 'A:1']}", "5:28: endpoint 'A:1' is listed twice"),
                bad("{endpoints: ['a:1'], max-connections: 0}", "5:46: max-connections is '0', expected 1 to 1000000"),
                bad(
                        "{endpoints: ['a:1'], max-connections: 9, max-idle-connections: 10}",
                        "5:71: max-idle-connections is '10', expected 0 to 9"),
                bad(
                        "{endpoints: ['a:1'], protocol: h2}",
                        "5:39: protocol is 'h2', expected one of http1, http2, auto, client, tcp"),
                bad("{endpoints: ['a:1'], protocol: auto}", "5:39: protocol: auto requires tls, because it uses ALPN"),
                bad("{endpoints: ['a:1'], http2: {}}", "5:36: http2 requires protocol: http2, auto or client"),
                bad(
                        "{endpoints: ['a:1'], protocol: http2, http2: {max-streams: 0}}",
                        "5:67: max-streams is '0', expected 1 to 10000"),
                bad("{endpoints: ['a:1'], timeouts: {connect: 1}}", "5:49: connect is '1' without a unit, " + DURATION),
                bad("{resolver: off}", "5:19: resolver is 'off', expected a mapping"),
                bad(
                        "{endpoints: ['a:1'], weight: 1}",
                        "5:29: unknown key 'weight', expected one of endpoints, resolver, template, dest,"
                                + " original-destination, max-connections, max-idle-connections, limits, timeouts, tls,"
                                + " protocol, http2, balancer, retries, accrual, breakers, health-check, panic-below,"
                                + " proxy-protocol"));
    }

    /** Whole files. */
    static Stream<Arguments> files() {
        String empty = "1:1: the file is empty, expected a mapping with listeners and clusters";
        String noListeners = "missing listeners, expected a list of at least one listener";
        String noClusters = "missing clusters, expected a mapping of names to clusters";
        return Stream.of(
                bad("", empty),
                bad("# nothing\n", empty),
                bad("---\n", "2:1: the file is empty, expected a mapping"),
                bad("hello", "1:1: the file is 'hello', expected a mapping"),
                bad("- a", "1:1: the file is a list, expected a mapping"),
                bad("{}", "1:1: " + noClusters, "1:1: " + noListeners),
                bad("workers: 1", "1:1: " + noClusters, "1:1: " + noListeners),
                bad(
                        "clusters: {}\nlisteners: []",
                        "2:12: listeners is an empty list, expected a list of at least one listener"),
                bad(
                        "clusters: []\nlisteners: [{address: 'a:1', cluster: b}]",
                        "1:11: clusters is a list, expected a mapping"),
                bad(
                        "clusters: {}\nlisteners: [{address: 'a:1', cluster: b}]",
                        "2:39: cluster 'b' does not exist, expected a key of clusters"),
                bad(
                        Yaml.MINIMAL.replace("app:", "a b:"),
                        "3:14: cluster 'app' does not exist, expected a b",
                        "5:3: the name of a cluster is 'a b', expected 1 to 64 letters, digits, '.', '_', '-' or '/'"),
                bad(
                        Yaml.MINIMAL.replace(
                                "clusters:", "  - {name: listener-1, address: '[::]:8080', cluster: app}\nclusters:"),
                        "4:12: the name 'listener-1' is used by another listener, expected a different one",
                        "4:33: address '[::]:8080' is already used by listener 'listener-1' on 0.0.0.0:8080; use"
                                + " another address"),
                bad(
                        Yaml.MINIMAL.replace("8080", "9990"),
                        "2:14: address '0.0.0.0:9990' is already used by admin on 127.0.0.1:9990; use another address"),
                bad(Yaml.MINIMAL + "workers: 1\nworkers: 2\n", "8:1: duplicate key 'workers', first set on line 7"),
                bad(Yaml.MINIMAL + "---\nworkers: 1\n", "7:1: only one document is allowed"),
                bad(Yaml.MINIMAL + "via: &a x\n", "7:6: anchors are not allowed, expected only the value"),
                bad(Yaml.MINIMAL + "via: *a\n", "7:6: aliases are not allowed, expected the value itself"),
                bad(Yaml.MINIMAL + "via: !!str x\n", "7:6: tags are not allowed, expected only the value"),
                bad(Yaml.MINIMAL + "admin: !!map {}\n", "7:8: tags are not allowed, expected only the value"),
                bad(
                        Yaml.MINIMAL + "<<: {workers: 1}\n",
                        "7:1: merge keys are not allowed, expected the keys themselves"),
                bad(Yaml.MINIMAL + "? [a]\n: b\n", "7:3: a list as a key, expected text"),
                bad(Yaml.MINIMAL + "&a b: c\n", "7:1: anchors are not allowed, expected only the value"));
    }

    /** Text that is no YAML, or no text. */
    static Stream<Arguments> syntax() {
        return Stream.of(
                bad("a: [1\nb: 2", "2:2: not YAML: expected ',' or ']', but got : while parsing a flow sequence"),
                bad("a: 1\n b: 2", "2:3: not YAML: mapping values are not allowed here"),
                bad(
                        "a:\n\tb: 1",
                        "2:1: not YAML: found character '\\t(TAB)' that cannot start any token. "
                                + "(Do not use \\t(TAB) for indentation) while scanning for the next token"),
                bad(
                        "a: {b: ${PORT}}",
                        "1:9: not YAML: expected ',' or '}', but got { while parsing a flow mapping, "
                                + "expected quotes around ${NAME} between { } or [ ]"),
                bad("%YAML 2.0\n---\na: b", "1:1: not YAML: Version{major=2, minor=0}"),
                bad("ab\u0001", "1:3: a control character, expected text"),
                bad("a\r\nb\rc\u0000", "3:2: a control character, expected text"),
                bad("a: " + "[".repeat(17), "1:19: nested too deeply, expected at most 16 levels"),
                bad("a: " + "[".repeat(100_000), "1:19: nested too deeply, expected at most 16 levels"));
    }

    @ParameterizedTest
    @MethodSource
    void heads(String line, List<String> problems) {
        assertThat(Yaml.problems(line + "\n" + Yaml.MINIMAL)).isEqualTo(problems);
    }

    @ParameterizedTest
    @MethodSource
    void listeners(String line, List<String> problems) {
        String yaml = Yaml.MINIMAL.replace("    cluster: app", "    " + line + "\n    cluster: app");

        assertThat(Yaml.problems(yaml)).containsExactlyInAnyOrderElementsOf(problems);
    }

    @ParameterizedTest
    @MethodSource
    void routes(String route, List<String> problems) {
        String yaml = Yaml.MINIMAL.replace("    cluster: app", "    routes:\n      - " + route);

        assertThat(Yaml.problems(yaml)).isEqualTo(problems);
    }

    @ParameterizedTest
    @MethodSource
    void clusters(String cluster, List<String> problems) {
        String yaml = Yaml.MINIMAL.replaceAll("  app:\n.*", "  app: " + cluster);

        assertThat(Yaml.problems(yaml)).isEqualTo(problems);
    }

    @ParameterizedTest
    @MethodSource
    void files(String yaml, List<String> problems) {
        assertThat(Yaml.problems(yaml)).isEqualTo(problems);
    }

    @ParameterizedTest
    @MethodSource
    void syntax(String yaml, List<String> problems) {
        assertThat(Yaml.problems(yaml)).isEqualTo(problems);
    }

    @Test
    void refusesWhatIsNotUtf8() {
        byte[] yaml = {'a', '\n', 'b', (byte) 0xC3, (byte) 0xA9, (byte) 0xC3, '('};

        assertThat(Yaml.problems(yaml)).containsExactly("2:3: bytes that are not UTF-8, expected UTF-8 text");
    }

    @Test
    void takesTheReplacementCharacterItself() {
        assertThat(Yaml.problems("# \uFFFD\n" + Yaml.MINIMAL)).isEmpty();
    }

    @Test
    void refusesWhatIsTooLarge() {
        byte[] yaml = new byte[SourceText.MAX_BYTES + 1];
        Arrays.fill(yaml, (byte) '#');

        assertThat(Yaml.problems(yaml)).containsExactly("1:1: the file is too large, expected at most 1MiB");
        assertThat(Yaml.problems(Arrays.copyOf(yaml, SourceText.MAX_BYTES)))
                .containsExactly("1:1: the file is empty, expected a mapping with listeners and clusters");
    }

    @Test
    void reportsAllOfManyProblems() {
        StringBuilder yaml = new StringBuilder();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            yaml.append("unknown-").append(i).append(": 1\n");
            expected.add(i + 1 + ":1: unknown key 'unknown-" + i);
        }

        List<String> problems = Yaml.problems(yaml + Yaml.MINIMAL);

        assertThat(problems).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(problems.get(i)).startsWith(expected.get(i));
        }
    }

    @Test
    void cutsWhatWouldNotFitOnALine() {
        assertThat(Yaml.problems("via: \"" + "\\n\\e".repeat(500) + "\"\n" + Yaml.MINIMAL))
                .containsExactly("1:6: via is '" + " ".repeat(60)
                        + "...', expected a token of letters, digits and !#$%&'*+-.^_`|~");
    }

    private static Arguments bad(String yaml, String... problems) {
        return Arguments.of(yaml, List.of(problems));
    }
}
