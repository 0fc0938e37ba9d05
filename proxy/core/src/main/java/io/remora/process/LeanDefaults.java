package io.remora.process;

import org.jspecify.annotations.Nullable;

/**
 * Results of the searches that the JDK and Netty make at the start, set as properties instead. Each search loads dozens
 * of classes that nothing else needs, and comes to the same result in a sidecar. A property that is set already stays
 * as it is.
 *
 * <p>Thread safe. Cost: none beyond the properties; about 150 classes fewer.
 */
public final class LeanDefaults {
    private LeanDefaults() {}

    /** Sets the properties, before the first class of Netty or of a channel is loaded. */
    public static void set() {
        // by ServiceLoader, which reads the modules and class path through streams
        if (System.getProperty("os.name", "").equals("Linux")) {
            unlessSet("java.nio.channels.spi.SelectorProvider", "sun.nio.ch.EPollSelectorProvider");
        }
        // every channel is given its allocator; the default one is never asked
        unlessSet("io.netty.allocator.type", "unpooled");
        // parts of the ids of channels, which appear nowhere: else from ProcessHandle and the network interfaces
        unlessSet("io.netty.processId", "0");
        unlessSet("io.netty.machineId", "00:00:00:00:00:00:00:00");
        // Netty looks up the flight recorder's classes; without them the JDK opens each jar and keeps its directory in
        // memory
        unlessSet("io.netty.jfr.enabled", "false");
    }

    private static void unlessSet(String name, String value) {
        @Nullable String given = System.getProperty(name);
        if (given == null) {
            System.setProperty(name, value);
        }
    }
}
