package io.remora.metrics;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All that is counted, for a scrape to read. Thread safe: stages register what they write, the exposition reads.
 *
 * <p>Bounds: one entry per listener, per event loop, and per loop and endpoint that is in use, and at most one more per
 * endpoint; traffic adds none but where a template has clusters for the hosts that requests name, within its bound.
 */
public final class Stats {
    private final List<ListenerStats> listeners = new CopyOnWriteArrayList<>();
    private final List<LoopStats> loops = new CopyOnWriteArrayList<>();
    /** Empty where nobody has TLS, so that its table is not even loaded. */
    private final List<TlsStats> tls = new CopyOnWriteArrayList<>();
    /** Empty where no cluster does anything about failures, so that its table is not even loaded. */
    private final List<ClusterStats> clusters = new CopyOnWriteArrayList<>();
    /** Empty where every listener's admission is fixed, so that its table is not even loaded. */
    private final List<AdmissionStats> admissions = new CopyOnWriteArrayList<>();
    /** Empty where nothing is limited by its rate, so that its table is not even loaded. */
    private final List<RateLimitStats> rateLimits = new CopyOnWriteArrayList<>();
    /** Empty where every cluster lists its endpoints, so that its table is not even loaded. */
    private final List<NamingStats> naming = new CopyOnWriteArrayList<>();
    /** Empty where nobody has a template, so that its table is not even loaded. */
    private final List<HostStats> hosts = new CopyOnWriteArrayList<>();
    /** Empty but where another engine counts in words of its own, so that its table is not even loaded. */
    private final List<EngineStats> engines = new CopyOnWriteArrayList<>();
    /** Empty where no listener is announced, so that its table is not even loaded. */
    private final List<AnnounceStats> announcements = new CopyOnWriteArrayList<>();
    /** Empty where no connection begins with a PROXY header, so that its table is not even loaded. */
    private final List<ProxyHeaderStats> proxyHeaders = new CopyOnWriteArrayList<>();
    /** Empty where no listener speaks HTTP/2, so that its table is not even loaded. */
    private final List<Http2Stats> http2 = new CopyOnWriteArrayList<>();
    /** Empty where every listener knows what its clients speak, so that its table is not even loaded. */
    private final List<DetectStats> detections = new CopyOnWriteArrayList<>();
    /** As {@link #http2}. */
    private final List<GrpcStats> grpc = new CopyOnWriteArrayList<>();
    /** Empty where no listener names methods of gRPC, so that its table is not even loaded. */
    private final List<GrpcMethodStats> grpcMethods = new CopyOnWriteArrayList<>();
    /** Empty where no request is copied. */
    private final CopyOnWriteArrayList<MirrorStats> mirrors = new CopyOnWriteArrayList<>();
    /** Empty where only HTTP/1.1 is spoken to endpoints, so that its table is not even loaded. */
    private final List<BackendHttp2Stats> backendHttp2 = new CopyOnWriteArrayList<>();
    /** Empty where nothing is traced, so that its table is not even loaded. */
    private final List<TraceStats> traces = new CopyOnWriteArrayList<>();

    private final EndpointRegister endpoints = new EndpointRegister();

    /** What is counted by listener, of which it is the first label. */
    private final List<List<? extends Counts<?>>> ofListeners = List.of(
            listeners,
            admissions,
            announcements,
            proxyHeaders,
            http2,
            detections,
            grpc,
            grpcMethods,
            mirrors,
            rateLimits);

    public ListenerStats add(ListenerStats stats) {
        listeners.add(stats);
        return stats;
    }

    public EndpointStats add(EndpointStats stats) {
        endpoints.add(stats);
        return stats;
    }

    /** Goes on with what was counted before where the same listener or cluster has TLS anew. */
    public synchronized TlsStats add(TlsStats stats) {
        return TlsStats.join(tls, stats);
    }

    /** Goes on with what was counted before where the same cluster comes anew; {@link #remove(ClusterStats)} for each. */
    public synchronized ClusterStats add(ClusterStats stats) {
        return ClusterStats.join(clusters, stats);
    }

    /** Goes on with what was counted before where the same listener has it anew. */
    public synchronized AdmissionStats add(AdmissionStats stats) {
        return AdmissionStats.join(admissions, stats);
    }

    /** Goes on with what was counted before where the same cluster comes anew; {@link #remove(NamingStats)} for each. */
    public synchronized NamingStats add(NamingStats stats) {
        return NamingStats.join(naming, stats);
    }

    /** Ends what is counted for a cluster's source, with the last of those who count there. */
    public synchronized void remove(NamingStats gone) {
        if (gone.leave()) {
            naming.remove(gone);
        }
    }

    /** Goes on with what was counted before where the same template comes anew; {@link #remove(HostStats)} for each. */
    public synchronized HostStats add(HostStats stats) {
        return HostStats.join(hosts, stats);
    }

    public synchronized void remove(HostStats gone) {
        if (gone.leave()) {
            hosts.remove(gone);
        }
    }

    /** Ends what is counted for a cluster, with the last of those who count there. */
    public synchronized void remove(ClusterStats gone) {
        if (gone.leave()) {
            clusters.remove(gone);
        }
    }

    /** Ends what is counted for the TLS of a cluster, with the last of those who count there. */
    public synchronized void remove(TlsStats gone) {
        if (gone.leave()) {
            tls.remove(gone);
        }
    }

    /** Goes on with what was counted before where a limit of the same name comes anew. */
    public synchronized RateLimitStats add(RateLimitStats stats) {
        return RateLimitStats.join(rateLimits, stats);
    }

    /** Goes on with what was counted before where the same listener is announced anew. */
    public synchronized AnnounceStats add(AnnounceStats stats) {
        return AnnounceStats.join(announcements, stats);
    }

    /** Goes on with what was counted before where the same listener has it anew. */
    public synchronized ProxyHeaderStats add(ProxyHeaderStats stats) {
        return ProxyHeaderStats.join(proxyHeaders, stats);
    }

    /** Goes on with what was counted before. */
    public synchronized TraceStats add(TraceStats stats) {
        return TraceStats.join(traces, stats);
    }

    /** Goes on with what was counted before where the same method comes anew. */
    public synchronized GrpcMethodStats add(GrpcMethodStats stats) {
        return GrpcMethodStats.join(grpcMethods, stats);
    }

    /** Adds them unless they are there. */
    public MirrorStats add(MirrorStats stats) {
        mirrors.addIfAbsent(stats);
        return stats;
    }

    public GrpcStats add(GrpcStats stats) {
        grpc.add(stats);
        return stats;
    }

    public DetectStats add(DetectStats stats) {
        detections.add(stats);
        return stats;
    }

    public Http2Stats add(Http2Stats stats) {
        http2.add(stats);
        return stats;
    }

    /** Goes on with what was counted before where the same cluster comes anew; {@link #remove(BackendHttp2Stats)} for each. */
    public synchronized BackendHttp2Stats add(BackendHttp2Stats stats) {
        return BackendHttp2Stats.join(backendHttp2, stats);
    }

    public synchronized void remove(BackendHttp2Stats gone) {
        if (gone.leave()) {
            backendHttp2.remove(gone);
        }
    }

    public EngineStats add(EngineStats stats) {
        engines.add(stats);
        return stats;
    }

    public void remove(EngineStats gone) {
        engines.remove(gone);
    }

    public LoopStats add(LoopStats stats) {
        loops.add(stats);
        return stats;
    }

    /**
     * Ends what one event loop counts for an endpoint, when the last of the loop's connections to it has closed; what is
     * counted there later is lost.
     *
     * <p>The series of an endpoint end with it, and start at 0 if it comes back: a series for every address that was
     * ever seen would grow without bound. They end all at once, when the last loop lets go. Until then they keep what
     * the other loops have counted, because a counter that falls would pass for a restart, and what is left of it for
     * new events.
     */
    public void remove(EndpointStats gone) {
        endpoints.remove(gone);
    }

    /** Ends what is counted for rate limits of a listener that are none any longer. */
    public synchronized void removeRateLimitsBut(String listener, Set<String> limits) {
        rateLimits.removeIf(one -> one.scope()[0].equals(listener) && !limits.contains(one.scope()[1]));
    }

    /** Ends all that is counted for a listener, once no configuration and no connection has it any longer. */
    public synchronized void removeListener(String name) {
        for (List<? extends Counts<?>> each : ofListeners) {
            each.removeIf(one -> one.scope()[0].equals(name));
        }
    }

    /** All that is counted of listeners and of traces, for {@link #endAllBut}. */
    public synchronized Set<Counts<?>> counted() {
        Set<Counts<?>> all = new HashSet<>(traces);
        for (List<? extends Counts<?>> each : ofListeners) {
            all.addAll(each);
        }
        return all;
    }

    /** Ends what has come to that since, as a change of the configuration came to nothing. What clusters count ends with these. */
    public synchronized void endAllBut(Set<Counts<?>> before) {
        traces.retainAll(before);
        for (List<? extends Counts<?>> each : ofListeners) {
            each.retainAll(before);
        }
    }

    public List<ListenerStats> listeners() {
        return listeners;
    }

    /** As they are now; no endpoint is half removed. */
    public List<EndpointStats> endpoints() {
        return endpoints.list();
    }

    public List<TlsStats> tls() {
        return tls;
    }

    public List<ClusterStats> clusters() {
        return clusters;
    }

    public List<AdmissionStats> admissions() {
        return admissions;
    }

    public List<RateLimitStats> rateLimits() {
        return rateLimits;
    }

    public List<NamingStats> naming() {
        return naming;
    }

    public List<HostStats> hosts() {
        return hosts;
    }

    public List<EngineStats> engines() {
        return engines;
    }

    public List<AnnounceStats> announcements() {
        return announcements;
    }

    public List<BackendHttp2Stats> backendHttp2() {
        return backendHttp2;
    }

    public List<ProxyHeaderStats> proxyHeaders() {
        return proxyHeaders;
    }

    public List<GrpcMethodStats> grpcMethods() {
        return grpcMethods;
    }

    public List<MirrorStats> mirrors() {
        return mirrors;
    }

    public List<GrpcStats> grpc() {
        return grpc;
    }

    public List<Http2Stats> http2() {
        return http2;
    }

    public List<DetectStats> detections() {
        return detections;
    }

    public List<TraceStats> traces() {
        return traces;
    }

    public List<LoopStats> loops() {
        return loops;
    }
}
