package io.remora.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.LaunchedProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the launcher finds its jar and its JVM, and what it tells them. */
final class LauncherIT {
    /** A program in the place of java that tells its arguments, one a line, and ends with a status of its own. */
    private static final String TELLING_JAVA = "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n";

    @TempDir
    private Path directory;

    @Test
    void startsFromAnInstallationThroughLinksFromAnotherDirectory() throws IOException {
        Path launcher = install();
        Path elsewhere = Files.createDirectories(directory.resolve("else where"));
        Files.createDirectories(elsewhere.resolve("a/b"));
        Files.createSymbolicLink(elsewhere.resolve("a/b/first"), Path.of("../../../prefix/bin/remora"));
        Files.createSymbolicLink(elsewhere.resolve("second"), Path.of("a/b/first"));
        Files.createSymbolicLink(directory.resolve("third"), elsewhere.resolve("second"));
        Files.createSymbolicLink(directory.resolve("deep"), Path.of("else where/a/b"));
        for (String path :
                List.of(launcher.toString(), "./third", "else where/second", "deep/first", directory + "/third")) {
            try (LaunchedProcess version = LaunchedProcess.start(directory, path, "version")) {
                assertThat(version.status()).as(path).isZero();
                assertThat(version.out()).startsWith("remora ");
                assertThat(version.err()).isEmpty();
            }
        }
    }

    @Test
    void startsFromPath() throws IOException {
        Files.createSymbolicLink(directory.resolve("sidecar"), install());
        Map<String, String> variables =
                Map.of("PATH", directory + ":" + System.getenv("PATH"), "JAVA_HOME", System.getProperty("java.home"));
        try (LaunchedProcess version = LaunchedProcess.start(directory, variables, "sh", "-c", "sidecar version")) {
            assertThat(version.status()).isZero();
            assertThat(version.out()).startsWith("remora ");
        }
    }

    @Test
    void saysWhereItLookedForTheJar() throws IOException {
        Path launcher = install();
        Files.delete(directory.resolve("prefix/lib/remora/remora.jar"));
        try (LaunchedProcess without = LaunchedProcess.start(directory, launcher.toString())) {
            assertThat(without.status()).isEqualTo(69);
            assertThat(without.err().lines()).singleElement().asString().contains("no remora.jar", "make build");
        }
    }

    @Test
    void passesOptionsAndArgumentsAsTheyAre() throws IOException {
        Map<String, String> variables = Map.of("JAVA_HOME", fakeJava("25"), "REMORA_JAVA_OPTS", "-Xmx9m  -Da=*");
        String[] arguments = {"run", "--config", "a b*.yaml", ""};
        try (LaunchedProcess told = start(variables, arguments)) {
            assertThat(told.status()).isEqualTo(7);
            assertThat(told.out()
                            .lines()
                            .dropWhile(line -> !line.startsWith("-Dremora."))
                            .filter(line -> !line.endsWith(".jar"))
                            .filter(line -> !line.startsWith("-Dremora.peak=")))
                    .containsExactly(
                            "-Dremora.profile=rps-1000",
                            "-Dremora.image=host",
                            "--sun-misc-unsafe-memory-access=allow",
                            "-Xmx9m",
                            "-Da=*",
                            "-jar",
                            "run",
                            "--config",
                            "a b*.yaml",
                            "");
        }
    }

    @Test
    void takesAnotherFileOfOptions() throws IOException {
        Path options = Files.writeString(directory.resolve("my options"), "-Xmx9m\n");
        Map<String, String> variables = Map.of("JAVA_HOME", fakeJava("21.0.1"), "REMORA_JVM_FILE", options.toString());
        try (LaunchedProcess told = start(variables, "version")) {
            assertThat(told.status()).isEqualTo(7);
            assertThat(told.out().lines())
                    .startsWith("@" + options, "-Dremora.profile=" + options, "-Dremora.image=host", "-jar")
                    .endsWith("version");
        }
    }

    @Test
    void itsOptionsAreValid() throws IOException {
        Map<String, String> variables =
                Map.of("JAVA_HOME", System.getProperty("java.home"), "REMORA_JAVA_OPTS", "-XX:+PrintFlagsFinal");
        try (LaunchedProcess version = start(variables, "version")) {
            assertThat(version.status()).isZero();
            assertThat(version.err()).isEmpty();
            assertThat(version.out().lines().filter(line -> line.contains(" UseSerialGC ")))
                    .singleElement()
                    .asString()
                    .contains("true", "command line");
        }
    }

    /** In a checkout, whose other engine is built: the command line has the last word, and then the configuration. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    engine: finagle            |                  | true
                    engine: "finagle" # ours   |                  | true
                    engine: finagle            | --engine netty   | false
                    engine: netty              | --engine finagle | true
                    engine: netty              |                  | false
                    '# engine: finagle'        |                  | false
                    name: "engine: finagle"    |                  | false
                    engine: finagles           |                  | false
                    """)
    void findsTheEngineThatTheConfigurationNames(String line, @Nullable String option, boolean other)
            throws IOException {
        Path proxy = directory.resolve("checkout/proxy");
        Files.createDirectories(proxy.resolve("bin"));
        Files.createDirectories(proxy.resolve("core/target"));
        Files.createDirectories(proxy.resolve("finagle/target"));
        Files.createFile(proxy.resolve("core/target/remora.jar"));
        Files.createFile(proxy.resolve("finagle/target/remora-finagle.jar"));
        Path profiles = LaunchedProcess.LAUNCHER.resolve("../../..").normalize().resolve("jvm-profiles");
        copyFiles(profiles, Files.createDirectory(proxy.resolveSibling("jvm-profiles")));
        Path launcher = Files.copy(LaunchedProcess.LAUNCHER, proxy.resolve("bin/remora"));
        Files.writeString(directory.resolve("my sidecar.yaml"), "listeners: []\n" + line + "\n");
        List<String> arguments = new ArrayList<>(List.of("run", "--config", "my sidecar.yaml"));
        if (option != null) {
            arguments.addAll(List.of(option.split(" ")));
        }
        Map<String, String> variables = Map.of("JAVA_HOME", fakeJava("17.0.9"));
        try (LaunchedProcess told =
                LaunchedProcess.start(directory, variables, launcher.toString(), arguments.toArray(String[]::new))) {
            assertThat(told.status()).isEqualTo(7);
            assertThat(told.out().contains("finagle/target/remora-finagle.jar")).isEqualTo(other);
            assertThat(told.out()).contains("-Dremora.profile=" + (other ? "finagle-" : "") + "rps-1000");
        }
    }

    @Test
    void refusesAnOldJava() throws IOException {
        for (String old : new String[] {"11.0.20", "1.8.0_392"}) {
            refuses(Map.of("JAVA_HOME", fakeJava(old)), "17 or newer is needed");
        }
    }

    @Test
    void asksAJavaWithoutAReleaseFile() throws IOException {
        Path java = program("old-java", "#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n");
        refuses(Map.of("REMORA_JAVA", java.toString()), "is Java 11: 17 or newer is needed");
    }

    @Test
    void saysWhatItLookedFor() throws IOException {
        refuses(Map.of("JAVA_HOME", "/nowhere"), "JAVA_HOME=/nowhere has no bin/java");
        refuses(Map.of("REMORA_JAVA", "/nowhere/java"), "REMORA_JAVA=/nowhere/java is not a program");
        Path tools = Files.createDirectory(directory.resolve("tools"));
        refuses(Map.of("PATH", tools.toString()), "no java found: neither REMORA_JAVA nor JAVA_HOME is set");
    }

    private void refuses(Map<String, String> variables, String why) throws IOException {
        try (LaunchedProcess refused = start(variables, "version")) {
            assertThat(refused.status()).isEqualTo(69);
            assertThat(refused.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("remora: ")
                    .contains(why);
            assertThat(refused.out()).isEmpty();
        }
    }

    private LaunchedProcess start(Map<String, String> variables, String... arguments) throws IOException {
        return LaunchedProcess.start(directory, variables, LaunchedProcess.LAUNCHER.toString(), arguments);
    }

    /** The launcher of a fresh installation, laid out as make install does it. */
    private Path install() throws IOException {
        Path proxy = LaunchedProcess.LAUNCHER.resolve("../..").normalize();
        Path bin = Files.createDirectories(directory.resolve("prefix/bin"));
        Path lib = Files.createDirectories(directory.resolve("prefix/lib/remora/lib"));
        copyFiles(proxy.resolveSibling("jvm-profiles"), Files.createDirectory(lib.resolveSibling("jvm-profiles")));
        Files.copy(proxy.resolve("core/target/remora.jar"), lib.resolveSibling("remora.jar"));
        copyFiles(proxy.resolve("core/target/lib"), lib);
        return Files.copy(LaunchedProcess.LAUNCHER, bin.resolve("remora"));
    }

    static void copyFiles(Path from, Path to) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(from, Files::isRegularFile)) {
            for (Path file : files) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** A java home of this version, whose java tells its arguments. */
    private String fakeJava(String version) throws IOException {
        Path home = directory.resolve("jdk-" + version);
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"none\"\nJAVA_VERSION=\"" + version + "\"\n");
        program("jdk-" + version + "/bin/java", TELLING_JAVA);
        return home.toString();
    }

    private Path program(String name, String text) throws IOException {
        Path program = Files.writeString(directory.resolve(name), text);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return program;
    }
}
