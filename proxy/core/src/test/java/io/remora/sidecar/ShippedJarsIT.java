package io.remora.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** The jars that are shipped: those of the class path, without a class of another engine. */
final class ShippedJarsIT {
    private static final Path JAR = Path.of("target", "remora.jar");

    @Test
    void noJarHasAClassOfAnotherEngine() throws IOException {
        List<Path> jars = onTheClassPath();
        assertThat(jars).hasSizeGreaterThan(1);
        for (Path jar : jars) {
            try (JarFile file = new JarFile(jar.toFile())) {
                assertThat(file.stream().map(JarEntry::getName))
                        .as(jar.toString())
                        .isNotEmpty()
                        .noneMatch(name -> name.startsWith("scala/")
                                || name.startsWith("com/twitter/")
                                || name.startsWith("io/remora/finagle/"));
            }
        }
    }

    /** Images and installations copy the directory, and the launcher goes by the manifest: both are the same. */
    @Test
    void theDirectoryHasTheJarsOfTheClassPath() throws IOException {
        List<Path> shipped = new ArrayList<>(List.of(JAR));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(JAR.resolveSibling("lib"))) {
            files.forEach(shipped::add);
        }
        assertThat(shipped).containsExactlyInAnyOrderElementsOf(onTheClassPath());
    }

    // the launcher's, see bin/remora
    private static List<Path> onTheClassPath() throws IOException {
        List<Path> jars = new ArrayList<>(List.of(JAR));
        try (JarFile file = new JarFile(JAR.toFile())) {
            String others = file.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            Arrays.stream(others.split(" ")).map(JAR::resolveSibling).forEach(jars::add);
        }
        return jars;
    }
}
