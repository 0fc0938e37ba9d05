package io.remora.dns;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One question and the message that may be the answer to it. Any message is read within its bounds.
 *
 * <p>Owner: one thread. Spec: RFC 1035 4.1, RFC 5452 4 (what makes an answer ours).
 */
final class DnsMessage {
    /** Longest query, which has one name. */
    static final int MAX_QUERY_OCTETS = 12 + 255 + 4;

    private static final int HEADER_OCTETS = 12;
    private static final int RESPONSE = 0x8000;
    private static final int OPCODE = 0x7800;
    private static final int TRUNCATED = 0x0200;
    private static final int AUTHORITATIVE = 0x0400;
    private static final int RECURSION_DESIRED = 0x0100;
    private static final int RECURSION_AVAILABLE = 0x0080;
    private static final int RCODE = 0x000f;
    private static final int INTERNET = 1;
    private static final int NO_SUCH_NAME = 3;
    private static final int START_OF_AUTHORITY = 6;
    private static final String[] RCODES = {"", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"};

    private final int id;
    private final String name;
    private final DnsType type;
    private byte[] message = {};
    private int length;
    private int at;

    /**
     * @param name in lower case, without the dot of the root
     */
    DnsMessage(int id, String name, DnsType type) {
        this.id = id & 0xffff;
        this.name = name;
        this.type = type;
    }

    /** Returns the query as it goes out. */
    byte[] query() throws DnsException {
        byte[] query = new byte[MAX_QUERY_OCTETS];
        put(query, 0, id);
        put(query, 2, RECURSION_DESIRED);
        put(query, 4, 1);
        int end = DnsNames.write(name, query, HEADER_OCTETS);
        put(query, end, type.code);
        put(query, end + 2, INTERNET);
        byte[] exact = new byte[end + 4];
        System.arraycopy(query, 0, exact, 0, exact.length);
        return exact;
    }

    private static void put(byte[] to, int at, int number) {
        to[at] = (byte) (number >> 8);
        to[at + 1] = (byte) number;
    }

    /** Takes up a message; tells whether it answers this question, and not another one or nobody's. */
    boolean isOurs(byte[] octets, int count) {
        message = octets;
        length = count;
        if (length < HEADER_OCTETS || number(0) != id || (number(2) & (RESPONSE | OPCODE)) != RESPONSE) {
            return false;
        }
        if (number(4) != 1) {
            // servers that cannot read a query may leave the question out (RFC 1035 4.1.1)
            return number(4) == 0 && rcode() == 1;
        }
        try {
            String asked = DnsNames.read(message, length, HEADER_OCTETS);
            at = DnsNames.skip(message, length, HEADER_OCTETS);
            need(4);
            boolean same = asked.equals(name) && number(at) == type.code && number(at + 2) == INTERNET;
            at += 4;
            return same;
        } catch (DnsException e) {
            return false;
        }
    }

    /** Tells if the rest of the answer did not fit, and has to come over TCP. */
    boolean isTruncated() {
        return (number(2) & TRUNCATED) != 0;
    }

    /**
     * Returns the answer in the current message.
     *
     * @throws DnsException where that is no answer
     */
    DnsAnswer answer() throws DnsException {
        int rcode = rcode();
        if (rcode == NO_SUCH_NAME) {
            return DnsAnswer.ofNoSuchName();
        }
        if (rcode != 0) {
            throw new DnsException(rcode < RCODES.length ? RCODES[rcode] : "RCODE " + rcode);
        }
        List<DnsRecord> answers = records(number(6));
        int authorities = number(8);
        DnsChain chain = DnsChain.of(answers, name, type);
        if (chain.records().isEmpty() && !startsZone(authorities)) {
            String target = chain.target();
            if (target != null) {
                return DnsAnswer.ofAlias(target, chain.ttlSeconds());
            }
            if ((number(2) & (RECURSION_AVAILABLE | AUTHORITATIVE)) == 0) {
                throw new DnsException("the server does not know the name and does not resolve it");
            }
        }
        List<DnsRecord> additional = List.of();
        if (type == DnsType.SRV && !chain.records().isEmpty()) {
            records(authorities);
            additional = records(number(10));
        }
        return DnsAnswer.of(chain.records(), additional, chain.ttlSeconds());
    }

    /** Tells if there is an SOA record, without which an answer without records is a referral (RFC 2308 2.2). */
    private boolean startsZone(int authorities) throws DnsException {
        boolean found = false;
        for (int i = 0; i < authorities; i++) {
            int codeAt = DnsNames.skip(message, length, at);
            record();
            found |= number(codeAt) == START_OF_AUTHORITY;
        }
        return found;
    }

    private int rcode() {
        return number(2) & RCODE;
    }

    /** Reads so many records, and returns those of known types. */
    private List<DnsRecord> records(int count) throws DnsException {
        List<DnsRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DnsRecord record = record();
            if (record != null) {
                records.add(record);
            }
        }
        return records;
    }

    private @Nullable DnsRecord record() throws DnsException {
        int owner = at;
        at = DnsNames.skip(message, length, at);
        need(10);
        int code = number(at);
        boolean internet = number(at + 2) == INTERNET;
        long ttl = (long) number(at + 4) << 16 | number(at + 6);
        // a time whose first bit is set counts as none (RFC 2181 8)
        long ttlSeconds = ttl > Integer.MAX_VALUE ? 0 : ttl;
        int octets = number(at + 8);
        at += 10;
        need(octets);
        int data = at;
        at += octets;
        if (!internet) {
            return null;
        }
        return record(owner, code, ttlSeconds, data, octets);
    }

    private @Nullable DnsRecord record(int owner, int code, long ttlSeconds, int data, int octets) throws DnsException {
        boolean isAddress = code == DnsType.A.code || code == DnsType.AAAA.code;
        if (!isAddress && code != DnsType.CNAME.code && code != DnsType.SRV.code) {
            return null;
        }
        String name = DnsNames.read(message, length, owner);
        if (isAddress) {
            if (octets != (code == DnsType.A.code ? 4 : 16)) {
                throw new DnsException("an address of " + octets + " octets");
            }
            byte[] address = new byte[octets];
            System.arraycopy(message, data, address, 0, octets);
            return DnsRecord.ofAddress(name, code, ttlSeconds, address);
        }
        if (code == DnsType.CNAME.code) {
            return DnsRecord.ofAlias(name, ttlSeconds, target(data, 0, octets));
        }
        String target = target(data, 6, octets);
        return DnsRecord.ofService(name, ttlSeconds, number(data), number(data + 2), number(data + 4), target);
    }

    /** The name that ends a record's data. */
    private String target(int data, int behind, int octets) throws DnsException {
        if (octets <= behind || DnsNames.skip(message, data + octets, data + behind) != data + octets) {
            throw new DnsException("a record of the wrong length");
        }
        return DnsNames.read(message, length, data + behind);
    }

    private void need(int octets) throws DnsException {
        if (length - at < octets) {
            throw new DnsException("a truncated message");
        }
    }

    private int number(int index) {
        return (message[index] & 0xff) << 8 | message[index + 1] & 0xff;
    }
}
