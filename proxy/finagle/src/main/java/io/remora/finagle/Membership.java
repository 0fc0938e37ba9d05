package io.remora.finagle;

import io.remora.log.Log;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One member of a serverset: an ephemeral node, which ends with its session. It is made anew when a session has expired, and when
 * somebody has deleted it.
 *
 * <p>Owner: the announcer's thread.
 */
final class Membership {
    private static final int SESSION_MS = 10_000;
    private static final long RETRY_S = 2;
    private static final int ENDING_MS = 500;
    private static final String NODE = "member_";

    private final MemberRecord record;
    private final ScheduledExecutorService thread;
    private @Nullable Session session;
    private boolean ended;
    private boolean retrying;

    Membership(MemberRecord record, ScheduledExecutorService thread) {
        this.record = record;
        this.thread = thread;
    }

    void begin() {
        if (ended) {
            return;
        }
        try {
            session = new Session();
        } catch (IOException | RuntimeException e) {
            later("no session with ZooKeeper", e);
        }
    }

    /** With its session the member goes. */
    void end() {
        ended = true;
        Session current = session;
        session = null;
        if (current != null) {
            current.close();
            record.tell(false);
            Log.info("left " + record.member());
        }
    }

    private void lost(String why) {
        record.tell(false);
        if (!ended) {
            Log.warn(record.member() + ": " + why + "; joining again");
        }
    }

    private void later(String what, Exception why) {
        Log.warn(record.member() + ": " + what + " (" + why + "); trying again in " + RETRY_S + " s");
        if (!retrying) {
            retrying = true;
            thread.schedule(this::again, RETRY_S, TimeUnit.SECONDS);
        }
    }

    private void again() {
        retrying = false;
        Session current = session;
        if (current == null) {
            begin();
        } else {
            current.join();
        }
    }

    /** A session, and the node that it has. */
    private final class Session implements Watcher {
        private final ZooKeeper client;
        private @Nullable String node;
        /** Whether a node may be there of which nobody has told. */
        private boolean doubtful;

        Session() throws IOException {
            client = new ZooKeeper(record.member().hosts(), SESSION_MS, this);
        }

        @Override
        public void process(WatchedEvent event) {
            try {
                thread.execute(() -> heard(event));
            } catch (RejectedExecutionException e) {
                // it has left
            }
        }

        private void heard(WatchedEvent event) {
            if (session != this) {
                return;
            }
            if (event.getType() == Event.EventType.NodeDeleted) {
                if (event.getPath().equals(node)) {
                    node = null;
                    lost("its node is gone");
                }
                join();
            } else if (event.getState() == Event.KeeperState.Expired) {
                session = null;
                lost("its session has expired");
                begin();
            } else if (event.getState() == Event.KeeperState.SyncConnected && event.getType() == Event.EventType.None) {
                join();
            }
        }

        /** Has its node there. */
        void join() {
            if (session != this || !client.getState().isConnected()) {
                // it is heard of when that changes
                return;
            }
            try {
                if (node == null || client.exists(node, this) == null) {
                    make();
                }
                record.tell(true);
            } catch (KeeperException e) {
                later("not joined", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void make() throws KeeperException, InterruptedException {
            String made = doubtful ? own() : null;
            if (made == null) {
                doubtful = true;
                made = create();
                doubtful = false;
            }
            node = made;
            if (client.exists(made, this) == null) {
                throw new KeeperException.NoNodeException(made);
            }
            Log.info("joined " + record.member() + " as " + record);
        }

        private String create() throws KeeperException, InterruptedException {
            String path = record.member().path();
            for (int slash = path.indexOf('/', 1); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                parent(path.substring(0, slash));
            }
            parent(path);
            return client.create(
                    path + '/' + NODE, record.json(), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
        }

        private void parent(String path) throws KeeperException, InterruptedException {
            if (client.exists(path, false) == null) {
                try {
                    client.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                } catch (KeeperException.NodeExistsException e) {
                    // another one was faster
                }
            }
        }

        // one whose making was not answered, as the connection was lost meanwhile
        private @Nullable String own() throws KeeperException, InterruptedException {
            String path = record.member().path();
            if (client.exists(path, false) == null) {
                return null;
            }
            for (String child : client.getChildren(path, false)) {
                if (child.startsWith(NODE)) {
                    String at = path + '/' + child;
                    Stat stat = client.exists(at, false);
                    if (stat != null && stat.getEphemeralOwner() == client.getSessionId()) {
                        return at;
                    }
                }
            }
            return null;
        }

        void close() {
            try {
                client.close(ENDING_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
