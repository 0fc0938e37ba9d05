package io.remora;

import io.remora.admin.Recorder;
import io.remora.log.Log;
import io.remora.recorder.FlightControl;
import io.remora.serving.Shared;
import org.jspecify.annotations.Nullable;

/** Start of the flight recorder's control. Stateless. Cost: loaded with {@link FlightControl#PROPERTY} only. */
final class RecorderStart {
    private RecorderStart() {}

    /** Returns the control; null in an image whose jar was built without it. */
    static @Nullable Recorder begin(Shared shared) {
        try {
            Recorder control = FlightControl.create(shared.stats());
            shared.record(FlightControl.stage(control));
            return control;
        } catch (NoClassDefFoundError e) {
            // an option must not keep a sidecar from starting
            Log.warn("recorder: this image has none; starting without it");
            return null;
        }
    }
}
