package io.remora.reload;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.files.ChangingFiles;
import io.remora.files.FileStamp;
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

    private final Reload reload;
    private final String file;

    WatchedConfig(Reload reload, String file) {
        super(new Path[] {Path.of(file)}, FileStamp.unread(1));
        this.reload = reload;
        this.file = file;
    }

    @Override
    protected ProxyConfig read(long nowMs) throws IOException {
        boolean good = false;
        try {
            ProxyConfig read = reload.judge();
            good = true;
            return read;
        } catch (ConfigException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            if (!good) {
                reload.forget();
            }
        }
    }

    @Override
    protected void use(ProxyConfig read, long nowMs) {
        reload.use(read);
    }

    @Override
    protected void drop(ProxyConfig read) {
        reload.forget();
    }

    @Override
    protected void refused(IOException why) {
        reload.refused(BAD, why.getMessage() + "\n");
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
