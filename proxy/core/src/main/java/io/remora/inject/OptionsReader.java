package io.remora.inject;

import io.remora.inject.InjectorSettings.SidecarImage;
import io.remora.inject.PodOptions.CaptureOptions;
import io.remora.inject.PodOptions.Switches;
import io.remora.inject.ProfileTable.Profile;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/** Reader of the annotations of one pod. It reports each one that is unknown, impossible or not allowed. Owner: one thread. */
final class OptionsReader {
    private static final List<String> LEVELS = List.of("debug", "info", "warn", "error");
    private static final int MAX_NAME = 253;
    private static final long MAX_RPS = 999_999_999;
    private static final long DEFAULT_GRACE_SECONDS = 30;
    /** Entries of a list of ports or networks, as {@code remora-capture} takes them. */
    private static final int MAX_ENTRIES = 64;

    private final Map<String, @Nullable Object> annotations;
    private final InjectorSettings settings;
    private final ProfileTable table;
    private final List<String> problems;

    /** @param annotations those of the pod, without what an earlier injection has added */
    OptionsReader(
            Map<String, @Nullable Object> annotations,
            InjectorSettings settings,
            ProfileTable table,
            List<String> problems) {
        this.annotations = annotations;
        this.settings = settings;
        this.table = table;
        this.problems = problems;
    }

    /** Returns the choices; null if any of them is impossible. */
    @Nullable
    PodOptions read(Map<String, @Nullable Object> spec) {
        judgeNames();
        SidecarImage image = image();
        List<String> flags = flags(image);
        CaptureOptions capture = capture();
        Profile profile = image == null ? null : profile(image);
        long rps = rps(profile);
        String config = objectName(Annotation.CONFIG, "ConfigMap");
        String tlsSecret = objectName(Annotation.TLS_SECRET, "Secret");
        long sleep = drainSleep(spec);
        String jvmOptions = jvmOptions();
        boolean rewrites = settings.rewritesProbes() && (capture.mode() != CaptureMode.OFF || tlsSecret != null);
        Switches switches = new Switches(
                word(Annotation.DISCOVERY_TOKEN, "false", List.of("true", "false"))
                        .equals("true"),
                word(Annotation.PROBES, rewrites ? "rewrite" : "off", List.of("rewrite", "off"))
                        .equals("rewrite"));
        return image == null || profile == null || !problems.isEmpty()
                ? null
                : new PodOptions(image, profile, rps, config, flags, tlsSecret, capture, sleep, jvmOptions, switches);
    }

    private void judgeNames() {
        for (Map.Entry<String, @Nullable Object> entry : annotations.entrySet()) {
            String key = entry.getKey();
            if (!key.startsWith(Annotation.PREFIX) || key.equals(Annotation.STATUS)) {
                continue;
            }
            if (Annotation.of(key) == null) {
                StringJoiner known = new StringJoiner(", ");
                for (Annotation one : Annotation.values()) {
                    known.add(one.key());
                }
                problems.add("annotation " + Ascii.quote(key) + " is unknown; write one of " + known);
            } else if (!(entry.getValue() instanceof String)) {
                problems.add("annotation " + key + " is no text; write its value in quotes");
            }
        }
    }

    private @Nullable String value(Annotation annotation) {
        return Trees.text(annotations.get(annotation.key()));
    }

    private void refuse(Annotation annotation, String value, String expected) {
        problems.add("annotation " + annotation.key() + " is " + Ascii.quote(value) + "; write " + expected);
    }

    private String word(Annotation annotation, String fallback, List<String> words) {
        String value = value(annotation);
        if (value != null && !words.contains(value)) {
            refuse(annotation, value, String.join(" or ", words));
        }
        return value == null ? fallback : value;
    }

    private @Nullable SidecarImage image() {
        String value = value(Annotation.IMAGE);
        SidecarImage image = settings.allowed(value == null ? settings.image() : value);
        if (image == null) {
            StringJoiner names = new StringJoiner(", ");
            for (SidecarImage one : settings.images()) {
                names.add(one.name());
            }
            refuse(Annotation.IMAGE, String.valueOf(value), "an image that the operator allows: " + names);
        }
        return image;
    }

    private List<String> flags(@Nullable SidecarImage image) {
        List<String> flags = new ArrayList<>();
        String engine = value(Annotation.ENGINE);
        if (engine != null) {
            if (!settings.engines().contains(engine)) {
                refuse(
                        Annotation.ENGINE,
                        engine,
                        "an engine that the operator allows: " + String.join(", ", settings.engines()));
            } else if (image != null
                    && engine.equals("finagle") != image.runtime().endsWith("-finagle")) {
                refuse(Annotation.ENGINE, engine, "an engine of the image " + image.name());
            }
            flags.add("--engine");
            flags.add(engine);
        }
        String level = value(Annotation.LOG_LEVEL);
        if (level != null) {
            if (!LEVELS.contains(level)) {
                refuse(Annotation.LOG_LEVEL, level, String.join(", ", LEVELS));
            }
            flags.add("--log-level");
            flags.add(level);
        }
        return flags;
    }

    // ---- rate and profile

    private @Nullable Profile profile(SidecarImage image) {
        String name = value(Annotation.PROFILE);
        if (name == null) {
            Profile row = table.find(image.runtime(), requestedRps());
            if (row == null || !row.isOffered()) {
                String why = row == null ? "finds no row in the table of profiles" : row.refusal();
                refuse(
                        Annotation.RPS,
                        Long.toString(requestedRps()),
                        "a rate of the image " + image.name() + ": " + why);
                return null;
            }
            return row;
        }
        StringJoiner names = new StringJoiner(", ");
        for (Profile one : table.offered(image.runtime())) {
            if (one.name().equals(name)) {
                return one;
            }
            names.add(one.name());
        }
        refuse(Annotation.PROFILE, name, "a profile of the image " + image.name() + ": " + names);
        return null;
    }

    private long requestedRps() {
        return number(Annotation.RPS, value(Annotation.RPS), settings.rps());
    }

    private long rps(@Nullable Profile profile) {
        boolean named = value(Annotation.PROFILE) != null;
        String given = value(Annotation.RPS);
        if (profile == null) {
            return settings.rps();
        }
        if (!named) {
            return requestedRps();
        }
        long rps = given == null ? profile.rps() : requestedRps();
        if (rps > profile.rps()) {
            refuse(
                    Annotation.RPS,
                    String.valueOf(given),
                    "at most " + profile.rps() + ", which " + profile.name() + " covers, or another "
                            + Annotation.PROFILE.key());
        } else if (rps != profile.rps() && !profile.equals(table.find(profile.image(), rps))) {
            // the launcher finds the smallest profile of the rate
            return profile.rps();
        }
        return rps;
    }

    private long number(Annotation annotation, @Nullable String value, long fallback) {
        if (value == null) {
            return fallback;
        }
        long number = whole(value);
        if (number < 1 || number > MAX_RPS) {
            String message = "annotation " + annotation.key() + " is " + Ascii.quote(value)
                    + "; write a whole number from 1 to " + MAX_RPS;
            if (!problems.contains(message)) {
                problems.add(message);
            }
            return fallback;
        }
        return number;
    }

    /** Returns a whole number of at most nine digits; -1 for any other text. */
    private static long whole(String text) {
        if (text.isEmpty() || text.length() > 9) {
            return -1;
        }
        for (int i = 0; i < text.length(); i++) {
            if (!Ascii.isDigit(text.charAt(i))) {
                return -1;
            }
        }
        return Long.parseLong(text);
    }

    // ---- names

    private @Nullable String objectName(Annotation annotation, String kind) {
        String value = value(annotation);
        if (value != null && !isName(value)) {
            String why = value.indexOf('/') >= 0 ? "; one of another namespace cannot be used" : "";
            refuse(annotation, value, "the name of a " + kind + " in the namespace of the pod" + why);
        }
        return value;
    }

    /** Spec: RFC 1123 2.1, as the API server has it for names of objects. */
    private static boolean isName(String text) {
        boolean ok = !text.isEmpty() && text.length() <= MAX_NAME;
        char before = '.';
        for (int i = 0; ok && i < text.length(); i++) {
            char c = text.charAt(i);
            boolean alphanumeric = c >= 'a' && c <= 'z' || Ascii.isDigit(c);
            ok = alphanumeric || c == '-' && before != '.' || c == '.' && before != '.' && before != '-';
            before = c;
        }
        return ok && before != '-' && before != '.';
    }

    private String jvmOptions() {
        String value = value(Annotation.JVM_OPTIONS);
        if (value == null) {
            return "";
        }
        StringTokenizer words = new StringTokenizer(value, " \t\n");
        while (words.hasMoreTokens()) {
            String word = words.nextToken();
            if (!isAllowed(word)) {
                String allowed = settings.jvmOptions().isEmpty() ? "none" : String.join(" ", settings.jvmOptions());
                refuse(Annotation.JVM_OPTIONS, word, "options that the operator allows: " + allowed);
            }
        }
        return value;
    }

    private boolean isAllowed(String word) {
        for (String allowed : settings.jvmOptions()) {
            boolean open = allowed.endsWith("*");
            if (open ? word.startsWith(allowed.substring(0, allowed.length() - 1)) : word.equals(allowed)) {
                return true;
            }
        }
        return false;
    }

    private long drainSleep(Map<String, @Nullable Object> spec) {
        String value = value(Annotation.DRAIN_SLEEP);
        if (value == null) {
            return 0;
        }
        long grace =
                spec.get("terminationGracePeriodSeconds") instanceof Long seconds ? seconds : DEFAULT_GRACE_SECONDS;
        long sleep = whole(value.endsWith("s") ? value.substring(0, value.length() - 1) : value);
        if (sleep < 1 || sleep >= grace) {
            refuse(
                    Annotation.DRAIN_SLEEP,
                    value,
                    "whole seconds such as 5s, fewer than terminationGracePeriodSeconds, which is " + grace);
        }
        return sleep;
    }

    // ---- capture

    private CaptureOptions capture() {
        String word = value(Annotation.CAPTURE);
        CaptureMode mode = word == null ? settings.capture().mode() : CaptureMode.of(word);
        if (mode == null) {
            refuse(Annotation.CAPTURE, String.valueOf(word), "off, init or cni");
            mode = CaptureMode.OFF;
        } else if (mode == CaptureMode.OFF) {
            judgeNeedless();
        }
        return new CaptureOptions(
                mode,
                ports(Annotation.INBOUND_PORTS),
                ports(Annotation.SKIP_INBOUND_PORTS),
                ports(Annotation.SKIP_OUTBOUND_PORTS),
                networks());
    }

    private void judgeNeedless() {
        for (Annotation one : new Annotation[] {
            Annotation.INBOUND_PORTS,
            Annotation.SKIP_INBOUND_PORTS,
            Annotation.SKIP_OUTBOUND_PORTS,
            Annotation.SKIP_OUTBOUND_ADDRESSES
        }) {
            if (value(one) != null) {
                problems.add("annotation " + one.key() + " needs capture; write " + Annotation.CAPTURE.key()
                        + ": init or cni, or remove it");
            }
        }
    }

    private String ports(Annotation annotation) {
        String value = value(annotation);
        if (value == null) {
            return "";
        }
        StringJoiner ports = new StringJoiner(",");
        int count = 0;
        int at = 0;
        while (at <= value.length()) {
            int comma = value.indexOf(',', at);
            int end = comma < 0 ? value.length() : comma;
            String port = value.substring(at, end).strip();
            long number = whole(port);
            if (number < 1 || number > 65_535 || ++count > MAX_ENTRIES) {
                refuse(annotation, value, "at most " + MAX_ENTRIES + " ports from 1 to 65535 with commas");
                return "";
            }
            ports.add(Long.toString(number));
            at = end + 1;
        }
        return ports.toString();
    }

    private String networks() {
        String value = value(Annotation.SKIP_OUTBOUND_ADDRESSES);
        if (value == null) {
            return "";
        }
        StringJoiner networks = new StringJoiner(",");
        int count = 0;
        int at = 0;
        while (at <= value.length()) {
            int comma = value.indexOf(',', at);
            int end = comma < 0 ? value.length() : comma;
            String network = value.substring(at, end).strip();
            if (!CidrBlock.isOne(network) || ++count > MAX_ENTRIES) {
                refuse(
                        Annotation.SKIP_OUTBOUND_ADDRESSES,
                        value,
                        "at most " + MAX_ENTRIES + " IP addresses or CIDR blocks with commas, without bits after the "
                                + "prefix, such as 10.0.0.0/8");
                return "";
            }
            networks.add(network);
            at = end + 1;
        }
        return networks.toString();
    }
}
