package io.remora.inject;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pods and settings of the tests, and their injection by the profiles of this checkout. */
final class Injected {
    static final ProfileTable TABLE = table();

    private Injected() {}

    /** The table that a build makes, as unit tests run before it. */
    private static ProfileTable table() {
        try {
            Path table = Files.createTempFile("table", null);
            Process flatten = new ProcessBuilder("../../jvm-profiles/flatten")
                    .redirectOutput(table.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            if (flatten.waitFor() != 0) {
                throw new IllegalStateException("flatten ended with " + flatten.exitValue());
            }
            ProfileTable read = ProfileTable.read(table);
            Files.delete(table);
            return read;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Map<String, @Nullable Object> tree(String yaml) throws InjectException {
        return Trees.map(YamlDocuments.read("test.yaml", yaml).get(0).tree());
    }

    /** A pod with annotations, which are YAML lines. */
    static Map<String, @Nullable Object> pod(String... annotations) throws InjectException {
        StringBuilder lines = new StringBuilder("metadata:\n  name: web\n");
        if (annotations.length > 0) {
            lines.append("  annotations:\n");
        }
        for (String one : annotations) {
            lines.append("    ").append(one).append('\n');
        }
        return tree(lines + "spec:\n  containers:\n  - {name: app, image: app}\n");
    }

    static Injection inject(Map<String, @Nullable Object> pod) {
        return inject(pod, InjectorSettings.defaults());
    }

    static Injection inject(Map<String, @Nullable Object> pod, InjectorSettings settings) {
        return new PodInjector(settings, TABLE).inject(pod, "shop", true);
    }

    static InjectorSettings settings(String yaml) throws InjectException {
        return SettingsReader.read("injector.yaml", yaml, TABLE);
    }

    static Map<String, @Nullable Object> container(Injection injection, String name) {
        for (String list : List.of("initContainers", "containers")) {
            for (Map<String, @Nullable Object> one : Trees.maps(Trees.map(injection.pod(), "spec"), list)) {
                if (Trees.name(one).equals(name)) {
                    return one;
                }
            }
        }
        throw new AssertionError("no container " + name + " in " + injection);
    }
}
