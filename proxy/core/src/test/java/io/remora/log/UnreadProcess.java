package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program whose standard error is a pipe of 4 KiB that nobody reads until the test asks for it. */
final class UnreadProcess implements AutoCloseable {
    /** Starts the program, and does what it reads; its end is the program's, with the same status. */
    private static final String LAUNCHER = """
            import fcntl, os, subprocess, sys, threading
            reading, writing = os.pipe()
            fcntl.fcntl(writing, 1031, 4096)  # F_SETPIPE_SZ
            def fill():
                own = os.open("/proc/self/fd/%d" % writing, os.O_WRONLY | os.O_NONBLOCK)
                try:
                    while True: os.write(own, b"x" * 255 + b"\\n")
                except BlockingIOError:
                    pass
                finally:
                    os.close(own)
            def copy():
                with open(sys.argv[1], "wb", buffering=0) as out:
                    for octets in iter(lambda: os.read(reading, 4096), b""): out.write(octets)
            if sys.argv[2] == "full": fill()
            program = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stderr=writing)
            reader = threading.Thread(target=copy)
            def obey():
                for line in sys.stdin:
                    if line == "fill\\n": fill()
                    if line == "read\\n": os.close(writing); reader.start()
                    if line == "term\\n": program.terminate()
                    print("done", flush=True)
                program.kill()
            threading.Thread(target=obey, daemon=True).start()
            status = program.wait()
            if reader.is_alive(): reader.join()
            os._exit(status)
            """;

    private final Process launcher;
    private final Path error;
    private final Path out;
    private int asked;

    private UnreadProcess(Process launcher, Path error, Path out) {
        this.launcher = launcher;
        this.error = error;
        this.out = out;
    }

    /** @param full whether the pipe takes nothing from the start */
    static UnreadProcess start(Path directory, boolean full, List<String> program) throws IOException {
        assumeTrue(Command.run(directory, "sh", "-c", "command -v python3").status() == 0, "no python3");
        Path error = directory.resolve("error.txt");
        Path out = directory.resolve("done.txt");
        List<String> command = new ArrayList<>(List.of("python3"));
        command.add(Files.writeString(directory.resolve("unread.py"), LAUNCHER).toString());
        command.addAll(List.of(error.toString(), full ? "full" : "empty"));
        command.addAll(program);
        Process launcher = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(directory.resolve("launcher.txt").toFile())
                .start();
        return new UnreadProcess(launcher, error, out);
    }

    /** Fills the pipe. */
    void fill() throws IOException {
        ask("fill");
    }

    /** Has the pipe read from now on. */
    void read() throws IOException {
        ask("read");
    }

    /** Sends SIGTERM. */
    void terminate() throws IOException {
        ask("term");
    }

    private void ask(String what) throws IOException {
        OutputStream in = launcher.getOutputStream();
        in.write((what + '\n').getBytes(StandardCharsets.US_ASCII));
        in.flush();
        asked++;
        Await.until(what, () -> text(out).lines().filter("done"::equals).count() == asked);
    }

    /** The text that has been read. */
    String error() {
        return Files.exists(error) ? text(error) : "";
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The program's exit status. */
    int status() throws InterruptedException {
        assertThat(launcher.waitFor(3L * Await.TIMEOUT_MS, TimeUnit.MILLISECONDS))
                .as("it ends")
                .isTrue();
        return launcher.exitValue();
    }

    boolean isAlive() {
        return launcher.isAlive();
    }

    /** Ends both: the launcher kills the program once its own input ends. */
    @Override
    public void close() throws IOException {
        launcher.getOutputStream().close();
        try {
            if (!launcher.waitFor(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                launcher.descendants().forEach(ProcessHandle::destroyForcibly);
                launcher.destroyForcibly();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
