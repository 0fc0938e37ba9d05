package io.remora.config;

import io.remora.config.HeaderPolicy.ForwardingMode;
import io.remora.config.HeaderPolicy.RequestIdMode;

/** What holds where the file says nothing, each value with its reason, and the bounds of what a file may say. */
final class Defaults {
    /** One event loop carries the traffic of one application; each further one brings pools and buffers of its own. */
    static final int WORKERS = 1;

    static final int MAX_WORKERS = 64;

    /** The property by which a JVM profile for high rates asks for more loops; the file wins. */
    static final String WORKERS_PROPERTY = "remora.workers";

    /** Kubernetes gives a pod as long between SIGTERM and SIGKILL. */
    static final long DRAIN_TIMEOUT_NS = 30_000_000_000L;

    /** Life cycle and changes of state, nothing for each request. */
    static final LogLevel LOG_LEVEL = LogLevel.INFO;

    /** A name of the process's own: two sidecars in a row with one name would take each other for a loop. */
    static final String VIA_NAME = ProxyConfig.VIA_AUTO;

    /** Loopback: who can reach the admin listener can end the process. */
    static final String ADMIN_HOST = "127.0.0.1";

    /** The port of the sidecar's kin, so that operators' habits and scrape rules hold. */
    static final int ADMIN_PORT = 9990;

    static final boolean ADMIN_ALLOW_REMOTE = false;

    /** Machines read it: one object a line needs no pattern to take apart. */
    static final AccessLogConfig.Format ACCESS_LOG_FORMAT = AccessLogConfig.Format.JSON;

    /** Where a container's runtime collects lines. */
    static final String ACCESS_LOG_OUTPUT = "stdout";

    /** One second of lines at a thousand exchanges a second, while the disk is busy. */
    static final int ACCESS_LOG_QUEUE_ENTRIES = 1024;

    /** The application learns who called, and the proxies before this one are still named. */
    static final ForwardingMode X_FORWARDED = ForwardingMode.APPEND;

    /** It says what X-Forwarded-* says: one of the two is enough. */
    static final ForwardingMode FORWARDED = ForwardingMode.OFF;

    /** It sorts by time and is shorter than a UUID. */
    static final RequestIdMode REQUEST_ID = RequestIdMode.ULID;

    /** What one application serves with room to spare, and what a process may open by default leaves to the rest. */
    static final int CONNECTIONS = 10_000;

    /** The longest request target that common servers take. */
    static final int REQUEST_LINE_BYTES = 8 << 10;

    /** Large cookies and tokens fit; what one client can make the sidecar hold stays small. */
    static final int HEADER_BLOCK_BYTES = 32 << 10;

    /** Three times what browsers and meshes send. */
    static final int HEADER_FIELDS = 100;

    /** Clients that pipeline send few; each waiting request holds its header section. */
    static final int PIPELINED_REQUESTS = 16;

    /**
     * Keeps a fast link busy across one turn of the event loop; times two and connections, it is what bodies can hold.
     */
    static final int BUFFER_BYTES = 32 << 10;

    /** An application that is this far behind is helped by a quick 503, not by a longer queue. */
    static final int IN_FLIGHT_EXCHANGES = 1_000;

    /** Bodies stream and are never gathered, so that their size costs nothing. */
    static final long BODY_BYTES = Limits.UNLIMITED;

    /** A header section is one or two packets: who needs longer holds a connection open on purpose. */
    static final long HEADER_READ_NS = 10_000_000_000L;

    /** A peer that moves no byte for so long is gone. */
    static final long BODY_IDLE_NS = 30_000_000_000L;

    /** Longer than common clients and load balancers keep theirs, so that it is rarely this side that closes first. */
    static final long FRONTEND_IDLE_NS = 300_000_000_000L;

    /** Per endpoint and event loop: above the exchanges in flight, so that it is no second limit of its own. */
    static final int MAX_CONNECTIONS = 1_024;

    /** What a burst leaves behind is given back; the steady state of a busy application stays connected. */
    static final int MAX_IDLE_CONNECTIONS = 64;

    /**
     * An endpoint is the operator's own and may send more than a client; the bound keeps a broken one from filling the
     * heap.
     */
    static final int RESPONSE_HEADER_BLOCK_BYTES = 64 << 10;

    /** The endpoint is on this machine or in this network: a second is a lost packet and its repetition. */
    static final long CONNECT_TIMEOUT_NS = 1_000_000_000L;

    /** The longest that users wait. */
    static final long RESPONSE_HEADER_NS = 30_000_000_000L;

    /** Shorter than application servers commonly keep theirs, so that it is rarely the endpoint that closes first. */
    static final long BACKEND_IDLE_NS = 60_000_000_000L;

    /** What a timer of an event loop can tell apart. */
    static final long MIN_DURATION_NS = 1_000L;

    /** No wait of a proxy is meant to be longer; what is, is a slip of the unit. */
    static final long MAX_DURATION_NS = 24 * 3_600_000_000_000L;

    /** Of connections, exchanges and queues: more does not fit into one process. */
    static final int MAX_COUNT = 1_000_000;

    /** Of header fields and pipelined requests. */
    static final int MAX_PER_CONNECTION = 10_000;

    /** Below it no request fits. */
    static final int MIN_BYTES = 256;

    /** Of header sections and buffers, which are held whole. */
    static final int MAX_HELD_BYTES = 16 << 20;

    /** Of a body limit; beyond it, off is meant. */
    static final long MAX_BODY_BYTES = 1L << 40;

    private Defaults() {}

    static int workers() {
        return Math.min(Math.max(Integer.getInteger(WORKERS_PROPERTY, WORKERS), 1), MAX_WORKERS);
    }
}
