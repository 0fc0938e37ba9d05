package io.remora.recorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** An ejection of an endpoint by its failures or its health checks. Owner: the site that commits it. */
@Name("io.remora.Ejection")
@Label("Ejection")
@Description("An endpoint is out of use")
@Category("Remora")
@StackTrace(false)
final class EjectionEvent extends Event {
    @Label("Cluster")
    @Nullable
    String cluster;

    @Label("Endpoint")
    @Nullable
    String endpoint;

    @Label("Reason")
    @Nullable
    String reason;

    @Label("Back-off")
    @Timespan(Timespan.NANOSECONDS)
    long backOff;
}
