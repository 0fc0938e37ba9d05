package io.remora.reload;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.files.ChangingFiles;
import io.remora.files.FileStamp;
import io.remora.serving.ProcessFiles;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The configuration file where it is looked after. What it says at the first look is read as well: it may have changed since the
 * start read it.
 *
 * <p>Owner: the thread that looks.
 */
final class WatchedConfig extends ChangingFiles<ProxyConfig> {
    private static final int BAD = 422;

    private final ReloadAttempts attempts;
    private final ProcessFiles files;
    private final String file;

    private boolean watching;

    WatchedConfig(ReloadAttempts attempts, ProcessFiles files, String file) {
        super(new Path[] {Path.of(file)}, FileStamp.unread(1));
        this.attempts = attempts;
        this.files = files;
        this.file = file;
    }

    /** Begins or ends the watch, as the configuration that holds wants it. On any thread. */
    synchronized void follow() {
        boolean wanted = attempts.watches();
        if (wanted != watching && !ConfigReader.nameOf(file).equals("<stdin>")) {
            watching = wanted;
            files.watch(this, wanted);
        }
    }

    @Override
    protected ProxyConfig read(long nowMs) throws IOException {
        boolean good = false;
        try {
            ProxyConfig read = attempts.judge();
            good = true;
            return read;
        } catch (ConfigException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            if (!good) {
                attempts.forget();
            }
        }
    }

    @Override
    protected void use(ProxyConfig read, long nowMs) {
        attempts.use(read);
        follow();
    }

    @Override
    protected void drop(ProxyConfig read) {
        attempts.forget();
    }

    @Override
    protected void refused(IOException why) {
        attempts.refused(BAD, why.getMessage() + "\n");
    }

    @Override
    protected void tell(String problem) {
        // told when it was refused
    }

    @Override
    public String name() {
        return "configuration " + file;
    }
}
