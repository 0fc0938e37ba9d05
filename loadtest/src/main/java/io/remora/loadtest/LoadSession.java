package io.remora.loadtest;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A load generator that stays warm between runs: a command a line on standard input, answered by one line of names and
 * figures.
 *
 * <pre>
 * load PORT PATH RATE CONNECTIONS WARMUP_SECONDS SECONDS [TLS]   see {@link FixedRateLoad}
 * closed PORT PATH CONNECTIONS SECONDS [TLS]                     see {@link ClosedLoad}
 * h2 PORT PATH KIND RATE CONNECTIONS STREAMS WARMUP_SECONDS SECONDS [STALL | TLS]
 *                                                                see {@link Http2Load}; KIND is that of {@link Http2Request}
 * recorded PORT FILE RATE CONNECTIONS STREAMS WARMUP_SECONDS SECONDS [TLS]
 *                                                                a file of {@link RecordedRequest}s; STREAMS of 0 stand for HTTP/1.1
 * herd PATH RATE_EACH WARMUP_SECONDS SECONDS PORT PORT ...       the same over one connection to each port
 * latency FILE TAG                                               percentiles of a log's intervals of that tag
 * </pre>
 *
 * {@code requests} are those answered by 2xx, or by the recorded class of status, in the time after the warm-up; {@code failed} counts the
 * warm-up's failures too. STALL is the path of a large body that is asked for in addition to all that, on the one connection that there is then, and never read. TLS is {@code tls DIRECTORY} or {@code mtls DIRECTORY}, as {@link Certificates} has them.
 */
public final class LoadSession {
    private LoadSession() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Commands.serve(Map.of(
                "load", LoadSession::load,
                "closed", LoadSession::closed,
                "h2", LoadSession::http2,
                "recorded", LoadSession::recorded,
                "herd", LoadSession::herd,
                "latency", words -> latency(words[1], words[2])));
    }

    private static String load(String[] words) throws InterruptedException {
        FixedRateLoad load = FixedRateLoad.onPort(
                Integer.parseInt(words[1]),
                words[2],
                Double.parseDouble(words[3]),
                Integer.parseInt(words[4]),
                tls(words, 7));
        return run(load, words[5], words[6]);
    }

    private static String closed(String[] words) throws InterruptedException {
        ClosedLoad load =
                new ClosedLoad(Integer.parseInt(words[1]), words[2], Integer.parseInt(words[3]), tls(words, 5));
        ClosedLoad.Result result = load.run((long) (Double.parseDouble(words[4]) * 1e9));
        return "failed " + result.failed() + " requests " + result.requests();
    }

    private static String http2(String[] words) throws InterruptedException {
        Http2Request request = Http2Request.of(words[3], words[2]);
        long startNs = System.nanoTime() + Http2Load.LEAD_NS;
        double seconds = Double.parseDouble(words[8]);
        long warmupNs = (long) (Double.parseDouble(words[7]) * 1e9);
        Tally tally = new Tally(startNs + warmupNs);
        SSLSocketFactory tls = words.length > 10 ? tls(words, 9) : null;
        Requests requests = new TalliedRequests(tls == null ? request : request.secured(), tally);
        Http2Load load =
                new Http2Load(Integer.parseInt(words[1]), Integer.parseInt(words[5]), Integer.parseInt(words[6]));
        load.secure(tls);
        if (words.length == 10) {
            load.stall(Http2Request.get(words[9]));
        }
        load.run(
                startNs,
                List.of(new Http2Load.Part(Double.parseDouble(words[4]), warmupNs + (long) (seconds * 1e9), requests)));
        return told(tally.interval("load"), tally.failed(), seconds);
    }

    private static String recorded(String[] words) throws IOException, InterruptedException {
        int port = Integer.parseInt(words[1]);
        double rate = Double.parseDouble(words[3]);
        int connections = Integer.parseInt(words[4]);
        int streams = Integer.parseInt(words[5]);
        SSLSocketFactory tls = tls(words, 8);
        if (streams == 0) {
            return run(
                    FixedRateLoad.onPort(port, RecordedRequests.http1(words[2]), rate, connections, tls),
                    words[6],
                    words[7]);
        }
        double seconds = Double.parseDouble(words[7]);
        long startNs = System.nanoTime() + Http2Load.LEAD_NS;
        long warmupNs = (long) (Double.parseDouble(words[6]) * 1e9);
        Tally tally = new Tally(startNs + warmupNs);
        List<Http2Request> all = RecordedRequests.read(words[2]).stream()
                .map(RecordedRequest::http2)
                .map(request -> tls == null ? request : request.secured())
                .toList();
        Http2Load load = new Http2Load(port, connections, streams);
        load.secure(tls);
        load.run(
                startNs,
                List.of(new Http2Load.Part(
                        rate,
                        warmupNs + (long) (seconds * 1e9),
                        new TalliedRequests(RecordedRequests.http2(all), tally))));
        return told(tally.interval("load"), tally.failed(), seconds);
    }

    /** Returns the sockets of the client whose certificates are named from that word on; null where none are. */
    private static @Nullable SSLSocketFactory tls(String[] words, int from) {
        return words.length <= from
                ? null
                : Certificates.of(words[from], words[from + 1]).client();
    }

    private static String herd(String[] words) throws InterruptedException {
        List<Integer> ports = Arrays.stream(words).skip(5).map(Integer::valueOf).toList();
        return run(FixedRateLoad.herd(ports, words[1], Double.parseDouble(words[2])), words[3], words[4]);
    }

    private static String run(FixedRateLoad load, String warmupSeconds, String measuredSeconds)
            throws InterruptedException {
        double seconds = Double.parseDouble(measuredSeconds);
        FixedRateLoad.Result result =
                load.run((long) (Double.parseDouble(warmupSeconds) * 1e9), (long) (seconds * 1e9));
        return told(result.latencies(), result.failed(), seconds);
    }

    private static String told(Histogram latencies, long failed, double seconds) {
        return "failed " + failed + " rate " + latencies.getTotalCount() / seconds + " " + figures(latencies);
    }

    private static String latency(String file, String tag) throws IOException {
        return figures(IntervalLog.read(file).getOrDefault(tag, Percentiles.histogram()));
    }

    private static String figures(Histogram histogram) {
        return "requests " + histogram.getTotalCount() + " " + Percentiles.line("", histogram);
    }
}
