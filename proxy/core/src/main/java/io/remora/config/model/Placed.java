package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/** A part of a configuration that only another engine can judge, and which therefore knows where it stands. */
public interface Placed {
    /** Returns the place, null for a part whose own text is missing, which has been reported. */
    @Nullable
    PlacedText place();
}
