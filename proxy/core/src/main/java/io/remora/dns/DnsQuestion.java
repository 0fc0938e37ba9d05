package io.remora.dns;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One question, from its first server to an answer, or to the last reason for which there is none.
 *
 * <p>The next server gets the question when one fails, and also when one has been silent for a while. In the latter
 * case the answers of both are awaited. After the last server the question goes to the first one again, as a question
 * or its answer may have been lost.
 *
 * <p>Owner: the round's thread. Bounds: as many questions to each server as {@code attempts} in {@code resolv.conf}
 * says, and {@code timeout} for each.
 */
public final class DnsQuestion {
    /** Least time for a question with its answer. */
    private static final long LEAST_NS = 20_000_000L;

    private static final int MAX_ALIASES = 16;

    final String name;
    final DnsType type;
    private final DnsClient client;
    private final Selector selector;
    private final ResolvConf conf;
    /** Index of the first server that gets the question. */
    private final int begin;

    private final List<DnsFlight> flights = new ArrayList<>();
    private @Nullable DnsFlight latest;
    private int asked;
    private long nextNs = System.nanoTime();
    private @Nullable DnsAnswer answer;
    private @Nullable DnsException failure;
    private boolean done;

    DnsQuestion(DnsClient client, Selector selector, String name, DnsType type) {
        this.client = client;
        this.selector = selector;
        this.conf = client.conf();
        this.begin = client.first();
        this.name = name;
        this.type = type;
    }

    public boolean isDone() {
        return done;
    }

    /** Null where there is none, or none yet. */
    public @Nullable DnsAnswer answer() {
        return answer;
    }

    /**
     * The answer of a question that is done.
     *
     * @throws DnsException where it has none
     */
    public DnsAnswer get() throws DnsException {
        if (answer == null) {
            throw failure == null ? new DnsException("no DNS server") : failure;
        }
        return answer;
    }

    // ---- by its round

    /** Sends the questions that are due, and returns for how long there is nothing else to do. */
    long turn(long nowNs) {
        while (!done && nextNs - nowNs <= 0) {
            if (asked == conf.servers.size() * conf.attempts || client.endNs() - nowNs < LEAST_NS) {
                awaitLast(nowNs);
            } else {
                askNext(nowNs);
            }
        }
        return nextNs - nowNs;
    }

    private void askNext(long nowNs) {
        silent();
        int at = (begin + asked) % conf.servers.size();
        long patienceNs = asked < conf.servers.size() ? client.patienceNs() : conf.timeoutNs();
        asked++;
        nextNs = earlier(nowNs + patienceNs);
        DnsFlight flight = new DatagramFlight(this, at, name, earlier(nowNs + conf.timeoutNs()), nowNs);
        latest = flight;
        launch(flight);
    }

    /** Waits for the servers that have the question already, within their time; no further one gets it. */
    private void awaitLast(long nowNs) {
        long untilNs = nowNs;
        for (DnsFlight flight : flights) {
            untilNs = flight.untilNs - untilNs > 0 ? flight.untilNs : untilNs;
        }
        if (untilNs - nowNs > 0) {
            nextNs = untilNs;
            return;
        }
        giveUp();
    }

    private long earlier(long atNs) {
        return atNs - client.endNs() < 0 ? atNs : client.endNs();
    }

    /** Records a failure of the latest server, which has not answered in its time. */
    private void silent() {
        DnsFlight last = latest;
        if (last != null && flights.contains(last)) {
            failure = told(last, last.silence(System.nanoTime()), true);
        }
    }

    private void launch(DnsFlight flight) {
        flights.add(flight);
        try {
            flight.open(selector);
        } catch (IOException e) {
            failed(flight, e);
        }
    }

    // ---- by its flights

    /** A message has come that answers what the flight asked. */
    void answered(DnsFlight flight) {
        long nowNs = System.nanoTime();
        long untilNs = earlier(nowNs + conf.timeoutNs());
        try {
            if (flight.message.isTruncated() && flight instanceof DatagramFlight) {
                follow(flight, new StreamFlight(this, flight, untilNs, nowNs));
                return;
            }
            DnsAnswer read = flight.message.answer().within(flight.ttlSeconds);
            String target = read.alias();
            if (target == null) {
                client.answeredBy(flight.server);
                answer = read;
                finish();
            } else if (flight.aliases == MAX_ALIASES) {
                failed(flight, new DnsException("too many aliases"));
            } else {
                follow(flight, new DatagramFlight(this, flight, target, read.ttlSeconds(), untilNs, nowNs));
            }
        } catch (DnsException e) {
            failed(flight, e);
        }
    }

    /** Asks the same server on. */
    private void follow(DnsFlight before, DnsFlight next) {
        drop(before);
        if (before == latest) {
            latest = next;
            nextNs = earlier(System.nanoTime() + client.patienceNs());
        }
        launch(next);
    }

    void failed(DnsFlight flight, IOException e) {
        drop(flight);
        // what an alias leads to is the server's word
        boolean isServers = !(e instanceof DnsException own) || own.isServers || flight.aliases > 0;
        String why = e instanceof PortUnreachableException ? "port unreachable" : String.valueOf(e.getMessage());
        failure = told(flight, why, isServers);
        if (!isServers) {
            end(failure);
        } else if (flight == latest || flights.isEmpty()) {
            nextNs = System.nanoTime();
        }
    }

    private DnsException told(@Nullable DnsFlight flight, String why, boolean isServers) {
        if (flight == null) {
            return new DnsException(type + " of " + name + ": " + why, isServers);
        }
        InetSocketAddress server = conf.servers.get(flight.server);
        String who = server.getAddress().getHostAddress()
                + (server.getPort() == ResolvConf.PORT ? "" : " port " + server.getPort());
        String alias = flight.aliases == 0 ? "" : "its alias " + flight.name + ": ";
        return new DnsException(type + " of " + name + ", asked of " + who + ": " + alias + why, isServers);
    }

    InetSocketAddress address(int server) {
        return conf.servers.get(server);
    }

    int nextId() {
        return client.nextId();
    }

    // ---- its end

    /** Fails the question, as it has no answer by now. */
    void giveUp() {
        if (!done) {
            silent();
            end(failure == null ? told(null, "no time left", true) : failure);
        }
    }

    void end(DnsException why) {
        if (!done) {
            failure = why;
            finish();
        }
    }

    private void finish() {
        done = true;
        for (DnsFlight flight : flights) {
            flight.close();
        }
        flights.clear();
    }

    private void drop(DnsFlight flight) {
        flight.close();
        flights.remove(flight);
    }
}
