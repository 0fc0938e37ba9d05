package io.remora.finagle;

import com.twitter.finagle.Path;
import com.twitter.io.Buf;
import io.remora.config.model.Address;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The place where a name ends. {@code /#/NAME} is a cluster's endpoints, and {@code /$/inet/HOST/PORT} an address or a
 * name in DNS. {@code /$/com.twitter.serverset/HOSTS/PATH} is a serverset in ZooKeeper, perhaps with {@code :ENDPOINT}.
 * Finagle knows {@code /$/nil} and {@code /$/fail}. The part of a name behind one of these is left out, but for the
 * path of a serverset.
 *
 * @param kind null for a name that leads nowhere
 * @param text of {@link Kind#CLUSTER} its name, of {@link Kind#SERVERSET} {@code HOSTS!/PATH!ENDPOINT}; empty otherwise
 * @param address of {@link Kind#INET}; null otherwise
 */
record Place(@Nullable Kind kind, String text, @Nullable Address address) {
    private static final int MAX_PORT = 65_535;
    private static final String SERVERSET = "com.twitter.serverset";
    private static final Place NOWHERE = new Place(null, "", null);

    enum Kind {
        CLUSTER,
        INET,
        SERVERSET,
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
        if (!first.equals("$") || words.size() < 2) {
            return NOWHERE;
        }
        return switch (words.get(1)) {
            case "nil", "fail" -> new Place(Kind.NONE, "", null);
            case "inet" -> words.size() < 4 ? NOWHERE : inet(words.get(2), words.get(3));
            case SERVERSET -> words.size() < 4 ? NOWHERE : serverset(words.get(2), words.subList(3, words.size()));
            default -> NOWHERE;
        };
    }

    private static Place inet(String host, String digits) {
        Address address = host.isEmpty() ? null : address(host, digits);
        return address == null ? NOWHERE : new Place(Kind.INET, "", address);
    }

    private static @Nullable Address address(String host, String digits) {
        if (digits.isEmpty() || digits.length() > 5) {
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

    // each host with its port, as ZooKeeper's client would take another one for granted
    private static Place serverset(String hosts, List<String> words) {
        for (String host : hosts.split(",", -1)) {
            int colon = host.lastIndexOf(':');
            if (colon < 1 || host.indexOf('/') >= 0 || address(host, host.substring(colon + 1)) == null) {
                return NOWHERE;
            }
        }
        String path = '/' + String.join("/", words);
        int colon = path.indexOf(':', path.lastIndexOf('/'));
        if (path.indexOf('!') >= 0 || path.indexOf('#') >= 0 || path.endsWith("/") || path.contains("//")) {
            return NOWHERE;
        }
        String set = colon < 0 ? path : path.substring(0, colon) + '!' + path.substring(colon + 1);
        return new Place(Kind.SERVERSET, hosts + '!' + set, null);
    }

    /**
     * A name as the configuration has it: a path, or a serverset as Finagle's resolvers are given one, {@code zk!HOSTS!/PATH}.
     *
     * @throws IllegalArgumentException where it is neither
     */
    static Path path(String name) {
        if (!name.startsWith("zk!") && !name.startsWith("zk2!")) {
            return Path.read(name);
        }
        String[] parts = name.split("!", -1);
        List<String> words = new ArrayList<>(List.of("$", SERVERSET));
        if (parts.length == 3 || parts.length == 4) {
            words.add(parts[1]);
            words.addAll(List.of(parts[2].split("/", -1)));
        }
        // the part in front of the first slash
        if (words.size() < 5 || !words.remove(3).isEmpty() || words.contains("")) {
            throw new IllegalArgumentException("'" + name + "', expected zk!HOST:PORT!/PATH");
        }
        if (parts.length == 4) {
            words.set(words.size() - 1, words.get(words.size() - 1) + ':' + parts[3]);
        }
        return Path.Utf8$.MODULE$.apply(CollectionConverters.asScala(words).toSeq());
    }
}
