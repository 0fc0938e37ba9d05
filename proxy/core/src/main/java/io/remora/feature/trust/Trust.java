package io.remora.feature.trust;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.ListenerRules;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Section;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.http.FieldName;
import io.remora.http.RequestDtab;
import java.util.ArrayList;
import java.util.List;

/** Trust of listeners in peers that say who the client is. Immutable. */
public final class Trust implements Feature {
    /** The name of its key. */
    public static final String NAME = "trust";

    @Override
    public Options read(FeatureSection from, Options options) {
        Section section = from.section.sectionOrOff(TrustKeys.TRUST);
        return section == null ? options : options.with(TrustConfig.TRUST, TrustReader.read(section, from.problems));
    }

    @Override
    public void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {
        TrustConfig trust = listener.options().get(TrustConfig.TRUST);
        if (trust != null && !trust.identities().isEmpty() && !ListenerRules.asksForCertificates(listener)) {
            flaws.add(ListenerRules.unproved(path + ".trust.identities"));
        }
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        TrustConfig trust = listener.options().get(TrustConfig.TRUST);
        if (trust != null) {
            path.at(Slot.TRUST).add(new TrustPeers(trust, believed(listener)));
        }
    }

    /** Returns further fields that count from trusted peers only. */
    private static List<FieldName> believed(ListenerConfig listener) {
        List<FieldName> names = new ArrayList<>();
        String callerHeader = listener.timeouts().callerHeader();
        if (callerHeader != null) {
            names.add(FieldName.of(callerHeader));
        }
        if (listener.options().has(ListenerConfig.REQUEST_DTAB)) {
            names.addAll(RequestDtab.FIELDS);
        }
        return names;
    }
}
