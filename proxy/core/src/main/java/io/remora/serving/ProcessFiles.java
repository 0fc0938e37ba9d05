package io.remora.serving;

import io.remora.files.FileWatch;
import io.remora.files.Watched;
import io.remora.tls.TlsSetup;
import org.jspecify.annotations.Nullable;

/**
 * Files that the process reads as long as it runs: those that it watches, and the key material of TLS. It exists before anything is
 * bound, as a configuration is judged with it.
 *
 * <p>Thread safe. Cost: the watch and TLS are loaded by their first use.
 */
public class ProcessFiles {
    private @Nullable TlsSetup tls;
    private @Nullable FileWatch watch;

    /** Returns always the same, so that what was judged is not read again. */
    public synchronized TlsSetup tls() {
        if (tls == null) {
            tls = TlsSetup.byWhatIsThere(watch());
        }
        return tls;
    }

    synchronized FileWatch watch() {
        if (watch == null) {
            watch = new FileWatch();
        }
        return watch;
    }

    /** Begins to watch files, or ends that. */
    public void watch(Watched files, boolean wanted) {
        if (wanted) {
            watch().add(files);
        } else {
            watch().remove(files);
        }
    }

    /** Releases the TLS material that was judged and is not in use. */
    public synchronized void forgetJudged() {
        if (tls != null) {
            tls.forget();
        }
    }

    /** Ends the watch, and what TLS computes apart from the event loops. */
    synchronized void close() {
        if (watch != null) {
            watch.close();
        }
        if (tls != null) {
            tls.close();
        }
    }
}
