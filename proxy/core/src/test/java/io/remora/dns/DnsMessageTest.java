package io.remora.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is made of messages, octet by octet, those among them that no honest server sends. RFC 1035 4.1. */
final class DnsMessageTest {
    private static final int ID = 0x1234;
    private static final int ANSWER = 0x8180;
    private static final int QUESTION_AT = 12;

    /** A message under construction. */
    private static final class Octets {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Octets number(int... numbers) {
            for (int number : numbers) {
                out.write(number >> 8);
                out.write(number);
            }
            return this;
        }

        Octets octets(int... octets) {
            for (int octet : octets) {
                out.write(octet);
            }
            return this;
        }

        Octets name(String name) {
            for (String label : name.split("\\.")) {
                out.write(label.length());
                out.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
            }
            out.write(0);
            return this;
        }

        Octets pointer(int to) {
            return number(0xc000 | to);
        }

        int size() {
            return out.size();
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }

    /** The header and the question, as they come back. */
    private static Octets reply(int flags, int answers, int authorities, int additional, String name, int type) {
        return new Octets()
                .number(ID, flags, 1, answers, authorities, additional)
                .name(name)
                .number(type, 1);
    }

    private static Octets a(Octets to, int ttl, int... address) {
        return to.pointer(QUESTION_AT).number(1, 1, 0, ttl, 4).octets(address);
    }

    private static DnsMessage question(DnsType type) {
        return new DnsMessage(ID, "app.test", type);
    }

    private static DnsAnswer parse(DnsType type, Octets message) throws DnsException {
        return parse(type, message.bytes());
    }

    private static DnsAnswer parse(DnsType type, byte[] message) throws DnsException {
        DnsMessage question = question(type);
        assertThat(question.isOurs(message, message.length)).isTrue();
        return question.answer();
    }

    private static void refuses(DnsType type, Octets message, String why) {
        assertThatThrownBy(() -> parse(type, message))
                .isInstanceOf(DnsException.class)
                .hasMessageContaining(why);
    }

    @Test
    void asksAsItIsWritten() throws DnsException {
        byte[] expected = new Octets()
                .number(ID, 0x0100, 1, 0, 0, 0)
                .name("app.test")
                .number(28, 1)
                .bytes();
        assertThat(question(DnsType.AAAA).query()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "a..b", ".a"})
    void asksForNoInvalidName(String name) {
        assertThatThrownBy(() -> new DnsMessage(ID, name, DnsType.A).query()).isInstanceOf(DnsException.class);
    }

    @Test
    void asksForNoNameThatIsTooLong() throws DnsException {
        String label = "a".repeat(63);
        String longest = String.join(".", label, label, label, "a".repeat(61));
        assertThat(new DnsMessage(ID, longest, DnsType.A).query()).hasSize(DnsMessage.MAX_QUERY_OCTETS);
        assertThatThrownBy(() -> new DnsMessage(ID, longest + "a", DnsType.A).query())
                .isInstanceOf(DnsException.class);
        assertThatThrownBy(() -> new DnsMessage(ID, label + "a.b", DnsType.A).query())
                .isInstanceOf(DnsException.class);
    }

    @Test
    void readsAddresses() throws DnsException {
        Octets message = reply(ANSWER, 2, 0, 0, "APP.tesT", 1);
        a(message, 30, 10, 0, 0, 1);
        a(message, 20, 10, 0, 0, 2);
        DnsAnswer answer = parse(DnsType.A, message);
        assertThat(answer.ttlSeconds()).isEqualTo(20);
        assertThat(answer.records())
                .extracting(DnsRecord::address)
                .containsExactly(new byte[] {10, 0, 0, 1}, new byte[] {10, 0, 0, 2});
    }

    @Test
    void followsAliasesInAnyOrder() throws DnsException {
        Octets message = reply(ANSWER, 3, 0, 0, "app.test", 1);
        message.name("c.test").number(1, 1, 0, 50, 4).octets(10, 0, 0, 9);
        message.name("b.test").number(5, 1, 0, 7, 8).name("c.test");
        message.name("app.test").number(5, 1, 0, 60, 8).name("b.test");
        DnsAnswer answer = parse(DnsType.A, message);
        assertThat(answer.records()).hasSize(1);
        assertThat(answer.ttlSeconds()).isEqualTo(7);
    }

    @Test
    void followsNoAliasInACircle() {
        Octets message = reply(ANSWER, 2, 0, 0, "app.test", 1);
        message.name("app.test").number(5, 1, 0, 60, 8).name("b.test");
        message.name("b.test").number(5, 1, 0, 60, 10).name("app.test");
        refuses(DnsType.A, message, "too many aliases");
    }

    @Test
    void takesNoAddressOfAnybodyElse() throws DnsException {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 1);
        message.name("bank.test").number(1, 1, 0, 60, 4).octets(6, 6, 6, 6);
        assertThat(parse(DnsType.A, message).records()).isEmpty();
    }

    @Test
    void readsServicesWithTheAddressesThatCame() throws DnsException {
        Octets message = reply(ANSWER, 1, 1, 2, "app.test", 33);
        message.pointer(QUESTION_AT).number(33, 1, 0, 60, 14, 3, 5, 8080).name("h.test");
        message.name("test").number(2, 1, 0, 60, 8).name("n.test");
        message.name("H.test").number(1, 1, 0, 9, 4).octets(10, 0, 0, 7);
        message.name("other.test").number(1, 1, 0, 1, 4).octets(10, 0, 0, 8);
        DnsAnswer answer = parse(DnsType.SRV, message);
        DnsRecord service = answer.records().get(0);
        assertThat(service.priority()).isEqualTo(3);
        assertThat(service.weight()).isEqualTo(5);
        assertThat(service.port()).isEqualTo(8080);
        assertThat(service.target()).isEqualTo("h.test");
        DnsAnswer addresses = answer.addressesOf("h.test", DnsType.A);
        assertThat(addresses.records()).hasSize(1);
        assertThat(addresses.ttlSeconds()).isEqualTo(9);
        assertThat(answer.addressesOf("h.test", DnsType.AAAA).records()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1, FORMERR", "2, SERVFAIL", "4, NOTIMP", "5, REFUSED", "9, RCODE 9"})
    void whatIsNoAnswerFails(int rcode, String why) {
        refuses(DnsType.A, reply(ANSWER | rcode, 0, 0, 0, "app.test", 1), why);
    }

    @Test
    void aNameThatDoesNotExistIsAnAnswer() throws DnsException {
        DnsAnswer denied = parse(DnsType.A, reply(ANSWER | 3, 0, 0, 0, "app.test", 1));
        assertThat(denied.records()).isEmpty();
        assertThat(denied.exists()).isFalse();
        DnsAnswer none = parse(DnsType.A, reply(ANSWER, 0, 0, 0, "app.test", 1));
        assertThat(none.records()).isEmpty();
        assertThat(none.exists()).isTrue();
    }

    @Test
    void anAliasThatTheServerDoesNotFollowIsLeftToAskFor() throws DnsException {
        for (int flags : new int[] {0x8100, 0x8500, ANSWER}) {
            Octets message = reply(flags, 1, 0, 0, "app.test", 1);
            message.name("app.test").number(5, 1, 0, 60, 8).name("b.test");
            DnsAnswer answer = parse(DnsType.A, message);
            assertThat(answer.alias()).isEqualTo("b.test");
            assertThat(answer.ttlSeconds()).isEqualTo(60);
        }
    }

    /** RFC 2308 2.2: a referral has no SOA: its sender neither knows the name nor resolves it. */
    @Test
    void aReferralIsNoAnswer() throws DnsException {
        Octets referral = reply(0x8100, 0, 1, 1, "app.test", 1);
        referral.name("test").number(2, 1, 0, 60, 8).name("n.test");
        referral.name("n.test").number(1, 1, 0, 60, 4).octets(10, 0, 0, 1);
        refuses(DnsType.A, referral, "does not know the name and does not resolve it");
        refuses(DnsType.A, reply(0x8100, 0, 0, 0, "app.test", 1), "does not know the name and does not resolve it");
        assertThat(parse(DnsType.A, reply(0x8500, 0, 0, 0, "app.test", 1)).records())
                .as("of the server whose zone it is")
                .isEmpty();
        assertThat(parse(DnsType.A, soa(reply(0x8100, 0, 1, 0, "app.test", 1))).records())
                .as("with the start of the zone")
                .isEmpty();
    }

    private static Octets soa(Octets to) {
        return to.name("test")
                .number(6, 1, 0, 60, 36)
                .name("n.test")
                .name("a.test")
                .number(0, 1, 0, 1, 0, 1, 0, 1, 0, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x8100, 0x8500})
    void anAliasThatIsReferredElsewhereIsLeftToAskFor(int flags) throws DnsException {
        Octets message = reply(flags, 1, 1, 0, "app.test", 1);
        message.name("app.test").number(5, 1, 0, 60, 8).name("b.test");
        message.name("test").number(2, 1, 0, 60, 8).name("n.test");
        assertThat(parse(DnsType.A, message).alias()).isEqualTo("b.test");
        Octets known = reply(flags, 1, 1, 0, "app.test", 1);
        known.name("app.test").number(5, 1, 0, 60, 8).name("b.test");
        DnsAnswer none = parse(DnsType.A, soa(known));
        assertThat(none.records())
                .as("the zone of the alias's target has no such record")
                .isEmpty();
        assertThat(none.alias()).isNull();
    }

    @Test
    void aTimeWithItsFirstBitSetIsZero() throws DnsException {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 1);
        message.pointer(QUESTION_AT).number(1, 1, 0x8000, 1, 4).octets(10, 0, 0, 1);
        assertThat(parse(DnsType.A, message).ttlSeconds()).isZero();
    }

    // ---- whose answer it is

    @Test
    void isNotOursWithAnotherIdNameTypeOrClass() {
        byte[] ours = a(reply(ANSWER, 1, 0, 0, "app.test", 1), 1, 1, 2, 3, 4).bytes();
        for (int at : new int[] {0, 1, 2, 4, 5, 13, 16, 23, 25}) {
            byte[] changed = ours.clone();
            changed[at] ^= (byte) (at == 2 ? 0x80 : 1);
            assertThat(question(DnsType.A).isOurs(changed, changed.length))
                    .as("octet " + at)
                    .isFalse();
        }
        assertThat(question(DnsType.A).isOurs(ours, ours.length)).isTrue();
    }

    // ---- hostile ones

    @Test
    void aPointerToItselfIsRefused() {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 1);
        message.pointer(message.size()).number(1, 1, 0, 60, 4).octets(1, 2, 3, 4);
        refuses(DnsType.A, message, "invalid compression pointer");
    }

    @Test
    void aPointerForwardIsRefused() {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 1);
        message.pointer(message.size() + 16)
                .number(1, 1, 0, 60, 4)
                .octets(1, 2, 3, 4)
                .name("app.test");
        refuses(DnsType.A, message, "invalid compression pointer");
    }

    @Test
    void pointersThatLeadToEachOtherAreRefused() {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 1);
        int at = message.size();
        // a label, then a pointer back to the label
        message.octets(1, 'a').pointer(at).number(1, 1, 0, 60, 4).octets(1, 2, 3, 4);
        refuses(DnsType.A, message, "invalid compression pointer");
    }

    @Test
    void aQuestionWhoseNameIsACircleIsNotOurs() {
        byte[] message = new Octets()
                .number(ID, ANSWER, 1, 0, 0, 0)
                .pointer(QUESTION_AT)
                .number(1, 1)
                .bytes();
        assertThat(question(DnsType.A).isOurs(message, message.length)).isFalse();
    }

    @Test
    void aLongChainOfPointersIsRefused() {
        Octets message = reply(ANSWER, 2, 0, 0, "app.test", 1);
        int first = message.size();
        // a record of another type, whose data is pointers, each to the one before
        message.octets(0).number(16, 1, 0, 60, 400).pointer(QUESTION_AT);
        for (int i = 1; i < 200; i++) {
            message.pointer(message.size() - 2);
        }
        assertThat(message.size()).isGreaterThan(first + 400);
        message.pointer(message.size() - 2).number(1, 1, 0, 60, 4).octets(1, 2, 3, 4);
        refuses(DnsType.A, message, "invalid compression pointer");
    }

    @Test
    void aNameLongerThanNamesAreIsRefused() {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 1);
        for (int i = 0; i < 5; i++) {
            message.octets(63).octets(new int[63]);
        }
        message.octets(0).number(1, 1, 0, 60, 4).octets(1, 2, 3, 4);
        refuses(DnsType.A, message, "name");
    }

    @Test
    void aNameThatIsLongOnlyByItsPointersIsRefused() {
        Octets message = reply(ANSWER, 5, 0, 0, "app.test", 1);
        int[] label = new int[63];
        Arrays.fill(label, 'a');
        int before = QUESTION_AT;
        for (int i = 0; i < 5; i++) {
            int at = message.size();
            message.octets(63)
                    .octets(label)
                    .pointer(before)
                    .number(1, 1, 0, 60, 4)
                    .octets(1, 2, 3, 4);
            before = at;
        }
        refuses(DnsType.A, message, "too long");
    }

    @ParameterizedTest
    @ValueSource(ints = {0x40, 0x80})
    void labelsOfNoKnownKindAreRefused(int kind) {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 1);
        message.octets(kind | 1, 'a', 0).number(1, 1, 0, 60, 4).octets(1, 2, 3, 4);
        refuses(DnsType.A, message, "too long");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5, 16, 0xffff})
    void anAddressOfTheWrongLengthIsRefused(int length) {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 1);
        message.pointer(QUESTION_AT).number(1, 1, 0, 60, length).octets(new int[16]);
        assertThatThrownBy(() -> parse(DnsType.A, message)).isInstanceOf(DnsException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 6, 7, 13, 15})
    void aServiceOfTheWrongLengthIsRefused(int length) {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 33);
        message.pointer(QUESTION_AT)
                .number(33, 1, 0, 60, length, 3, 5, 8080)
                .name("h.test")
                .octets(0, 0, 0);
        assertThatThrownBy(() -> parse(DnsType.SRV, message)).isInstanceOf(DnsException.class);
    }

    @Test
    void moreRecordsThanThereAreAreRefused() {
        refuses(DnsType.A, a(reply(ANSWER, 0xffff, 0, 0, "app.test", 1), 60, 1, 2, 3, 4), "truncated");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a\u00e4", "a\tb", "\u0000"})
    void aTargetThatNoHostHasIsRefused(String label) {
        Octets message = reply(ANSWER, 1, 0, 0, "app.test", 33);
        Octets target = new Octets().name(label);
        message.pointer(QUESTION_AT).number(33, 1, 0, 60, 6 + target.size(), 1, 1, 80);
        for (byte octet : target.bytes()) {
            message.octets(octet);
        }
        refuses(DnsType.SRV, message, "invalid host name");
    }

    /** Cut anywhere, a message is not ours, or no answer, or one with fewer records: never anything else. */
    @Test
    void everyBeginningIsRead() {
        byte[] whole = whole();
        for (int length = 0; length < whole.length; length++) {
            DnsMessage question = question(DnsType.SRV);
            byte[] exact = Arrays.copyOf(whole, length);
            if (question.isOurs(exact, length)) {
                assertThatThrownBy(question::answer).as("at " + length).isInstanceOf(DnsException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void noMutationDoesAnythingElse(long seed) {
        Random random = new Random(seed);
        byte[] whole = whole();
        int answers = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] changed = whole.clone();
            for (int left = 1 + random.nextInt(6); left > 0; left--) {
                changed[6 + random.nextInt(changed.length - 6)] = (byte) random.nextInt(256);
            }
            DnsMessage question = question(DnsType.SRV);
            try {
                if (question.isOurs(changed, changed.length)) {
                    question.answer();
                    answers++;
                }
            } catch (DnsException refused) {
                // as it should
            }
        }
        assertThat(answers).isPositive();
    }

    /** The largest message, of nothing but pointers, takes no time that would be noticed: each name has few of them. */
    @Test
    void aMessageFullOfPointersEnds() {
        Octets message = reply(ANSWER, 5_000, 0, 0, "app.test", 1);
        List<Integer> places = new ArrayList<>(List.of(QUESTION_AT));
        while (message.size() < 65_000) {
            int last = places.get(places.size() - 1);
            places.add(message.size());
            message.pointer(last & 0x3fff).number(1, 1, 0, 60, 4).octets(1, 2, 3, 4);
        }
        assertThatThrownBy(() -> parse(DnsType.A, message)).isInstanceOf(DnsException.class);
    }

    private static byte[] whole() {
        Octets message = reply(ANSWER, 2, 1, 2, "app.test", 33);
        message.pointer(QUESTION_AT).number(33, 1, 0, 60, 14, 3, 5, 8080).name("h.test");
        message.pointer(QUESTION_AT)
                .number(33, 1, 0, 60, 10, 3, 5, 8081)
                .octets(1, 'i')
                .pointer(QUESTION_AT + 4);
        message.name("test").number(2, 1, 0, 60, 8).name("n.test");
        message.name("h.test").number(1, 1, 0, 9, 4).octets(10, 0, 0, 7);
        message.name("i.test").number(28, 1, 0, 9, 16).octets(new int[16]);
        return message.bytes();
    }
}
