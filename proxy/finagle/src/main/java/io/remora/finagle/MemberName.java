package io.remora.finagle;

import java.util.Arrays;
import org.apache.zookeeper.common.PathUtils;
import org.jspecify.annotations.Nullable;

/**
 * The name under which a listener is announced, in Finagle's words. {@code zk!HOSTS!/PATH!SHARD} is the main endpoint
 * of a member of a serverset, and {@code zk!HOSTS!/PATH!SHARD!ENDPOINT} another one of the same member.
 *
 * @param member names that share it are one member
 * @param endpoint null for the main one
 */
record MemberName(Member member, @Nullable String endpoint) {
    private static final String EXPECTED = ", expected zk!HOST:PORT!/PATH!SHARD";
    private static final int MAX_SHARD_DIGITS = 9;

    /**
     * One member of a serverset.
     *
     * @param hosts of the ensemble, as ZooKeeper's client takes them
     * @param path of the set
     */
    record Member(String hosts, String path, int shard) {
        @Override
        public String toString() {
            return "zk!" + hosts + '!' + path + '!' + shard;
        }
    }

    /**
     * @throws IllegalArgumentException where it is no such name
     */
    static MemberName of(String name) {
        String[] parts = name.split("!", -1);
        if (parts.length < 4 || parts.length > 5 || !parts[0].equals("zk") || parts[2].indexOf(':') >= 0) {
            throw new IllegalArgumentException("'" + name + "'" + EXPECTED);
        }
        PathUtils.validatePath(parts[2]);
        Place place = Place.of(Place.path("zk!" + parts[1] + '!' + parts[2]));
        int shard = shard(parts[3]);
        if (place.kind() != Place.Kind.SERVERSET || shard < 0 || (parts.length == 5 && !isWord(parts[4]))) {
            throw new IllegalArgumentException("'" + name + "'" + EXPECTED);
        }
        // in any order they are one ensemble
        String[] hosts = parts[1].split(",", -1);
        Arrays.sort(hosts);
        return new MemberName(
                new Member(String.join(",", hosts), parts[2], shard), parts.length == 5 ? parts[4] : null);
    }

    private static int shard(String digits) {
        boolean number = !digits.isEmpty() && digits.length() <= MAX_SHARD_DIGITS;
        for (int i = 0; i < digits.length(); i++) {
            number &= digits.charAt(i) >= '0' && digits.charAt(i) <= '9';
        }
        return number ? Integer.parseInt(digits) : -1;
    }

    // what stands in JSON as it is, and behind the colon of a name
    private static boolean isWord(String text) {
        boolean word = !text.isEmpty();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            word &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "-_.".indexOf(c) >= 0;
        }
        return word;
    }
}
