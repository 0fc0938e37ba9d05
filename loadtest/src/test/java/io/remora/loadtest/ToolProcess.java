package io.remora.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A tool as a process of its own, spoken to as its users do. */
public final class ToolProcess implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 20;

    private final Process process;
    private final Writer in;
    private final BufferedReader out;

    public ToolProcess(Class<?> tool, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                tool.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
        in = process.outputWriter();
        out = process.inputReader();
    }

    String readLine() throws IOException {
        return out.readLine();
    }

    void tell(String command) throws IOException {
        in.write(command + "\n");
        in.flush();
    }

    /** The answer's figures by their names. */
    Map<String, Double> ask(String command) throws IOException {
        tell(command);
        String[] words = readLine().split(" ");
        Map<String, Double> figures = new HashMap<>();
        for (int i = 0; i < words.length; i += 2) {
            figures.put(words[i], Double.valueOf(words[i + 1]));
        }
        return figures;
    }

    /** Sends a signal, such as STOP. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    /** Ends its standard input, and returns its exit status. */
    public int end() throws IOException, InterruptedException {
        in.close();
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
