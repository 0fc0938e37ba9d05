package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** A jar of users' code, from its source. */
final class FilterJar {
    private static final Path EXAMPLES = Path.of("../../examples/filters");

    private FilterJar() {}

    /** That of the example; the directory to configure. */
    static Path example(Path directory) throws IOException {
        return of(directory, EXAMPLES.resolve("org/example/TenantFilter.java"));
    }

    static Path of(Path directory, Path source) throws IOException {
        Path classes = Files.createDirectories(directory.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status = compiler.run(
                null,
                said,
                said,
                "-Xlint:all",
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                source.toString());
        assertThat(status).as(said.toString(StandardCharsets.UTF_8)).isZero();
        Path jars = Files.createDirectories(directory.resolve("jars"));
        try (OutputStream file = Files.newOutputStream(jars.resolve("filters.jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            for (Path one : filesOf(classes)) {
                jar.putNextEntry(new JarEntry(classes.relativize(one).toString()));
                Files.copy(one, jar);
                jar.closeEntry();
            }
        }
        return jars;
    }

    private static List<Path> filesOf(Path directory) throws IOException {
        try (Stream<Path> found = Files.walk(directory)) {
            return found.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
