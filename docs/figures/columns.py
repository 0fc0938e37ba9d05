"""What the tables show: the columns, the bars, and the names of the systems."""

# Columns: key, heading, decimal places.
# Memory that a node pays for, before memory that it may share.
PAID = (("marginal_mb", "marginal cost, MB", 1), ("private_mb", "private, MB", 1), ("working_set_mb", "working set, MB", 1))
MEMORY_AND_CPU = (
    PAID[0], ("kept_mb", "not released, MB", 1), *PAID[1:], ("peak_rss_mb", "peak RSS, MB", 1), ("pss_mb", "PSS, MB", 1), ("cpu_us", "CPU per request, us", 0),
    ("closed_rps", "closed loop, rps", 0), ("closed_cpu_us", "its CPU per request, us", 0), ("closed_rss_mb", "its peak RSS, MB", 1),
)
WIRE = (("wire_p50_us", "wire p50, us", 0), ("wire_p99_us", "wire p99, us", 0))
LATENCY = (("added_p50_us", "added p50, us", 0), ("added_p99_us", "added p99, us", 0), ("added_p999_us", "added p999, us", 0),
           *WIRE, ("start_s", "start, s", 2))
HOST = (
    ("rate_rps", "rate", 1), ("client_p50_us", "client p50, us", 0), ("client_p99_us", "client p99, us", 0),
    ("client_p999_us", "client p999, us", 0), ("hiccup_p99_us", "hiccup p99, us", 0), ("hiccup_p999_us", "hiccup p999, us", 0),
    ("hiccup_over_5ms", "hiccups over 5 ms", 0), ("steal_share", "stolen CPU share", 3),
)
RATIOS = tuple((key, heading, 2) for key, heading, _ in (*MEMORY_AND_CPU, *WIRE))
# Columns of a comparison over TLS.
TLS_MEMORY = (
    ("private_mb", "private, MB", 1), ("private_to_envoy", "to Envoy's", 2), ("working_set_mb", "working set, MB", 1), ("working_set_to_envoy", "to Envoy's", 2),
    ("peak_rss_mb", "peak RSS, MB", 1), ("rss_above_mb", "above plain, MB", 1), ("rss_to_envoy", "to Envoy's", 2), ("cpu_us", "CPU per request, us", 0),
    ("cpu_to_envoy", "to Envoy's", 2),
    ("closed_rps", "closed loop, rps", 0), ("closed_cpu_us", "its CPU per request, us", 0), ("closed_cpu_above", "above plain, %", 0),
)
TLS_CONNECTIONS = (
    ("steady_own_p99_us", "in the sidecar p99, us", 0), ("steady_own_p999_us", "p999, us", 0), ("new_own_p99_us", "p99 with newcomers, us", 0),
    ("handshake_cpu_ms", "full handshake, ms of CPU", 2), ("handshake_to_envoy", "to Envoy's", 2),
    ("remembered_cpu_ms", "full handshake of one client, ms", 2), ("remembered_to_envoy", "to Envoy's", 2), ("resumed_cpu_ms", "resumed, ms", 2),
    ("resumed_to_envoy", "to Envoy's", 2), ("hybrid_cpu_ms", "full with X25519MLKEM768, ms", 2), ("hybrid_to_envoy", "to Envoy's", 2),
    ("hybrid_classic_cpu_ms", "full with X25519 by the same client, ms", 2), ("idle_kib", "idle connection, KiB", 1),
)
# Columns of a comparison over HTTP/2, gRPC and TCP.
H2_MEMORY = (
    ("private_mb", "private, MB", 1), ("private_to_envoy", "to Envoy's", 2), ("working_set_mb", "working set, MB", 1), ("working_set_to_envoy", "to Envoy's", 2),
    ("peak_rss_mb", "peak RSS, MB", 1), ("rss_above_mb", "above HTTP/1.1, MB", 1), ("rss_to_envoy", "to Envoy's", 2), ("cpu_us", "CPU per request, us", 0),
    ("cpu_to_envoy", "to Envoy's", 2), ("closed_rps", "closed loop, rps", 0), ("closed_to_envoy", "to Envoy's", 2), ("closed_cpu_us", "its CPU per request, us", 0),
)
H2_LATENCY = (
    ("own_p99_us", "in the sidecar p99, us", 0), ("own_p999_us", "p999, us", 0), ("added_p99_us", "added p99, us", 0), ("added_p999_us", "added p999, us", 0),
    ("unstalled_p99_us", "one connection p99, us", 0), ("stalled_p99_us", "with a stalled stream, us", 0), ("idle_kib", "idle connection, KiB of RSS", 1),
    ("idle_heap_kib", "of heap", 1), ("idle_direct_kib", "of direct memory", 1),
)
H2_OTHERS = (
    ("grpc_rps", "unary calls a second", 0), ("grpc_to_envoy", "to Envoy's", 2), ("grpc_cpu_us", "CPU of a call, us", 0),
    ("grpc_first_rps", "calls a second right after the start", 0), ("grpc_first_to_envoy", "to Envoy's", 2), ("grpc_private_mb", "private, MB", 1),
    ("grpc_working_set_mb", "working set, MB", 1),
    ("tcp_mb_s", "one TCP connection, MB a second", 0), ("tcp_to_haproxy", "to HAProxy's", 2), ("tcp_cpu_ms", "CPU of a GB, ms", 0),
    ("tcp_private_mb", "private, MB", 1), ("tcp_working_set_mb", "working set, MB", 1),
)
SHORT_KEYS = ("marginal_mb", "private_mb", "working_set_mb", "peak_rss_mb", "cpu_us", "added_p50_us", "added_p99_us", "wire_p50_us", "wire_p99_us", "closed_rps", "start_s")
IN_SHORT = tuple(column for key in SHORT_KEYS for column in (*MEMORY_AND_CPU, *LATENCY) if column[0] == key)
# Ratios to Envoy's in a sentence.
OF_ENVOY = (("private_mb", "private memory"), ("working_set_mb", "working set"), ("peak_rss_mb", "peak RSS"), ("cpu_us", "CPU per request"),
            ("closed_rps", "closed-loop throughput"))
# README's first figures, and whose they are.
WHY = (("private_mb", "private memory, MB", 1), ("cpu_us", "CPU per request, us", 0), ("wire_p99_us", "time in the proxy, p99, us", 0))
WHY_SYSTEMS = ("i386-client", "amd64-c1", "envoy", "haproxy")
# By runtime image: the container that holds it, its JVM, and its use.
IMAGES = {
    "i386-client": ("remora:i386", "32-bit x86, C1", "memory matters most; it runs on 64-bit hosts, too"),
    "compact3-amd64": ("remora:compact3", "64-bit x86, C1", "you add code, such as an agent, that needs the modules of compact3"),
    "amd64-c1": ("", "64-bit x86, C1", "32-bit programs are not an option"),
    "amd64-tiered": ("", "64-bit x86, C1 and C2", "throughput matters more than memory"),
}
BY_RATE = {
    "memory": ("peak_rss_mb", "peak RSS, MB", 1), "cpu": ("cpu_percent", "CPU, per cent of a core", 1),
    "p99": ("own_p99_us", "time in the sidecar, p99, us", 0), "p999": ("own_p999_us", "time in the sidecar, p999, us", 0),
}
# The road from where the origin began to the smallest image: the arm of the footprint by rate, and what it is.
ROAD = {
    "finagle before": "Finagle's engine on the machine's 64-bit JDK, with C2 and every default",
    "compact3-amd64-finagle": "Finagle's engine in an image: few modules, and a VM built with C1 alone",
    "compact3-386-finagle": "the same with 32 bits, where the origin ended",
    "before": "Remora's own engine on the machine's 64-bit JDK, with every default",
    "compact3-amd64": "Remora's own engine in the image with C1 alone",
    "i386-client": "the same with 32 bits",
}
# Figures of Linkerd in 2016, MB by rate: before the tuning and after it.
ORIGIN_BEFORE, ORIGIN_AFTER = {"1000": "500"}, {"100": "105", "1000": "115"}
# Rows of a conformance test's report: key, heading, decimal places.
CONFORMANCE = {
    "time in the proxy, p99": ("p99_ms", "p99, ms", 2), "time in the proxy, p999": ("p999_ms", "p999, ms", 1),
    "private": ("private_mb", "private, MB", 1), "working set": ("working_set_mb", "working set, MB", 1),
    "peak RSS": ("peak_rss_mb", "peak RSS, MB", 1), "CPU": ("cpu_percent", "CPU, per cent of a core", 0),
}
# Figures that verdicts of 2026-11-30 and before do not have.
LATER = ("private_mb", "working_set_mb")
# TLS in a conformance test, by the name in its row.
MODES = {"tls": "TLS", "mtls": "mTLS"}
# Options of a conformance test, likewise.
FEATURES = {"mesh": "mesh"}
PROTOCOLS = {"h2": "HTTP/2", "grpc": "gRPC", "tcp": "TCP"}
DIRECT = "direct"
OPTIONS = ("rate", "connections", "body", "warmup", "seconds", "closed")
TLS_OPTIONS = ("rate", "connections", "body", "newcomers")
H2_OPTIONS = ("rate", "connections", "streams", "body", "idle")
FAULT_OPTIONS = ("rate", "connections", "fault_seconds")
# Systems next to the sidecar in the table of faults.
PEERS = ("envoy", "haproxy")
RANGES = "Figures are medians of the rounds, with (least .. most) where a range is shown"
SYSTEMS = {"envoy": "Envoy", "haproxy": "HAProxy", "nginx": "nginx"}

# Targets of the JVM of the image amd64-c1: figure, where it stands, the bar, and whether the bar is the most or the least.
JUDGED = "amd64-c1"
BARS = (
    ("private memory at 1,000 requests a second, MB", ("comparison", "figures", JUDGED, "private_mb"), 10.5, "at most", 1),
    ("working set, cold caches, MB", ("comparison", "figures", JUDGED, "working_set_mb"), 12.5, "at most", 1),
    ("marginal cost, MB", ("comparison", "figures", JUDGED, "marginal_mb"), 11, "at most", 1),
    ("peak RSS, MB", ("comparison", "figures", JUDGED, "peak_rss_mb"), 30, "at most", 1),
    ("CPU per request, us", ("comparison", "figures", JUDGED, "cpu_us"), 135, "at most", 0),
    ("CPU per request, as a ratio to Envoy's", ("comparison", "ratios", "envoy", JUDGED, "cpu_us"), 0.8, "at most", 2),
    ("time on the wire p50, as a ratio to Envoy's", ("comparison", "ratios", "envoy", JUDGED, "wire_p50_us"), 0.7, "at most", 2),
    ("closed-loop throughput, as a ratio to Envoy's", ("comparison", "ratios", "envoy", JUDGED, "closed_rps"), 1.3, "at least", 2),
    ("time in the proxy p99 at 1,000 requests a second, us", ("footprint", "figures", "own_p99_us", JUDGED, "1000"), 1000, "at most", 0),
    ("time in the proxy p999 at 1,000 requests a second, us", ("footprint", "figures", "own_p999_us", JUDGED, "1000"), 5000, "at most", 0),
    ("loaded classes, after a scrape", ("single", "loaded_classes"), 2300, "at most", 0),
    ("idle keep-alive connection, bytes of heap", ("single", "idle_connection_heap_bytes"), 4096, "at most", 0),
)

# Keys of storm.json, for each storm and each burst, next to its time, duration and machine.
STORM = ("killed", "percent", "answered_percent", "ok_percent", "recovered_s", "gc_percent", "lag_p99_ms", "missed")
BURST = ("before_mb", "peak_mb", "after_mb", "missed")

# Keys of compare.json after the names of images, and of warm-up.json.
WITH_FEATURES = "+features"
# Headings of these next to others there.
FEATURE_BARS = {"peak RSS, MB": "peak RSS above the image's, MB", "in the closed loop, %": "CPU per request in the closed loop above the image's, %"}
WARM_UP = (("ready_ms", "from the start until ready, ms", 0), ("first_p99_ms", "first second p99, ms", 2), ("steady_p99_ms", "steady p99, ms", 2),
           ("times", "first to steady p99", 2), ("rss_mb", "RSS, MB", 1))
