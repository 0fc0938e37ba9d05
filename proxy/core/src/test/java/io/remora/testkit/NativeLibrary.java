package io.remora.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The native libraries of the runtime images: theirs where the tests run on one, otherwise compiled for the JDK at hand. */
public final class NativeLibrary {
    private static final Path SOURCES = Path.of("..", "native").toAbsolutePath().normalize();

    private NativeLibrary() {}

    /** Puts the library of the sidecar into the directory; where that cannot be done the test is skipped. */
    public static void into(Path directory) throws IOException {
        into(directory, "libremora.so", SOURCES);
    }

    /** Puts the profiler's library into the directory in the same way. */
    public static void ofProfilerInto(Path directory) throws IOException {
        into(directory, "libremora_profile.so", SOURCES.resolve("profile"));
    }

    private static void into(Path directory, String library, Path folder) throws IOException {
        for (String place : System.getProperty("java.library.path").split(":", -1)) {
            Path built = Path.of(place, library);
            if (Files.exists(built)) {
                Files.copy(built, directory.resolve(library));
                return;
            }
        }
        // which has its own C library
        assumeTrue(!System.getProperty("java.vm.version").contains("-remora"), "no " + library + " for this VM");
        assumeTrue(Command.run(directory, "sh", "-c", "command -v gcc").status() == 0, "no gcc");
        Path headers = Path.of(System.getProperty("java.home"), "include");
        assumeTrue(Files.exists(headers.resolve("jni.h")), "no jni.h");
        List<String> command =
                new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"));
        command.addAll(List.of("-I" + headers, "-I" + headers.resolve("linux")));
        command.addAll(List.of("-o", directory.resolve(library).toString()));
        try (Stream<Path> sources = Files.list(folder)) {
            sources.map(Path::toString).filter(name -> name.endsWith(".c")).forEach(command::add);
        }
        Command.run(directory, command.toArray(new String[0])).good();
    }
}
