package io.remora.tls;

import io.remora.config.model.LogComponent;
import io.remora.files.ChangingFiles;
import io.remora.files.FileStamp;
import io.remora.log.Log;
import io.remora.metrics.TlsStats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The material of one listener or cluster, renewed with its files. Changed files hold for handshakes from then on;
 * files that cannot be used change nothing. With the watch on files, a new certificate is shown in two seconds.
 *
 * <p>Owner: who makes it, then the thread that looks.
 */
final class Rotation extends ChangingFiles<TlsMaterial> {
    private final TlsMaterial.Source source;
    private final TlsHandshake handshake;
    private final TlsStats stats;
    private TlsMaterial used;

    /**
     * @param files as {@link #files} has them
     * @param stamps of the files, from before they were read
     * @param used what was read then
     */
    Rotation(
            TlsMaterial.Source source,
            Path[] files,
            FileStamp[] stamps,
            TlsMaterial used,
            TlsHandshake handshake,
            TlsStats stats) {
        super(files, stamps);
        this.source = source;
        this.used = used;
        this.handshake = handshake;
        this.stats = stats;
    }

    static Path[] files(TlsMaterial.Source source) {
        List<String> paths = source.paths();
        Path[] files = new Path[paths.size()];
        for (int i = 0; i < files.length; i++) {
            files[i] = Path.of(paths.get(i));
        }
        return files;
    }

    @Override
    public long look(long nowNs, long nowMs) {
        used.warn(nowMs);
        return super.look(nowNs, nowMs);
    }

    @Override
    protected TlsMaterial read(long nowMs) throws IOException {
        TlsMaterial next = source.read();
        String worse = next.worseThan(used, nowMs);
        if (worse != null) {
            next.context().release();
            throw new MaterialException(worse);
        }
        return next;
    }

    @Override
    protected void use(TlsMaterial next, long nowMs) {
        handshake.replace(next.context());
        used = next;
        stats.expires(next.expiresSeconds());
        stats.tellLists(next.listsExpireSeconds());
        stats.reloaded(true);
        Log.info(LogComponent.TLS, source.name() + ": files changed; using the new ones");
        next.tell(nowMs);
    }

    @Override
    protected void drop(TlsMaterial next) {
        next.context().release();
    }

    @Override
    protected void refused(IOException why) {
        stats.reloaded(false);
    }

    @Override
    protected void tell(String problem) {
        Log.warn(LogComponent.TLS, problem + "; rejecting the changed files and keeping the former ones");
    }

    @Override
    public String name() {
        return source.name();
    }
}
