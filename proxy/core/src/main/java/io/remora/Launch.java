package io.remora;

import io.remora.log.Log;

/** What the launcher chose, told once at the start: profile, image, and the heap where the user gave another. */
final class Launch {
    private Launch() {}

    /** Says nothing where no launcher did: a JVM started by hand has no profile. */
    static void log() {
        String profile = System.getProperty("remora.profile");
        if (profile == null) {
            return;
        }
        String heap = System.getProperty("remora.heap.override");
        Log.info("profile " + profile + ", image " + System.getProperty("remora.image", "unknown")
                + (heap == null ? "" : ", heap overridden by " + heap));
    }
}
