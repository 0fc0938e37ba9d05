package io.remora.config.model;

/** An option of listeners that holds for tunnels too, in a form of its own. */
public interface TunnelOption {
    /** Returns the options of tunnels with this option's own added. */
    Options addTo(Options tunnels);
}
