package io.remora.config.rules;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Rules on a whole configuration, wherever it came from: a file, a control plane or a test. Loaded only where there are several
 * listeners, or one has more than it must.
 */
public final class ProxyRules {
    private ProxyRules() {}

    /**
     * Returns the flaws, in the order of the listeners.
     *
     * @param features judges a listener, which stands at a path, by the rules of the features that it has
     */
    public static List<Flaw> judge(ProxyConfig config, BiFunction<ListenerConfig, String, List<Flaw>> features) {
        List<Flaw> flaws = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (ListenerConfig listener : config.listeners()) {
            String path = "listeners[" + names.size() + "]";
            if (names.contains(listener.name())) {
                String what = "the name " + Ascii.quote(listener.name()) + " for a second listener";
                flaws.add(new Flaw(path + ".name", what + ", expected each to have its own"));
            }
            names.add(listener.name());
            flaws.addAll(ListenerRules.judge(listener, config.clusters(), path));
            flaws.addAll(features.apply(listener, path));
        }
        return flaws;
    }
}
