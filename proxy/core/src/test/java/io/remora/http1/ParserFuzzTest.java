package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.rules.Mutator;
import io.remora.http1.oracle.Oracle;
import io.remora.http1.oracle.Transcript;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Messages broken at random: the parsers make of them what {@link Oracle} does, or are stricter in one of the ways that
 * {@link Difference} names; and they make the same of them in pieces.
 */
final class ParserFuzzTest {
    private static final long SEED = Long.getLong("remora.fuzz.seed", 9112);
    private static final int CASES = Integer.getInteger("remora.fuzz.parser.cases", 25_000);

    private static final String[] REQUESTS = {
        "GET / HTTP/1.1\r\nHost: app\r\n\r\n",
        "\r\nGET /a/b?c=d HTTP/1.1\r\nHost: app\r\nX-A: b\r\nConnection: X-A\r\n\r\n",
        "GET http://app/p HTTP/1.1\r\nHost: app:80\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost:app\r\nMax-Forwards: 1 \r\nX:\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello",
        "POST /p HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b;c=\"d\\\"\"\r\nabc\r\n0\r\nX-T: 1\r\n"
                + " 2\r\nHost: x\r\n\r\n",
        "POST /1 HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n\r\nabGET /2 HTTP/1.1\r\nHost: app\r\n\r\n",
        "GET /old HTTP/1.0\r\n\r\n",
        "PUT /e HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close, TE\r\n\r\nx",
        "CONNECT app:443 HTTP/1.1\r\nHost: app:443\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1]:80\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a%20b\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    };

    private static final String[] RESPONSES = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-T: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: X-A, close\r\nX-A: b\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\nServer : old\r\nX-Folded: a\r\n\tb\r\n c\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 204\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 07\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nLEAKED",
    };

    /** Where the parsers are stricter than the oracle, or refuse with another name; nothing else is let through. */
    private enum Difference {
        /** Both refuse, each for another of several faults. */
        OTHER_FAULT,
        /** A line whose first octet is wrong is refused before it is whole; the oracle still waits for its end. */
        AT_ONCE,
        /** A name that is confusable for its underscores. */
        UNDERSCORE,
        /** A control character at an end of a folded line, which the oracle takes out. */
        CONTROL_IN_FOLD,
        /** A trailer that the oracle drops without a look at its value. */
        DROPPED_TRAILER
    }

    private final TreeMap<Difference, Integer> differences = new TreeMap<>();

    @Test
    void requests() {
        Mutator mutator = new Mutator(SEED, REQUESTS);
        Random random = new Random(SEED);
        for (int i = 0; i < CASES; i++) {
            String octets = mutator.next();
            byte[] bytes = Parsing.bytes(octets);
            Transcript seen = judge(octets, ParserFuzzTest::oracleOfRequests, Parsing::requests);
            assertSameInPieces(octets, seen, Parsing.requests(Parsing.REQUEST, cutAnywhere(bytes, random)));
        }
    }

    @Test
    void responses() {
        Mutator mutator = new Mutator(SEED, RESPONSES);
        Random random = new Random(SEED);
        for (int i = 0; i < CASES; i++) {
            String octets = mutator.next();
            byte[] bytes = Parsing.bytes(octets);
            boolean toHead = i % 4 == 0;
            boolean switching = i % 3 == 0;
            Transcript seen = judge(
                    octets,
                    text -> oracleOfResponses(text, toHead, switching),
                    text -> Parsing.responses(text, toHead, switching));
            assertSameInPieces(octets, seen, Parsing.responses(cutAnywhere(bytes, random), toHead, switching));
        }
    }

    private static List<byte[]> cutAnywhere(byte[] octets, Random random) {
        int first = random.nextInt(octets.length + 1);
        int second = first + random.nextInt(octets.length - first + 1);
        return Parsing.pieces(octets, first, second);
    }

    private static void assertSameInPieces(String octets, Transcript whole, Transcript pieces) {
        assertThat(pieces.toString()).as(Mutator.escaped(octets)).isEqualTo(whole.toString());
    }

    private static Transcript oracleOfRequests(String octets) {
        return Oracle.requests(
                Parsing.bytes(octets),
                Parsing.LINE_OCTETS,
                Parsing.BLOCK_OCTETS,
                Parsing.FIELDS,
                Parsing.DEFAULT_AUTHORITY);
    }

    private static Transcript oracleOfResponses(String octets, boolean toHead, boolean switching) {
        return Oracle.responses(Parsing.bytes(octets), 2 * Parsing.BLOCK_OCTETS, toHead, switching);
    }

    private Transcript judge(String octets, Function<String, Transcript> oracle, Function<String, Transcript> parser) {
        Transcript expected = oracle.apply(octets);
        Transcript seen = parser.apply(octets);
        if (expected.toString().equals(seen.toString())) {
            return seen;
        }
        Difference difference = difference(octets, oracle, parser, expected, seen);
        assertThat(difference)
                .as("%s%noracle: %s%nparser: %s", Mutator.escaped(octets), expected, seen)
                .isNotNull();
        differences.merge(difference, 1, Integer::sum);
        return seen;
    }

    private static Difference difference(
            String octets,
            Function<String, Transcript> oracle,
            Function<String, Transcript> parser,
            Transcript expected,
            Transcript seen) {
        if (!seen.isRefused() || !expected.accepted().startsWith(seen.accepted())) {
            return null;
        }
        if (expected.isRefused() && expected.accepted().equals(seen.accepted())) {
            return Difference.OTHER_FAULT;
        }
        if (expected.toString().equals(seen.accepted())
                && oracle.apply(octets + "\r\n\r\n").isRefused()) {
            return Difference.AT_ONCE;
        }
        if (isSame(Parsing.requestsWithAnyName(octets), expected)) {
            return Difference.UNDERSCORE;
        }
        if (isSame(parser.apply(withoutControlsInFolds(octets)), expected)) {
            return Difference.CONTROL_IN_FOLD;
        }
        return isSame(parser.apply(withoutDroppedTrailers(octets)), expected) ? Difference.DROPPED_TRAILER : null;
    }

    private static boolean isSame(Transcript one, Transcript other) {
        return one.toString().equals(other.toString());
    }

    private static String withoutControlsInFolds(String octets) {
        return Pattern.compile("(?<=\n)[ \t]([^\n]*?)(?=\r\n)")
                .matcher(octets)
                .replaceAll(fold -> Matcher.quoteReplacement(" " + fold.group(1).trim()));
    }

    private static String withoutDroppedTrailers(String octets) {
        int body = octets.indexOf("\r\n\r\n") + 2;
        return octets.substring(0, body)
                + octets.substring(body)
                        .replaceAll(
                                "(?i)(?<=\n)(content-length|transfer-encoding|trailer)[ \t]*:[^\n]*\n([ \t][^\n]*\n)*",
                                "");
    }
}
