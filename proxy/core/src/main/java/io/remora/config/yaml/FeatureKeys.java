package io.remora.config.yaml;

import io.remora.config.model.Options;
import java.util.List;

/** The keys of listeners and of routes that features own, and their readers. This package knows none of them. */
public interface FeatureKeys {
    /** Returns the names of the keys of listeners. */
    List<String> ofListeners();

    /** Returns the names of the keys of routes. */
    List<String> ofRoutes();

    /** Returns whether a key has a meaning where connections are tunnels. */
    boolean isForTunnels(String name);

    /** Returns whether a key of routes is about requests that go to an endpoint. */
    boolean isForForwarding(String name);

    /** Reads and judges what stands under a key that is given, and returns the options with it. */
    Options read(String name, FeatureSection from, Options options);
}
