package io.remora.inject;

import io.remora.inject.InjectorSettings.CaptureSettings;
import io.remora.inject.InjectorSettings.SidecarImage;
import io.remora.text.Ascii;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reader of injector.yaml. Each missing key has the value of {@link InjectorSettings#defaults}. Owner: one thread. */
public final class SettingsReader {
    private static final long MAX_BYTES = 1 << 20;
    private static final List<String> KEYS = List.of(
            "image",
            "images",
            "capture",
            "engines",
            "jvm-options",
            "rps",
            "zone",
            "probes",
            "exempt-namespaces",
            "webhook");
    private static final List<String> IMAGE_KEYS = List.of("name", "runtime", "architectures");
    private static final List<String> CAPTURE_KEYS = List.of("mode", "image");

    private final String file;
    private final List<String> problems = new ArrayList<>();

    private SettingsReader(String file) {
        this.file = file;
    }

    /** Reads the settings, and judges them against the table of profiles; all problems together. */
    public static InjectorSettings read(Path path, ProfileTable table) throws IOException, InjectException {
        if (Files.size(path) > MAX_BYTES) {
            throw new InjectException(path + ": longer than " + MAX_BYTES + " bytes");
        }
        return read(path.toString(), Files.readString(path), table);
    }

    /** Reads the settings from a text. */
    public static InjectorSettings read(String file, String text, ProfileTable table) throws InjectException {
        List<YamlDocuments.Document> documents = YamlDocuments.read(file, text);
        if (documents.size() > 1) {
            throw new InjectException(file + ": more than one document");
        }
        Object tree = documents.isEmpty() ? null : documents.get(0).tree();
        if (tree != null && !(tree instanceof Map<?, ?>)) {
            throw new InjectException(file + ": not a mapping of " + String.join(", ", KEYS));
        }
        return new SettingsReader(file).settings(Trees.map(tree), table);
    }

    private InjectorSettings settings(Map<String, @Nullable Object> root, ProfileTable table) throws InjectException {
        InjectorSettings defaults = InjectorSettings.defaults();
        judgeKeys("", root, KEYS);
        List<SidecarImage> images = root.containsKey("images") ? images(root, table) : defaults.images();
        String first = images.isEmpty() ? defaults.image() : images.get(0).name();
        Map<String, @Nullable Object> capture = mapping(root, "capture");
        judgeKeys("capture.", capture, CAPTURE_KEYS);
        InjectorSettings settings = new InjectorSettings(
                text("", root, "image", first),
                images,
                new CaptureSettings(
                        mode(capture, defaults.capture().mode()),
                        text("capture.", capture, "image", defaults.capture().image())),
                texts("", root, "engines", defaults.engines()),
                texts("", root, "jvm-options", defaults.jvmOptions()),
                rps(root, defaults.rps()),
                flag(root, "zone", defaults.zone()),
                word(root, "probes", defaults.rewritesProbes() ? "rewrite" : "off", List.of("rewrite", "off"))
                        .equals("rewrite"),
                texts("", root, "exempt-namespaces", defaults.exemptNamespaces()),
                mapping(root, "webhook"));
        if (settings.allowed(settings.image()) == null && problems.isEmpty()) {
            problem("image", Ascii.quote(settings.image()) + " is not one of images");
        }
        for (String engine : settings.engines()) {
            if (!engine.equals("netty") && !engine.equals("finagle")) {
                problem("engines", Ascii.quote(engine) + ", expected netty or finagle");
            }
        }
        if (!problems.isEmpty()) {
            throw new InjectException(problems);
        }
        return settings;
    }

    private List<SidecarImage> images(Map<String, @Nullable Object> root, ProfileTable table) {
        List<SidecarImage> images = new ArrayList<>();
        List<Map<String, @Nullable Object>> maps = Trees.maps(root, "images");
        if (maps.isEmpty() || maps.size() != Trees.list(root, "images").size()) {
            problem("images", "expected a list of mappings with name, runtime and architectures");
        }
        for (Map<String, @Nullable Object> image : maps) {
            judgeKeys("images.", image, IMAGE_KEYS);
            String name = text("images.", image, "name", null);
            String runtime = text("images.", image, "runtime", null);
            if (!runtime.isEmpty() && !table.knows(runtime)) {
                problem(
                        "images.runtime",
                        Ascii.quote(runtime) + ", expected one of " + String.join(", ", table.images()));
            }
            images.add(new SidecarImage(name, runtime, texts("images.", image, "architectures", List.of())));
        }
        return images;
    }

    private CaptureMode mode(Map<String, @Nullable Object> capture, CaptureMode fallback) {
        // a plain off is a switch to some readers of YAML, and a text to others
        Object given = capture.get("mode");
        CaptureMode mode = given == null ? fallback : CaptureMode.of(Trees.text(given));
        if (mode == null) {
            problem("capture.mode", "expected off, init or cni");
        }
        return Objects.requireNonNullElse(mode, fallback);
    }

    private long rps(Map<String, @Nullable Object> root, long fallback) {
        Object given = root.get("rps");
        if (given != null && !(given instanceof Long rate && rate > 0)) {
            problem("rps", "expected a whole number from 1");
        }
        return given instanceof Long rate ? rate : fallback;
    }

    private boolean flag(Map<String, @Nullable Object> root, String key, boolean fallback) {
        Object given = root.get(key);
        if (given != null && !(given instanceof Boolean)) {
            problem(key, "expected true or false");
        }
        return given instanceof Boolean flag ? flag : fallback;
    }

    private String word(Map<String, @Nullable Object> root, String key, String fallback, List<String> words) {
        String word = text("", root, key, fallback);
        if (!words.contains(word)) {
            problem(key, Ascii.quote(word) + ", expected " + String.join(" or ", words));
        }
        return word;
    }

    private String text(String path, Map<String, @Nullable Object> map, String key, @Nullable String fallback) {
        Object given = map.get(key);
        String text = given == null ? fallback : Trees.text(given);
        if (text == null || text.isEmpty()) {
            problem(path + key, "expected a text");
            return "";
        }
        return text;
    }

    private List<String> texts(String path, Map<String, @Nullable Object> map, String key, List<String> fallback) {
        Object given = map.get(key);
        if (given == null) {
            return fallback;
        }
        List<String> texts = new ArrayList<>();
        for (Object item : Trees.list(map, key)) {
            String text = Trees.text(item);
            if (text == null || text.isEmpty()) {
                problem(path + key, "expected a list of texts");
            } else {
                texts.add(text);
            }
        }
        if (!(given instanceof List)) {
            problem(path + key, "expected a list of texts");
        }
        return List.copyOf(texts);
    }

    private Map<String, @Nullable Object> mapping(Map<String, @Nullable Object> root, String key) {
        Object given = root.get(key);
        if (given != null && !(given instanceof Map)) {
            problem(key, "expected a mapping");
        }
        return Trees.map(given);
    }

    private void judgeKeys(String path, Map<String, @Nullable Object> map, List<String> known) {
        for (String key : map.keySet()) {
            if (!known.contains(key)) {
                problem(path + key, "not a setting, expected one of " + String.join(", ", known));
            }
        }
    }

    private void problem(String key, String what) {
        problems.add(file + ": " + key + ": " + what);
    }
}
