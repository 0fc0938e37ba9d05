package io.remora.config.yaml;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import java.util.List;

/** The keys that features own, their readers, and their rules. This package knows none of them. */
public interface FeatureKeys {
    /** Returns the names of the keys at the top of the file. */
    List<String> ofTop();

    /** Returns the names of the keys of listeners. */
    List<String> ofListeners();

    /** Returns the names of the keys of routes. */
    List<String> ofRoutes();

    /** Returns the names of the keys of clusters. */
    List<String> ofClusters();

    /** Returns the names of the keys of routes that are about requests which go to an endpoint. */
    List<String> ofForwardingRoutes();

    /** Returns the names of the keys of routes that answer by themselves, and need no cluster. */
    List<String> ofAnsweringRoutes();

    /** Reads and judges what stands under a key that is given, and returns the options with it. */
    Options read(String name, FeatureSection from, Options options);

    /** Returns what is wrong between the features of a listener and its other parts. */
    List<Flaw> judge(ListenerConfig listener, NamedClusters clusters, String path);

    /** Returns what is wrong between the features at the top of the file and other parts. */
    List<Flaw> judge(ProxyConfig config, NamedClusters clusters);
}
