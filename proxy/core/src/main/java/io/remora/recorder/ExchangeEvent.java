package io.remora.recorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** An exchange that took longer than the threshold. Owner: the site that commits it. */
@Name(ExchangeEvent.NAME)
@Label("Exchange")
@Description("An exchange that took longer than the threshold")
@Category("Remora")
@StackTrace(false)
@Threshold("100 ms")
final class ExchangeEvent extends Event {
    static final String NAME = "io.remora.Exchange";

    @Label("Listener")
    @Nullable
    String listener;

    @Label("Route")
    @Nullable
    String route;

    @Label("Method")
    @Nullable
    String method;

    @Label("Endpoint of the Last Attempt")
    @Nullable
    String endpoint;

    @Label("Status")
    int status;

    @Label("Failure")
    @Nullable
    String failure;

    @Label("Attempts")
    int attempts;
}
