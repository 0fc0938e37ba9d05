package io.remora.recorder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.Attribute;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.CouldNotLoadRecordingException;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/** A recording as the parser of JDK Mission Control reads it. */
final class ParsedRecording {
    private final IItemCollection events;

    private ParsedRecording(IItemCollection events) {
        this.events = events;
    }

    static ParsedRecording of(Path directory, byte[] octets) throws IOException {
        Path file = Files.write(directory.resolve("dumped.jfr"), octets);
        try {
            return new ParsedRecording(JfrLoaderToolkit.loadEvents(file.toFile()));
        } catch (CouldNotLoadRecordingException e) {
            throw new IOException(e);
        }
    }

    /** The names of the types that have an event. */
    TreeSet<String> types() {
        TreeSet<String> types = new TreeSet<>();
        for (IItemIterable each : events) {
            if (each.hasItems()) {
                types.add(each.getType().getIdentifier());
            }
        }
        return types;
    }

    /** The values of a text field in all events of a type. */
    List<String> texts(String type, String field) {
        List<String> texts = new ArrayList<>();
        for (IItemIterable each : events.apply(ItemFilters.type(type))) {
            IMemberAccessor<String, IItem> value =
                    Attribute.attr(field, field, UnitLookup.PLAIN_TEXT).getAccessor(each.getType());
            for (IItem event : each) {
                texts.add(value.getMember(event));
            }
        }
        return texts;
    }

    /** The number of events of a type that have a stack. */
    int stacks(String type) {
        int stacks = 0;
        for (IItemIterable each : events.apply(ItemFilters.type(type))) {
            IMemberAccessor<IMCStackTrace, IItem> stack = JfrAttributes.EVENT_STACKTRACE.getAccessor(each.getType());
            for (IItem event : each) {
                stacks += stack.getMember(event) == null ? 0 : 1;
            }
        }
        return stacks;
    }
}
