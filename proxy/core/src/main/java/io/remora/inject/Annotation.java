package io.remora.inject;

import org.jspecify.annotations.Nullable;

/**
 * Annotations of a pod by which its owner chooses what is injected. docs/annotations.md is made from these constants.
 *
 * <p>The comment of each constant is its description there.
 */
public enum Annotation {
    /**
     * Injects the sidecar into the pod, or leaves the pod unchanged. Without this annotation, the webhook injects into pods
     * of namespaces with the label {@code remora.io/inject: enabled}, and the command injects into every pod.
     */
    INJECT("inject", "`true` or `false`", null),
    /**
     * Expected number of requests per second. It selects the JVM profile, and from that the CPU request and the memory
     * request and limit of the sidecar.
     */
    RPS("rps", "whole number from 1", "`rps` of the settings"),
    /**
     * Name of a JVM profile such as {@code rps-1000}, instead of a rate. If you set both, the profile must cover the rate.
     */
    PROFILE("profile", "name of a profile of the image", "the smallest profile for the rate"),
    /** Image of the sidecar. Only the images in the settings of the operator are allowed. */
    IMAGE("image", "name of an allowed image", "`image` of the settings"),
    /** Engine of the sidecar. The image must include it, and the settings must allow it. */
    ENGINE("engine", "name of an allowed engine", "the engine of the configuration"),
    /**
     * ConfigMap with the configuration of the sidecar under the key {@code remora.yaml}. It must be in the namespace of the
     * pod. With {@code reload.watch: true} in it, the sidecar reloads it when it changes.
     */
    CONFIG("config", "name of a ConfigMap", "the configuration in the image"),
    /** Least severe level of the sidecar's own log. */
    LOG_LEVEL("log-level", "`debug`, `info`, `warn` or `error`", "`log.level` of the configuration"),
    /** Secret with certificates and keys, which is mounted at {@code /etc/remora-tls}. It must be in the namespace of the pod. */
    TLS_SECRET("tls-secret", "name of a Secret", "no Secret"),
    /**
     * Redirects the connections of the pod through the sidecar. With {@code init}, an init container sets the rules, and the
     * namespace must allow the capability NET_ADMIN. With {@code cni}, the CNI plugin of the operator sets them.
     */
    CAPTURE("capture", "`off`, `init` or `cni`", "`capture.mode` of the settings"),
    /** Ports of the application whose connections are captured. It needs {@code capture}. */
    INBOUND_PORTS("inbound-ports", "ports with commas", "all ports"),
    /** Ports of the application whose connections are not captured. It needs {@code capture}. */
    SKIP_INBOUND_PORTS("skip-inbound-ports", "ports with commas", "none"),
    /** Ports of other services to which connections are not captured. It needs {@code capture}. */
    SKIP_OUTBOUND_PORTS("skip-outbound-ports", "ports with commas", "none"),
    /** Addresses and networks to which connections are not captured. It needs {@code capture}. */
    SKIP_OUTBOUND_ADDRESSES("skip-outbound-addresses", "IP addresses or CIDR blocks with commas", "none"),
    /**
     * Time that the containers of the application wait between the end of the pod and SIGTERM. It adds a {@code sleep} to
     * each container without a {@code preStop} hook. It must be shorter than {@code terminationGracePeriodSeconds}.
     */
    DRAIN_SLEEP("drain-sleep", "whole seconds such as `5s`", "no sleep"),
    /** Further JVM options of the sidecar. Only options that the settings allow are accepted. */
    JVM_OPTIONS("jvm-options", "JVM options with blanks", "none"),
    /**
     * Mounts a token of the pod's service account for the sidecar, because endpoint discovery with EndpointSlices needs one.
     * Without it, the sidecar has no access to the token of the pod.
     */
    DISCOVERY_TOKEN("discovery-token", "`true` or `false`", "`false`"),
    /**
     * Sends HTTP, TCP and gRPC probes of the application through the health listener of the sidecar. They then also pass if
     * the port requires client certificates. Without this annotation, probes are only rewritten with {@code capture} or
     * {@code tls-secret}.
     */
    PROBES("probes", "`rewrite` or `off`", "`probes` of the settings");

    static final String PREFIX = "remora.io/";
    /** Written by the injection: what it has added, so that it can be changed and undone. */
    static final String STATUS = PREFIX + "status";

    private final String word;
    private final String allowed;
    private final @Nullable String fallback;

    Annotation(String word, String allowed, @Nullable String fallback) {
        this.word = word;
        this.allowed = allowed;
        this.fallback = fallback;
    }

    /** Returns the whole name, such as {@code remora.io/rps}. */
    public String key() {
        return PREFIX + word;
    }

    /** Returns the allowed values, as they stand in messages and on the page. */
    public String allowed() {
        return allowed;
    }

    /** Returns the effect without the annotation; null if its description says it. */
    public @Nullable String fallback() {
        return fallback;
    }

    static @Nullable Annotation of(String key) {
        for (Annotation one : Annotation.values()) {
            if (one.key().equals(key)) {
                return one;
            }
        }
        return null;
    }
}
