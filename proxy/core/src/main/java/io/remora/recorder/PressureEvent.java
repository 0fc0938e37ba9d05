package io.remora.recorder;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A change of the stage of memory pressure. Owner: the site that commits it. */
@Name("io.remora.Pressure")
@Label("Memory Pressure")
@Description("The stage of memory pressure has changed")
@Category("Remora")
@StackTrace(false)
final class PressureEvent extends Event {
    @Label("Before")
    @Nullable
    String before;

    @Label("Stage")
    @Nullable
    String stage;

    @Label("Reserved Share of the Grants")
    @Percentage
    float fill;

    @Label("Memory Charged to the Limit")
    @DataAmount
    long used;
}
