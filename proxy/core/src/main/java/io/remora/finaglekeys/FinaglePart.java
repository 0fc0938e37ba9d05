package io.remora.finaglekeys;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.PlacedText;
import io.remora.config.model.RouteConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.AddressText;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader of the keys that only Finagle's engine has a use for, and their rules. Loaded only where one is configured. */
public final class FinaglePart implements FeaturePart {
    public static final String PLUGINS = "plugins";
    public static final String FINAGLE = "finagle";
    public static final String REQUEST_DTAB = "request-dtab";
    public static final String ANNOUNCE = "announce";
    public static final String DEST = "dest";
    public static final String DTAB = "dtab";

    @Override
    public Options read(FeatureSection from, Options options) {
        Section section = from.section;
        return switch (from.key) {
            case PLUGINS -> options.with(PluginsConfig.PLUGINS, plugins(section, from.problems));
            case FINAGLE -> options.with(FinagleConfig.FINAGLE, finagle(section));
            case REQUEST_DTAB -> options.with(RequestDtabConfig.REQUEST_DTAB, requestDtab(section));
            case ANNOUNCE -> options.with(AnnounceConfig.ANNOUNCE, announce(section, from));
            case DEST -> options.with(ClusterConfig.DEST, dest(section, from.problems));
            default -> options.with(RouteConfig.DTAB, placed(section.text(ListenerKeys.ROUTE_DTAB)));
        };
    }

    private static @Nullable PluginsConfig plugins(Section root, Problems problems) {
        Section section = root.sectionOrOff(OperatorKeys.PLUGINS);
        if (section == null) {
            return null;
        }
        Node directory = section.requiredText(PluginsConfig.DIRECTORY, "the directory of their jars");
        List<PlacedText> filters = new ArrayList<>();
        for (Node node : section.requiredList(PluginsConfig.FILTERS, "a list of at least one class name")) {
            if (node.kind == Node.Kind.TEXT && !node.text.isBlank()) {
                filters.add(node.placed());
            } else {
                problems.at(node, "filters has " + node.quoted() + ", expected the name of a class");
            }
        }
        section.end();
        return directory == null ? null : new PluginsConfig(directory.placed(), List.copyOf(filters));
    }

    private static FinagleConfig finagle(Section root) {
        Section section = root.section(OperatorKeys.FINAGLE);
        Node dtab = section.text(FinagleConfig.DTAB);
        section.end();
        return new FinagleConfig(section.node.placed(), placed(dtab));
    }

    private static @Nullable RequestDtabConfig requestDtab(Section listener) {
        Section section = listener.sectionOrOff(ListenerKeys.REQUEST_DTAB);
        if (section == null || section.node.isBroken()) {
            return null;
        }
        List<PlacedText> allow = names(section, RequestDtabConfig.ALLOW);
        section.end();
        return new RequestDtabConfig(section.node.placed(), allow);
    }

    private static @Nullable AnnounceConfig announce(Section listener, FeatureSection from) {
        Section section = listener.sectionOrOff(ListenerKeys.ANNOUNCE);
        if (section == null || section.node.isBroken()) {
            return null;
        }
        List<PlacedText> names = names(section, AnnounceConfig.NAMES);
        Node node = section.text(AnnounceConfig.ADDRESS);
        Address address = node == null ? from.address() : AddressText.read(node, "announce.address", 0, from.problems);
        section.end();
        return address == null ? null : new AnnounceConfig(names, address);
    }

    private static @Nullable PlacedText dest(Section cluster, Problems problems) {
        Node dest = cluster.text(ClusterKeys.DEST);
        if (dest == null) {
            return null;
        }
        for (Key key : new Key[] {ClusterKeys.ENDPOINTS, ClusterKeys.RESOLVER, ClusterKeys.TEMPLATE}) {
            if (cluster.has(key)) {
                problems.at(dest, "dest cannot be combined with " + key.name);
            }
        }
        return dest.placed();
    }

    private static List<PlacedText> names(Section section, Key key) {
        List<PlacedText> names = new ArrayList<>();
        for (Node name : section.requiredList(key, "a list of at least one name")) {
            names.add(name.placed());
        }
        return List.copyOf(names);
    }

    private static @Nullable PlacedText placed(@Nullable Node node) {
        return node == null ? null : node.placed();
    }

    @Override
    public void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {
        AnnounceConfig announce = AnnounceConfig.of(listener);
        if (announce == null) {
            return;
        }
        Address bound = listener.address();
        if (bound.isUnix()) {
            flaws.add(unreachable(path + ".announce", bound));
        }
        Address address = announce.address();
        if (address.isWildcard() || address.host().indexOf('%') >= 0) {
            flaws.add(unreachable(path + ".announce.address", address));
        }
    }

    private static Flaw unreachable(String path, Address address) {
        return new Flaw(path, "announce with the address " + address + ", expected an address that others can reach");
    }
}
