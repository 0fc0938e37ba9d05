package io.remora.naming;

import io.remora.config.model.ConfigException;
import io.remora.discovery.EndpointList;
import io.remora.discovery.ListedEndpoint;
import io.remora.files.ChangingFiles;
import io.remora.files.FileStamp;
import io.remora.files.FileWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The endpoints that a file lists. The file is watched, and replaced as a whole: a file that cannot be used leaves the
 * list before in place.
 *
 * <p>Owner: the thread that begins to watch, then the one that looks after files.
 */
final class FileResolver implements Resolver {
    private final String cluster;
    private final String path;
    private final FileWatch files;

    FileResolver(String cluster, String path, FileWatch files) {
        this.cluster = cluster;
        this.path = path;
        this.files = files;
    }

    @Override
    public AutoCloseable watch(Watcher watcher) {
        Path[] file = {Path.of(path)};
        FileStamp[] stamps = FileStamp.of(file);
        Addr first = new Addr.Pending();
        try {
            if (!FileStamp.areFresh(stamps, System.currentTimeMillis())) {
                first = Described.settled(first, read());
            }
            if (first instanceof Addr.Pending || !FileStamp.areSame(stamps, FileStamp.of(file))) {
                // it is being written, and read once it is whole
                first = new Addr.Pending();
                stamps = FileStamp.unread(1);
            }
        } catch (IOException e) {
            first = new Addr.Failed(String.valueOf(e.getMessage()));
            stamps = FileStamp.unread(1);
        }
        watcher.changed(first);
        Listed listed = new Listed(stamps, watcher, first);
        files.add(listed);
        return listed;
    }

    private List<Endpoint> read() throws IOException {
        List<Endpoint> endpoints = new ArrayList<>();
        Described described = new Described();
        try {
            for (ListedEndpoint one : EndpointList.read(path)) {
                if (one.weight() == 0) {
                    // taken out for a while
                    continue;
                }
                if (one.address().isUnix()) {
                    String path = one.address().host();
                    String name = one.address().toString();
                    endpoints.add(
                            described.of(name, UnixEndpoint.address(path), one.weight(), one.zone(), one.priority()));
                    continue;
                }
                // a literal, for which nothing is looked up
                InetAddress address = InetAddress.getByName(one.address().host());
                endpoints.add(described.of(address, one.address().port(), one.weight(), one.zone(), one.priority()));
            }
        } catch (ConfigException e) {
            throw new BadList(text(e), e);
        }
        return endpoints;
    }

    /** The first problem, and how many more there are: a log line is no place for a list. */
    private static String text(ConfigException e) {
        int more = e.problems().size() - 1;
        return e.problems().get(0) + (more == 0 ? "" : " (and " + more + " more)");
    }

    /** A file that is there and cannot be used. */
    private static final class BadList extends IOException {
        private static final long serialVersionUID = 1L;

        BadList(String message, ConfigException cause) {
            super(message, cause);
        }
    }

    /** The list as it goes with the file. */
    private final class Listed extends ChangingFiles<List<Endpoint>> implements AutoCloseable {
        private final Watcher watcher;
        /** The last answer that was one. */
        private Addr good;

        private boolean lost;

        Listed(FileStamp[] stamps, Watcher watcher, Addr first) {
            super(new Path[] {Path.of(path)}, stamps);
            this.watcher = watcher;
            this.good = first;
            this.lost = first instanceof Addr.Failed;
        }

        @Override
        protected List<Endpoint> read(long nowMs) throws IOException {
            return FileResolver.this.read();
        }

        @Override
        protected void use(List<Endpoint> read, long nowMs) {
            good = Described.settled(good, read);
            lost = false;
            watcher.changed(good);
        }

        @Override
        protected void drop(List<Endpoint> read) {}

        @Override
        protected void restored() {
            if (lost) {
                lost = false;
                watcher.changed(good);
            }
        }

        @Override
        protected void refused(IOException why) {
            if (why instanceof BadList && !(good instanceof Addr.Pending)) {
                watcher.refused(String.valueOf(why.getMessage()));
            } else {
                lost = true;
                watcher.changed(new Addr.Failed(String.valueOf(why.getMessage())));
            }
        }

        /** The watcher tells. */
        @Override
        protected void tell(String problem) {}

        @Override
        public String name() {
            return "cluster " + cluster;
        }

        @Override
        public void close() {
            files.remove(this);
        }
    }
}
