package io.remora.adminclient;

import io.remora.config.model.Address;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Words of a command line that name the admin listener of a running sidecar. Owner: the command.
 *
 * <p>Without an address, the listener is that of {@value #VARIABLE}, else {@value #DEFAULT}.
 */
public final class AdminTarget {
    public static final String TRUST = "--tls-trust";
    public static final String CHAIN = "--tls-chain";
    public static final String KEY = "--tls-key";
    public static final String NAME = "--tls-name";
    private static final String VARIABLE = "REMORA_ADMIN";
    private static final String DEFAULT = "127.0.0.1:9990";
    private static final List<String> OPTIONS = List.of(TRUST, CHAIN, KEY, NAME);
    private static final int MAX_PORT = 65_535;

    private @Nullable String address;
    private @Nullable String trust;
    private @Nullable String chain;
    private @Nullable String key;
    private @Nullable String name;

    /** Returns whether an option of a command line is one of these, and takes a value. */
    public static boolean isOption(String word) {
        return OPTIONS.contains(word);
    }

    /** Takes the value of an option. */
    public void set(String option, String value) {
        switch (option) {
            case TRUST -> trust = value;
            case CHAIN -> chain = value;
            case KEY -> key = value;
            default -> name = value;
        }
    }

    /** Takes the address; returns false if there is one already. */
    public boolean set(String word) {
        boolean first = address == null;
        address = word;
        return first;
    }

    /** Returns the address as it was given. */
    public String text() {
        String given = address == null ? System.getenv(VARIABLE) : address;
        return given == null || given.isEmpty() ? DEFAULT : given;
    }

    /**
     * Returns the address.
     *
     * @throws IllegalArgumentException with the problem, and what to write instead
     */
    Address address() {
        String text = text();
        if (text.startsWith(Address.UNIX)) {
            String path = text.substring(Address.UNIX.length());
            if (path.startsWith("/")) {
                return new Address(path, 0);
            }
        }
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        int port = colon < 0 ? -1 : port(text.substring(colon + 1));
        if (isNumber(text)) {
            throw new IllegalArgumentException("address is '" + text
                    + "', which looks like a process ID or a port, expected HOST:PORT or unix:/PATH of the admin listener, such as "
                    + DEFAULT);
        }
        if (host.isEmpty() || port < 1 || port > MAX_PORT || !bracketed && host.indexOf(':') >= 0) {
            throw new IllegalArgumentException(
                    "address is '" + text + "', expected HOST:PORT or unix:/PATH, such as " + DEFAULT);
        }
        return new Address(bracketed ? host.substring(1, host.length() - 1) : host, port);
    }

    private static boolean isNumber(String text) {
        boolean digits = !text.isEmpty();
        for (int i = 0; i < text.length() && digits; i++) {
            digits = text.charAt(i) >= '0' && text.charAt(i) <= '9';
        }
        return digits;
    }

    private static int port(String digits) {
        int port = digits.isEmpty() ? -1 : 0;
        for (int i = 0; i < digits.length() && port >= 0; i++) {
            char c = digits.charAt(i);
            port = c < '0' || c > '9' || port > MAX_PORT ? -1 : port * 10 + c - '0';
        }
        return port;
    }

    /**
     * Returns the problem of the options together, null for none. Order: after all words have been set.
     */
    public @Nullable String problem() {
        if ((chain == null) != (key == null)) {
            return CHAIN + " and " + KEY + " need each other";
        }
        if (trust == null && (chain != null || name != null)) {
            return TRUST + " is needed for TLS, a file of the certificates that the sidecar's chains to";
        }
        try {
            return address().isUnix() && trust != null ? TRUST + " is for a port, not for a Unix socket" : null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    @Nullable
    String trust() {
        return trust;
    }

    @Nullable
    String chain() {
        return chain;
    }

    @Nullable
    String key() {
        return key;
    }

    /** Returns the name that the server's certificate must have. */
    String serverName() {
        return name == null ? address().host() : name;
    }
}
