package io.remora.recorder;

import io.remora.json.JsonWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedClassLoader;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedObject;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import org.jspecify.annotations.Nullable;

/**
 * Events as JSON on one line: their name, and each field. Times are in UTC, durations in nanoseconds; a stack is a list, its
 * innermost frame first. Threads, classes and methods are their names.
 *
 * <p>Pure functions. Bounds: {@value #MAX_FRAMES} frames, {@value #MAX_DEPTH} levels of fields.
 */
final class EventJson {
    private static final int MAX_FRAMES = 64;
    private static final int MAX_DEPTH = 3;

    private EventJson() {}

    static String of(RecordedEvent event) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        tree.put("event", event.getEventType().getName());
        fields(event, tree, 1);
        return JsonWriter.line(tree);
    }

    private static void fields(RecordedObject object, Map<String, @Nullable Object> tree, int depth) {
        for (ValueDescriptor field : object.getFields()) {
            tree.put(field.getName(), value(object, field, depth));
        }
    }

    private static @Nullable Object value(RecordedObject object, ValueDescriptor field, int depth) {
        String name = field.getName();
        if (field.getAnnotation(Timestamp.class) != null) {
            return object.getInstant(name).toString();
        }
        if (field.getAnnotation(Timespan.class) != null) {
            return nanos(object.getDuration(name));
        }
        Object value = object.getValue(name);
        if (value instanceof Byte || value instanceof Short || value instanceof Integer) {
            // without a sign where the field has none
            return object.getLong(name);
        }
        return plain(value, depth);
    }

    private static @Nullable Object nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            // no duration is known, or it has no end
            return null;
        }
    }

    private static @Nullable Object plain(@Nullable Object value, int depth) {
        if (value instanceof Number number) {
            return Double.isFinite(number.doubleValue()) ? number : null;
        }
        if (value == null || value instanceof Boolean) {
            return value;
        }
        if (value instanceof RecordedThread thread) {
            return thread.getJavaName() == null ? thread.getOSName() : thread.getJavaName();
        }
        if (value instanceof RecordedClass type) {
            return type.getName();
        }
        if (value instanceof RecordedMethod method) {
            return name(method);
        }
        if (value instanceof RecordedClassLoader loader) {
            return loader.getName();
        }
        if (value instanceof RecordedStackTrace stack) {
            return frames(stack);
        }
        if (value instanceof RecordedObject object) {
            Map<String, @Nullable Object> tree = new LinkedHashMap<>();
            if (depth < MAX_DEPTH) {
                fields(object, tree, depth + 1);
            }
            return tree;
        }
        // an array is not part of any event but of stacks
        return value.toString();
    }

    private static List<Object> frames(RecordedStackTrace stack) {
        List<Object> frames = new ArrayList<>();
        for (RecordedFrame frame : stack.getFrames()) {
            if (frames.size() == MAX_FRAMES) {
                break;
            }
            RecordedMethod method = frame.getMethod();
            frames.add((method == null ? "?" : name(method)) + ':' + frame.getLineNumber());
        }
        return frames;
    }

    private static String name(RecordedMethod method) {
        RecordedClass type = method.getType();
        return (type == null ? "?" : type.getName()) + '.' + method.getName();
    }
}
