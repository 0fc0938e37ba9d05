package io.remora.flame;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The types in a profile's file of JFR, and their description there. Readers find types by name and fields by order; the
 * numbers of types are free. Spec: the JDK's jdk.jfr.internal.MetadataReader and hotspot/share/jfr/metadata/metadata.xml.
 */
final class JfrTypes {
    static final int METADATA = 0;
    static final int CHECKPOINT = 1;
    static final int CLASS = 21;
    static final int THREAD = 22;
    static final int FRAME_TYPE = 24;
    static final int THREAD_STATE = 25;
    static final int STACK_TRACE = 26;
    static final int METHOD = 28;
    static final int SYMBOL = 31;
    static final int PROFILE = 100;
    static final int EXECUTION = 101;
    static final int ALLOCATION = 102;

    private static final int BOOLEAN = 4;
    private static final int INT = 10;
    private static final int LONG = 11;
    private static final int STRING = 20;
    private static final int CLASS_LOADER = 23;
    private static final int STACK_FRAME = 27;
    private static final int PACKAGE = 30;
    private static final int LABEL = 201;
    private static final int CATEGORY = 202;
    private static final int TIMESTAMP = 203;
    private static final int TIMESPAN = 204;
    private static final int DATA_AMOUNT = 205;

    private static final String SUPER = "superType";
    private static final String SIMPLE = "simpleType";
    private static final String VALUE = "value";
    private static final String NAME = "name";
    private static final String TICKS = "TICKS";
    private static final String[] POOLED = {"constantPool", "true"};

    private final JfrElement types = new JfrElement("metadata");

    private JfrTypes() {}

    /** Writes the event that describes all types. */
    static void write(JfrOutput out) throws IOException {
        JfrTypes all = new JfrTypes();
        all.values();
        all.events();
        JfrElement root = new JfrElement("root");
        Map<String, Integer> strings = new LinkedHashMap<>();
        ByteArrayOutputStream elements = new ByteArrayOutputStream();
        JfrOutput tree = new JfrOutput(elements);
        root.add(all.types);
        root.add("region", "locale", "en", "gmtOffset", "0");
        root.write(strings, tree);

        ByteArrayOutputStream event = new ByteArrayOutputStream();
        JfrOutput body = new JfrOutput(event);
        // a time, a duration and a number of the description
        body.number(METADATA).number(0).number(0).number(1).number(strings.size());
        for (String each : strings.keySet()) {
            body.text(each);
        }
        body.write(elements.toByteArray());
        out.wide(JfrOutput.WIDE + body.size()).write(event.toByteArray());
    }

    private JfrElement type(String name, int id, String... more) {
        return types.add("class", NAME, name, "id", Integer.toString(id)).with(more);
    }

    private void values() {
        type("boolean", BOOLEAN);
        type("int", INT);
        type("long", LONG);
        type("java.lang.String", STRING);
        JfrElement ofClass = type("java.lang.Class", CLASS);
        ofClass.field("classLoader", CLASS_LOADER, POOLED);
        ofClass.field(NAME, SYMBOL, POOLED);
        ofClass.field("package", PACKAGE, POOLED);
        ofClass.field("modifiers", INT);
        JfrElement thread = type("java.lang.Thread", THREAD);
        thread.field("osName", STRING);
        thread.field("osThreadId", LONG);
        thread.field("javaName", STRING);
        thread.field("javaThreadId", LONG);
        type("jdk.types.ClassLoader", CLASS_LOADER).field(NAME, SYMBOL, POOLED);
        type("jdk.types.Package", PACKAGE).field(NAME, SYMBOL, POOLED);
        type("jdk.types.FrameType", FRAME_TYPE, SIMPLE, "true").field("description", STRING);
        type("jdk.types.ThreadState", THREAD_STATE, SIMPLE, "true").field(NAME, STRING);
        type("jdk.types.Symbol", SYMBOL, SIMPLE, "true").field("string", STRING);
        JfrElement stack = type("jdk.types.StackTrace", STACK_TRACE);
        stack.field("truncated", BOOLEAN);
        stack.field("frames", STACK_FRAME, "dimension", "1");
        JfrElement frame = type("jdk.types.StackFrame", STACK_FRAME);
        frame.field("method", METHOD, POOLED);
        frame.field("lineNumber", INT);
        frame.field("bytecodeIndex", INT);
        frame.field("type", FRAME_TYPE, POOLED);
        JfrElement method = type("jdk.types.Method", METHOD);
        method.field("type", CLASS, POOLED);
        method.field(NAME, SYMBOL, POOLED);
        method.field("descriptor", SYMBOL, POOLED);
        method.field("modifiers", INT);
        method.field("hidden", BOOLEAN);
        annotation("jdk.jfr.Label", LABEL);
        annotation("jdk.jfr.Timestamp", TIMESTAMP);
        annotation("jdk.jfr.Timespan", TIMESPAN);
        annotation("jdk.jfr.DataAmount", DATA_AMOUNT);
        type("jdk.jfr.Category", CATEGORY, SUPER, "java.lang.annotation.Annotation")
                .field(VALUE, STRING, "dimension", "1");
    }

    private void annotation(String name, int id) {
        type(name, id, SUPER, "java.lang.annotation.Annotation").field(VALUE, STRING);
    }

    private JfrElement event(String name, int id, String label) {
        JfrElement event = type(name, id, SUPER, "jdk.jfr.Event");
        event.note(LABEL, VALUE, label).note(CATEGORY, "value-0", "Profile");
        event.field("startTime", LONG).note(TIMESTAMP, VALUE, TICKS);
        return event;
    }

    private void events() {
        JfrElement profile = event("io.remora.Profile", PROFILE, "Profile");
        profile.field("duration", LONG).note(TIMESPAN, VALUE, TICKS);
        profile.field("title", STRING);
        profile.field("note", STRING);
        profile.field("samplesPerEvent", LONG);
        JfrElement execution = event("jdk.ExecutionSample", EXECUTION, "Method Profiling Sample");
        execution.field("sampledThread", THREAD, POOLED);
        execution.field("stackTrace", STACK_TRACE, POOLED);
        execution.field("state", THREAD_STATE, POOLED);
        JfrElement allocation = event("jdk.ObjectAllocationSample", ALLOCATION, "Object Allocation Sample");
        allocation.field("eventThread", THREAD, POOLED);
        allocation.field("stackTrace", STACK_TRACE, POOLED);
        allocation.field("objectClass", CLASS, POOLED);
        allocation.field("weight", LONG).note(DATA_AMOUNT, VALUE, "BYTES");
    }
}
