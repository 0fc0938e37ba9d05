package io.remora.finagle;

import com.twitter.finagle.Dtab;
import com.twitter.finagle.Path;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.PlacedText;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.feature.mirror.MirrorConfig;
import io.remora.finaglekeys.AnnounceConfig;
import io.remora.finaglekeys.FinagleConfig;
import io.remora.finaglekeys.RequestDtabConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Judges the names and dtabs of a configuration: whether they can be read, and lead anywhere. Looks nothing up. */
final class NameChecks {
    private static final String EXPECTED =
            ", expected an end such as /#/CLUSTER, /$/inet/HOST/PORT or zk!HOST:PORT!/PATH";

    private final String configuration;
    private final ProxyConfig config;
    private final List<Problem> problems = new ArrayList<>();

    private NameChecks(String configuration, ProxyConfig config) {
        this.configuration = configuration;
        this.config = config;
    }

    /**
     * @param configuration the configuration's name, as the reader knows it
     */
    static List<Problem> problems(String configuration, ProxyConfig config) {
        NameChecks checks = new NameChecks(configuration, config);
        Dtab base = checks.dtab("finagle.dtab", FinagleConfig.dtab(config));
        for (ListenerConfig listener : config.listeners()) {
            RequestDtabConfig asked = RequestDtabConfig.of(listener);
            for (PlacedText allowed : asked == null ? List.<PlacedText>of() : asked.allow()) {
                checks.read("request-dtab.allow", allowed, Path::read);
            }
        }
        checks.announcements();
        for (ClusterConfig cluster : config.clusters().values()) {
            PlacedText dest = cluster.dest();
            if (dest != null) {
                Path name = checks.read("dest", dest, Place::path);
                checks.cluster(cluster.name(), dest, name, base);
            }
        }
        return checks.problems;
    }

    private void announcements() {
        Map<MemberName, PlacedText> names = new LinkedHashMap<>();
        for (ListenerConfig listener : config.listeners()) {
            AnnounceConfig announce = AnnounceConfig.of(listener);
            for (PlacedText text : announce == null ? List.<PlacedText>of() : announce.names()) {
                MemberName name = read("announce.names", text, MemberName::of);
                if (name != null && names.putIfAbsent(name, text) != null) {
                    problem(text, "announce.names lists '" + text + "' twice");
                }
            }
        }
        names.forEach((name, at) -> {
            if (!names.containsKey(new MemberName(name.member(), null))) {
                String main = ", expected " + name.member() + " as well, or in another listener";
                problem(at, "announce.names has '" + at + "', which is an additional endpoint of no member" + main);
            }
        });
    }

    private <T> @Nullable T read(String key, PlacedText text, Function<String, T> as) {
        try {
            return as.apply(text.text());
        } catch (IllegalArgumentException e) {
            problem(text, key + " cannot be read: " + e.getMessage());
            return null;
        }
    }

    private @Nullable Dtab dtab(String key, @Nullable PlacedText text) {
        return text == null ? Dtab.emptyDtab() : read(key, text, Dtab::read);
    }

    private void problem(PlacedText at, String message) {
        problems.add(at.problem(configuration, message));
    }

    // each route to it has delegations of its own
    private void cluster(String cluster, PlacedText dest, @Nullable Path name, @Nullable Dtab base) {
        boolean plain = true;
        for (ListenerConfig listener : config.listeners()) {
            for (RouteConfig route : listener.routes()) {
                PlacedText text = route.dtab();
                boolean takes = takes(route, cluster);
                if (takes && text != null) {
                    Dtab own = dtab("dtab of route " + route.name(), text);
                    judge(text, "dest " + dest + " with the dtab of route " + route.name(), name, base, own);
                }
                // copies follow no delegations of the route
                if ((takes && text == null || copies(route, cluster)) && plain) {
                    plain = false;
                    judge(dest, "dest " + dest, name, base, Dtab.emptyDtab());
                }
            }
        }
    }

    private static boolean takes(RouteConfig route, String cluster) {
        boolean takes = route.cluster().equals(cluster);
        for (RouteConfig one : route.choices()) {
            takes |= one.cluster().equals(cluster);
        }
        return takes;
    }

    private static boolean copies(RouteConfig route, String cluster) {
        MirrorConfig mirror = route.options().get(MirrorConfig.MIRROR);
        return mirror != null && mirror.cluster().equals(cluster);
    }

    private void judge(PlacedText at, String what, @Nullable Path name, @Nullable Dtab base, @Nullable Dtab own) {
        if (name == null || base == null || own == null) {
            return;
        }
        Set<Path> ends;
        try {
            ends = NameWalk.ends(base.concat(own), name);
        } catch (IllegalArgumentException e) {
            problem(at, what + " leads nowhere, " + e.getMessage());
            return;
        }
        StringBuilder nowhere = new StringBuilder();
        for (Path end : ends) {
            String why = whyNot(Place.of(end));
            if (why == null) {
                return;
            }
            nowhere.append(nowhere.isEmpty() ? "" : "; ").append(end.show()).append(why);
        }
        if (!ends.isEmpty()) {
            problem(at, what + " leads nowhere: " + nowhere + EXPECTED);
        }
    }

    private @Nullable String whyNot(Place place) {
        if (place.kind() != Place.Kind.CLUSTER) {
            return place.kind() == null ? " has no delegation" : null;
        }
        ClusterConfig cluster = config.clusters().get(place.text());
        if (cluster == null) {
            return " is no cluster";
        }
        return cluster.has(ClusterConfig.TEMPLATE) || cluster.dest() != null ? " has no endpoints of its own" : null;
    }
}
