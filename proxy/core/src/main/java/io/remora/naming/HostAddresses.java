package io.remora.naming;

import io.remora.dns.DnsAnswer;
import io.remora.dns.DnsClient;
import io.remora.dns.DnsException;
import io.remora.dns.DnsQuestion;
import io.remora.dns.DnsRound;
import io.remora.dns.DnsType;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of one host: for each family the answer, or the reason that there is none.
 *
 * <p>Owner: one look at a name. Spec: RFC 8305 3 for the wait for the second family; RFC 8020, by which a name that
 * does not exist has no address of any family. Some servers deny a name only because they know no IPv6 address of it
 * (RFC 4074 4.2), so that IPv4 alone says that.
 */
final class HostAddresses {
    /** The wait for the second family before the first is used. */
    private static final long RESOLUTION_DELAY_NS = 50_000_000L;

    /** The longest wait for the second family: the addresses of the first may have changed by then. */
    private static final long SECOND_FAMILY_NS = 5_000_000_000L;

    private final DnsClient client;
    private final String name;
    private final Map<DnsType, DnsAnswer> answers = new EnumMap<>(DnsType.class);
    private final Map<DnsType, DnsException> failures = new EnumMap<>(DnsType.class);

    /** A look that would rather have one family at once than both later. */
    interface Early {
        void some(DnsAnswer answer);
    }

    /**
     * @param with an answer with which addresses may have come, and to which the name belongs; null where it is one's own
     */
    HostAddresses(DnsClient client, @Nullable DnsAnswer with, String name) {
        this.client = client;
        this.name = name;
        for (DnsType type : new DnsType[] {DnsType.A, DnsType.AAAA}) {
            DnsAnswer came = with == null ? null : with.addressesOf(name, type);
            if (came != null && !came.records().isEmpty()) {
                answers.put(type, came);
            }
        }
    }

    /** Returns the answer, null where the type was not requested, or has failed. */
    @Nullable
    DnsAnswer answer(DnsType type) {
        return isDenied() && type != DnsType.A ? null : answers.get(type);
    }

    /** Why there is no answer; null where there is one, or none is wanted. */
    @Nullable
    DnsException failure(DnsType type) {
        return isDenied() ? null : failures.get(type);
    }

    /** Tells whether the name does not exist. */
    boolean isDenied() {
        DnsAnswer first = answers.get(DnsType.A);
        return first != null && !first.exists();
    }

    boolean has(DnsType type) {
        DnsAnswer answer = answer(type);
        return answer != null && !answer.records().isEmpty();
    }

    void ask(DnsType type) {
        if (!answers.containsKey(type)) {
            try {
                answers.put(type, client.answer(name, type));
            } catch (DnsException e) {
                failures.put(type, e);
            }
        }
    }

    /**
     * Queries both families together.
     *
     * @param early learns of the first where the second takes longer; null for none
     */
    void askBoth(@Nullable Early early) {
        if (!answers.isEmpty()) {
            ask(DnsType.A);
            ask(DnsType.AAAA);
            return;
        }
        try (DnsRound round = client.ask(name, DnsType.A, DnsType.AAAA)) {
            await(round, early);
            round.giveUp();
            take(DnsType.A, round.question(0));
            take(DnsType.AAAA, round.question(1));
        } catch (DnsException e) {
            failures.put(DnsType.A, e);
        }
    }

    private void take(DnsType type, DnsQuestion question) {
        try {
            answers.put(type, question.get());
        } catch (DnsException e) {
            failures.put(type, e);
        }
    }

    private static void await(DnsRound round, @Nullable Early early) {
        round.await(round.endNs());
        DnsAnswer first = some(round);
        long nowNs = System.nanoTime();
        if (first != null && early != null && !isSettled(round) && !round.await(nowNs + RESOLUTION_DELAY_NS)) {
            early.some(first);
        }
        if (!isSettled(round)) {
            round.await(first == null ? round.endNs() : nowNs + SECOND_FAMILY_NS);
        }
    }

    /** Tells whether there is nothing else to wait for. */
    private static boolean isSettled(DnsRound round) {
        DnsAnswer first = round.question(0).answer();
        return first != null && !first.exists()
                || round.question(0).isDone() && round.question(1).isDone();
    }

    /** The one that has come, and has addresses. */
    private static @Nullable DnsAnswer some(DnsRound round) {
        for (int i = 0; i < 2; i++) {
            DnsAnswer answer = round.question(i).answer();
            if (answer != null && !answer.records().isEmpty()) {
                return answer;
            }
        }
        return null;
    }
}
