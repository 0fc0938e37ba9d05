package io.remora.finagle;

import com.twitter.finagle.Path;
import com.twitter.io.Buf;
import io.remora.config.Address;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Where a name ends: {@code /#/NAME}, a cluster's endpoints; {@code /$/inet/HOST/PORT}, an address or a name in DNS; {@code /$/nil} and
 * {@code /$/fail}, which Finagle knows. What a name has behind one of these is left out.
 *
 * @param kind null for a name that leads nowhere
 * @param cluster of {@link Kind#CLUSTER}; empty otherwise
 * @param address of {@link Kind#INET}; null otherwise
 */
record Place(@Nullable Kind kind, String cluster, @Nullable Address address) {
    private static final int MAX_PORT = 65_535;

    enum Kind {
        CLUSTER,
        INET,
        NONE
    }

    static Place of(Path path) {
        List<String> words = new ArrayList<>();
        for (Buf word : CollectionConverters.asJava(path.elems())) {
            words.add(Buf.Utf8$.MODULE$.unapply(word).get());
        }
        String first = words.isEmpty() ? "" : words.get(0);
        if (first.equals("#") && words.size() >= 2) {
            return new Place(Kind.CLUSTER, words.get(1), null);
        }
        String second = words.size() < 2 ? "" : words.get(1);
        if (!first.equals("$")) {
            return new Place(null, "", null);
        }
        if (second.equals("nil") || second.equals("fail")) {
            return new Place(Kind.NONE, "", null);
        }
        Address address = second.equals("inet") && words.size() >= 4 ? address(words.get(2), words.get(3)) : null;
        return new Place(address == null ? null : Kind.INET, "", address);
    }

    private static @Nullable Address address(String host, String digits) {
        if (host.isEmpty() || digits.isEmpty() || digits.length() > 5) {
            return null;
        }
        int port = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return null;
            }
            port = port * 10 + digit;
        }
        return port < 1 || port > MAX_PORT ? null : new Address(host, port);
    }
}
