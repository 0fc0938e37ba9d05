package io.remora.feature.trust;

import io.remora.config.keys.Units;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.PeerReader;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import java.util.ArrayList;
import java.util.List;

/** Reads a listener's {@code trust}. */
final class TrustReader {
    private static final int MAX_HOPS = 16;

    private TrustReader() {}

    static TrustConfig read(Section section, Problems problems) {
        List<String> cidrs = new ArrayList<>();
        if (section.has(TrustKeys.CIDRS)) {
            for (Node node : section.requiredList(TrustKeys.CIDRS, "a list of at least one network")) {
                cidrs.add(PeerReader.cidr(node, problems));
            }
        }
        List<String> identities = PeerReader.identities(section, TrustKeys.IDENTITIES, problems);
        int hops = hops(section, problems);
        boolean forwarded = field(section, problems);
        boolean anybody = section.has(TrustKeys.CIDRS) || section.has(TrustKeys.IDENTITIES);
        if (!anybody && !section.has(TrustKeys.HOPS)) {
            problems.at(section.node, "trust requires cidrs, identities or hops");
        }
        section.end();
        return new TrustConfig(List.copyOf(cidrs), identities, hops, forwarded);
    }

    private static int hops(Section section, Problems problems) {
        Node node = section.text(TrustKeys.HOPS);
        if (node == null) {
            return 0;
        }
        if (section.has(TrustKeys.CIDRS) || section.has(TrustKeys.IDENTITIES)) {
            problems.at(node, "hops cannot be combined with cidrs or identities");
        }
        return (int) node.number(Units.NONE, TrustKeys.HOPS.name, 1, 1, MAX_HOPS, problems);
    }

    private static boolean field(Section section, Problems problems) {
        Node node = section.text(TrustKeys.FIELD);
        String byDefault = TrustKeys.FIELD.fallbackText();
        if (node != null && !node.isText(TrustKeys.FORWARDED) && !node.isText(byDefault)) {
            String expected = ", expected one of " + byDefault + ", " + TrustKeys.FORWARDED;
            problems.at(node, TrustKeys.FIELD.name + " is " + node.quoted() + expected);
        }
        return node != null && node.isText(TrustKeys.FORWARDED);
    }
}
