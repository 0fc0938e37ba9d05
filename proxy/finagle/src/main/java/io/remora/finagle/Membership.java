package io.remora.finagle;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
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
 * One member of a serverset: an ephemeral node, which ends with its session. It is made again once a session has
 * expired, or another client has deleted the node. It is written again once another client has written into it.
 *
 * <p>Owner: a thread of its own, because ZooKeeper's calls wait for an answer, and a silent ensemble must not delay
 * another one.
 */
final class Membership {
    /** The session timeout of Finagle's announcer. A server that ticks slowly grants a longer one. */
    private static final int SESSION_MS = 4_000;

    private static final long FIRST_RETRY_MS = 1_000;
    private static final long LAST_RETRY_MS = 60_000;
    /** The time within which another foreign write to the node is not undone at once, but after a delay that grows. */
    private static final long REWRITE_NS = 1_000_000_000L;

    private static final String NODE = "member_";

    private final MemberRecord record;
    private final ScheduledThreadPoolExecutor executor;
    private @Nullable Session session;
    private boolean ended;
    private boolean retrying;
    /** True if ZooKeeper could not be reached by the last report. */
    private boolean away;

    private long retryMs = FIRST_RETRY_MS;
    /** The time of the last rewrite of the node. */
    private long rewrittenNs = System.nanoTime() - REWRITE_NS;

    Membership(MemberRecord record) {
        this.record = record;
        executor = new ScheduledThreadPoolExecutor(1, work -> {
            Thread made = new Thread(work, "remora-announcer");
            made.setDaemon(true);
            return made;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Joins, as soon as that can be done. Any thread. */
    void begin() {
        turn(this::connect);
    }

    /** Leaves; {@code then} is run when that is known, or known not to be possible. Any thread. */
    void end(Runnable then) {
        turn(() -> {
            ended = true;
            Session current = session;
            session = null;
            try {
                if (current != null) {
                    current.leave();
                }
            } finally {
                then.run();
                executor.shutdown();
            }
            if (current != null) {
                current.close();
            }
        });
    }

    // an executor would keep what is thrown to itself
    private void turn(Runnable work) {
        try {
            executor.execute(() -> attempt(work));
        } catch (RejectedExecutionException e) {
            // it has left
        }
    }

    private void attempt(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            later("announcing failed", e);
        }
    }

    private void connect() {
        if (ended) {
            return;
        }
        try {
            session = new Session();
        } catch (IOException e) {
            later("no session with ZooKeeper", e);
        }
    }

    // its client says it for each attempt
    private void reached(boolean now) {
        if (away && now) {
            Log.info(LogComponent.FINAGLE, record.member() + ": ZooKeeper reachable again");
        } else if (!away && !now) {
            Log.warn(LogComponent.FINAGLE, record.member() + ": ZooKeeper unreachable; reconnecting");
        }
        away = !now;
    }

    private void lost(String why) {
        record.tell(false);
        Log.warn(LogComponent.FINAGLE, record.member() + ": " + why + "; joining again");
    }

    private void later(String what, Throwable why) {
        if (ended || retrying) {
            return;
        }
        retrying = true;
        long delayMs = retryMs / 2 + ThreadLocalRandom.current().nextLong(retryMs / 2 + 1);
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
        Log.warn(
                LogComponent.FINAGLE,
                record.member() + ": " + what + ", " + why + "; trying again in " + delayMs + " ms");
        executor.schedule(() -> attempt(this::again), delayMs, TimeUnit.MILLISECONDS);
    }

    private void again() {
        retrying = false;
        Session current = session;
        if (current == null) {
            connect();
        } else {
            current.join();
        }
    }

    /** A session, and the node that it has. */
    private final class Session implements Watcher {
        private final ZooKeeper client;
        private @Nullable String node;
        /** True if a node may exist whose creation was not confirmed. */
        private boolean doubtful;

        Session() throws IOException {
            client = new ZooKeeper(record.member().hosts(), SESSION_MS, this);
        }

        @Override
        public void process(WatchedEvent event) {
            turn(() -> heard(event));
        }

        private void heard(WatchedEvent event) {
            if (session != this) {
                return;
            }
            if (event.getType() != Event.EventType.None) {
                // any event has spent the watch
                join();
            } else if (event.getState() == Event.KeeperState.Expired) {
                session = null;
                lost("its session has expired");
                connect();
            } else if (event.getState() == Event.KeeperState.SyncConnected) {
                reached(true);
                join();
            } else if (event.getState() == Event.KeeperState.Disconnected) {
                reached(false);
            }
        }

        /** Makes sure that its node is there, and watches it. */
        void join() {
            if (session != this || !client.getState().isConnected()) {
                // it is heard of when that changes
                return;
            }
            try {
                if (node != null && !isThere(node)) {
                    node = null;
                    lost("its node is gone");
                }
                if (node == null) {
                    make();
                }
                record.tell(true);
                retryMs = FIRST_RETRY_MS;
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
            }
            doubtful = false;
            node = made;
            if (!isThere(made)) {
                node = null;
                throw new KeeperException.NoNodeException(made);
            }
            Log.info(LogComponent.FINAGLE, "joined " + record.member() + " as " + record);
        }

        /** Returns whether the node is there, and restores its record. The watch that it sets reports one change. */
        private boolean isThere(String at) throws KeeperException, InterruptedException {
            try {
                Stat seen = new Stat();
                if (!Arrays.equals(client.getData(at, this, seen), record.json())) {
                    rewrite(at, seen.getVersion());
                }
                return true;
            } catch (KeeperException.NoNodeException e) {
                return false;
            }
        }

        // no reader of the node knows another writer's record
        private void rewrite(String at, int version) throws KeeperException, InterruptedException {
            long nowNs = System.nanoTime();
            if (nowNs - rewrittenNs < REWRITE_NS) {
                record.tell(false);
                throw new KeeperException.BadVersionException(at);
            }
            rewrittenNs = nowNs;
            Log.warn(LogComponent.FINAGLE, record.member() + ": its node was overwritten; restoring it");
            client.setData(at, record.json(), version);
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

        /** Deletes its node, if ZooKeeper can be reached. */
        void leave() {
            if (node == null && !doubtful) {
                return;
            }
            try {
                if (!client.getState().isConnected()) {
                    throw new KeeperException.ConnectionLossException();
                }
                String mine = node == null ? own() : node;
                if (mine != null) {
                    client.delete(mine, -1);
                }
                record.tell(false);
                Log.info(LogComponent.FINAGLE, "left " + record.member());
            } catch (KeeperException.NoNodeException e) {
                record.tell(false);
            } catch (KeeperException e) {
                Log.warn(LogComponent.FINAGLE, record.member() + ": not left, " + e + "; it ends with the session");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void close() {
            try {
                client.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
