package io.remora.recorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** An attempt that has failed, or whose response another attempt replaces. Owner: the site that commits it. */
@Name("io.remora.AttemptFailed")
@Label("Attempt Failed")
@Description("An attempt that failed or was replaced by another one")
@Category("Remora")
@StackTrace(false)
final class AttemptFailedEvent extends Event {
    @Label("Listener")
    @Nullable
    String listener;

    @Label("Cluster")
    @Nullable
    String cluster;

    @Label("Endpoint")
    @Nullable
    String endpoint;

    @Label("Number")
    int number;

    @Label("Reason")
    @Nullable
    String reason;
}
