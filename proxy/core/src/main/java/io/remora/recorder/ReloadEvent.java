package io.remora.recorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The end of a reload of the configuration. Owner: the site that commits it. */
@Name("io.remora.Reload")
@Label("Reload")
@Description("A reload of the configuration has ended")
@Category("Remora")
@StackTrace(false)
final class ReloadEvent extends Event {
    @Label("Taken")
    boolean taken;

    @Label("Generation")
    long generation;
}
