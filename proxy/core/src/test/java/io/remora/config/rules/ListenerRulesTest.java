package io.remora.config.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Address;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ListenerSecurity;
import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.config.model.PlacedText;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.model.RoutePolicy;
import io.remora.feature.FeatureList;
import io.remora.feature.trust.TrustConfig;
import io.remora.finaglekeys.AnnounceConfig;
import io.remora.finaglekeys.RequestDtabConfig;
import io.remora.proxyprotocol.ProxyProtocolConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A model that no file has said is judged, and its flaws are named by paths. */
final class ListenerRulesTest {
    private static final String PATH = "listeners[3]";

    private static List<String> flaws(ListenerConfig listener) {
        NamedClusters unknown = new NamedClusters(null);
        List<Flaw> flaws = new ArrayList<>(new FeatureList().judge(listener, unknown, PATH));
        flaws.addAll(ListenerRules.judge(listener, unknown, PATH));
        return flaws.stream().map(flaw -> flaw.path() + ": " + flaw.message()).toList();
    }

    private static ListenerConfig listener(Address address, Options options, RouteConfig... routes) {
        ForwardingMode off = ForwardingMode.OFF;
        HeaderPolicy headers = new HeaderPolicy(
                off, off, off, off, ForwardingMode.SANITIZE, false, RequestIdMode.OFF, Underscores.PASS);
        return new ListenerConfig(
                "in",
                address,
                headers,
                new Limits(1, 1, 1, 1, 1, 1, Limits.UNLIMITED),
                new FrontendTimeouts(1, 1, 1, Limits.UNLIMITED),
                PathConfig.DEFAULT,
                List.of(routes),
                options);
    }

    private static ListenerConfig listener(Options options, RouteConfig... routes) {
        return listener(new Address("127.0.0.1", 1), options, routes);
    }

    @Test
    void aPlainListenerHasNone() {
        assertThat(flaws(listener(Options.NONE, new RouteConfig("r", RouteMatch.EVERYTHING, "app"))))
                .isEmpty();
    }

    @Test
    void identitiesNeedCertificates() {
        Options required = Options.NONE.with(ListenerConfig.REQUIRED_IDENTITIES, List.of("a"));
        RouteMatch match = new RouteMatch(null, null, null, null, Map.of(), "a");
        ListenerConfig listener = listener(
                required.with(TrustConfig.TRUST, new TrustConfig(List.of(), List.of("a"), 0, false)),
                new RouteConfig("r", match, "app"),
                new RouteConfig("s", RouteMatch.EVERYTHING, "app", null, required));
        String message = ": an identity requires tls with client-certificates: optional or required";
        assertThat(flaws(listener))
                .containsExactly(
                        PATH + ".trust.identities" + message,
                        PATH + ".require-identity" + message,
                        PATH + ".routes[0].match.identity" + message,
                        PATH + ".routes[1].require-identity" + message);
    }

    @Test
    void aStreamThatMayRestIsWatched() {
        RoutePolicy policy = new RoutePolicy(Limits.UNLIMITED, Limits.UNLIMITED, Limits.UNLIMITED);
        RouteConfig route = new RouteConfig("r", RouteMatch.EVERYTHING, "app", policy, Options.NONE);
        assertThat(flaws(listener(Options.NONE, route)))
                .singleElement()
                .asString()
                .startsWith(PATH + ".routes[0].timeouts.stream-idle: stream-idle: off requires a check");
        assertThat(flaws(listener(new Address("/run/a", 0), Options.NONE, route)))
                .isEmpty();
    }

    @Test
    void partsNeedOneAnother() {
        PlacedText text = new PlacedText("/a", 1, 1);
        Options options = Options.NONE
                .with(RequestDtabConfig.REQUEST_DTAB, new RequestDtabConfig(text, List.of(text)))
                .with(ProxyProtocolConfig.PROXY_PROTOCOL, new ProxyProtocolConfig(List.of("10.0.0.0/8")));
        assertThat(flaws(listener(new Address("/run/a", 0), options)))
                .containsExactly(
                        PATH + ".proxy-protocol: proxy-protocol requires a listener on a port",
                        PATH + ".request-dtab: request-dtab requires trust");
    }

    @Test
    void anAnnouncedAddressIsOneThatOthersCanReach() {
        PlacedText name = new PlacedText("zk!a:2181!/app!0", 1, 1);
        Address any = new Address("0.0.0.0", 1);
        Options wildcard = Options.NONE.with(AnnounceConfig.ANNOUNCE, new AnnounceConfig(List.of(name), any));
        assertThat(flaws(listener(wildcard)))
                .containsExactly(PATH + ".announce.address: announce with the address 0.0.0.0:1, expected an"
                        + " address that others can reach");
        Address socket = new Address("/run/a", 0);
        Options unix = Options.NONE.with(AnnounceConfig.ANNOUNCE, new AnnounceConfig(List.of(name), socket));
        assertThat(flaws(listener(socket, unix)))
                .containsExactly(PATH + ".announce: announce with the address " + socket
                        + ", expected an address that others can reach");
        Address reachable = new Address("10.1.2.3", 0);
        Options well = Options.NONE.with(AnnounceConfig.ANNOUNCE, new AnnounceConfig(List.of(name), reachable));
        assertThat(flaws(listener(well))).isEmpty();
    }

    @Test
    void aServerNameIsReadWhereTlsGoesOn() {
        RouteMatch match = new RouteMatch("a.test", null, null, null, Map.of(), null);
        RouteConfig route = new RouteConfig("r", match, "app");
        Options tcp = Options.NONE.with(ListenerConfig.TCP, true);
        assertThat(flaws(listener(tcp, route))).isEmpty();
        ListenerSecurity tls = new ListenerSecurity() {
            @Override
            public boolean asksForCertificates() {
                return false;
            }

            @Override
            public boolean requiresCertificates() {
                return asksForCertificates();
            }

            @Override
            public long handshakeTimeoutNs() {
                return 1;
            }
        };
        assertThat(flaws(listener(tcp.with(ListenerConfig.TLS, tls), route)))
                .containsExactly(PATH + ".routes[0].match.sni: match.sni cannot be combined with tls of the listener");
        assertThat(flaws(listener(Options.NONE.with(ListenerConfig.TLS, tls), route)))
                .isEmpty();
    }
}
