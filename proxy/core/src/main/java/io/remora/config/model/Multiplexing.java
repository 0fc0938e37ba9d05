package io.remora.config.model;

/** The HTTP/2 of a listener or a cluster, as parts see it that know nothing else of it. */
public interface Multiplexing {
    /** Returns whether no HTTP/1 is spoken. */
    boolean alone();

    /** Returns the time without an octet after which a PING follows; {@link Limits#UNLIMITED} for never. */
    long keepAliveNs();
}
