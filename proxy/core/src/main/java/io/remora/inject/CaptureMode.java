package io.remora.inject;

import org.jspecify.annotations.Nullable;

/** Ways in which the connections of a pod come to its sidecar. */
public enum CaptureMode {
    /** The application and its clients use the addresses of the sidecar. */
    OFF("off"),
    /** An init container with NET_ADMIN sets rules in the pod. */
    INIT("init"),
    /** A CNI plugin sets them, and an init container without rights checks them. */
    CNI("cni");

    private final String word;

    CaptureMode(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    static @Nullable CaptureMode of(@Nullable String word) {
        for (CaptureMode one : values()) {
            if (one.word.equals(word)) {
                return one;
            }
        }
        return null;
    }
}
