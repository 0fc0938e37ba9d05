package io.remora.inject;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code remora inject}: it reads manifests, and writes them with the sidecar in their pods.
 *
 * <p>Bounds: 16 MiB of text. It writes nothing if any pod is refused, so that nothing is applied in part.
 */
public final class InjectCommand {
    private static final int MAX_BYTES = 16 << 20;

    private final String file;
    private final boolean undo;
    private final @Nullable String settings;
    private final String namespace;

    private InjectCommand(String file, boolean undo, @Nullable String settings, String namespace) {
        this.file = file;
        this.undo = undo;
        this.settings = settings;
        this.namespace = namespace;
    }

    /** Returns the command of a command line, whose first word is {@code inject}; null if it is none. */
    public static @Nullable InjectCommand of(String[] arguments) {
        String file = null;
        String settings = null;
        String namespace = "default";
        boolean undo = false;
        for (int i = 1; i < arguments.length; i++) {
            String word = arguments[i];
            boolean hasValue = word.equals("--config") || word.equals("--namespace");
            if (hasValue && ++i == arguments.length) {
                return null;
            }
            if (word.equals("--undo")) {
                undo = true;
            } else if (word.equals("--config")) {
                settings = arguments[i];
            } else if (word.equals("--namespace")) {
                namespace = arguments[i];
            } else if (file == null && (word.equals("-") || !word.startsWith("-"))) {
                file = word;
            } else {
                return null;
            }
        }
        return file == null ? null : new InjectCommand(file, undo, settings, namespace);
    }

    /** Runs the command; returns false after it has reported problems of the manifests or of the settings. */
    public boolean run(InputStream in, PrintStream out, PrintStream err) throws IOException {
        String name = file.equals("-") ? "<stdin>" : file;
        String text = new String(read(in), StandardCharsets.UTF_8);
        ProfileTable table = ProfileTable.ofThisImage();
        try {
            InjectorSettings allowed =
                    settings == null ? InjectorSettings.defaults() : SettingsReader.read(Path.of(settings), table);
            PodInjector injector = new PodInjector(allowed, table);
            Workloads workloads = new Workloads(
                    (pod, space) -> undo ? injector.undo(pod) : injector.inject(pod, space, true), namespace);
            String result = Manifest.apply(name, text, workloads);
            print(err, name, workloads.problems());
            if (!workloads.problems().isEmpty()) {
                return false;
            }
            print(err, name, workloads.notes());
            out.write(result.getBytes(StandardCharsets.UTF_8));
            out.flush();
            return true;
        } catch (InjectException e) {
            for (String problem : e.problems()) {
                err.println("remora: " + problem);
            }
            return false;
        }
    }

    private byte[] read(InputStream in) throws IOException {
        byte[] read;
        if (file.equals("-")) {
            read = in.readNBytes(MAX_BYTES + 1);
        } else {
            try (InputStream opened = Files.newInputStream(Path.of(file))) {
                read = opened.readNBytes(MAX_BYTES + 1);
            }
        }
        if (read.length > MAX_BYTES) {
            throw new IOException(file + " is longer than " + MAX_BYTES + " bytes; inject its documents one by one");
        }
        return read;
    }

    private static void print(PrintStream err, String name, List<String> lines) {
        for (String line : lines) {
            err.println("remora: " + name + ": " + line);
        }
    }
}
