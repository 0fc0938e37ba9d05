package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A server of somebody else's on ports of this machine, as a process in a directory of the test's. */
final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final Path output;

    /** Starts it; both its streams go to a file in the directory. */
    ServerProcess(Path directory, String output, List<String> command) {
        this.output = directory.resolve(output);
        try {
            process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(this.output.toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int freePort() {
        return FreePort.next();
    }

    /** Returns once it accepts connections. */
    void awaitOpen(int port) {
        await(Await.TIMEOUT_MS, () -> isOpen(port));
    }

    /** Returns once the condition holds; where it does not in time, whoever asked for the server never has it, and it is ended here. */
    void await(int timeoutMs, BooleanSupplier condition) {
        boolean ready = false;
        try {
            ready = Await.within(timeoutMs, condition);
        } finally {
            if (!ready) {
                close();
            }
        }
        if (!ready) {
            throw new AssertionError("not ready within " + timeoutMs + " ms: " + text(output));
        }
    }

    boolean isOpen(int port) {
        if (!process.isAlive()) {
            throw new AssertionError("ended: " + text(output));
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it and whatever it has started, such as the program that is behind a script. */
    @Override
    public void close() {
        List<ProcessHandle> others = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        others.forEach(ProcessHandle::destroyForcibly);
    }
}
