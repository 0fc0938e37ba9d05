package io.remora.dns;

import io.remora.text.IpAddress;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of {@code /etc/resolv.conf}: the servers, the times to wait, and the domains to put after short names.
 * Immutable.
 *
 * <p>Bounds: 64 KiB, and glibc's: three servers, 30 seconds, five attempts, 15 dots. Spec: resolv.conf(5); {@code nameserver},
 * {@code domain}, {@code search} and the options {@code ndots}, {@code timeout} and {@code attempts}.
 */
public final class ResolvConf {
    public static final String PATH = "/etc/resolv.conf";

    static final int PORT = 53;
    private static final int MAX_OCTETS = 64 << 10;
    /** Time for which the file must rest: some write it in place, and it may be incomplete until then. */
    private static final long QUIET_MS = 500;

    private static final int MAX_SERVERS = 3;
    private static final int MAX_DOMAINS = 32;

    final List<InetSocketAddress> servers = new ArrayList<>();
    final List<String> search = new ArrayList<>();
    int ndots = 1;
    int timeoutSeconds = 5;
    int attempts = 2;
    private boolean isRead;
    private boolean namesServer;

    private ResolvConf() {}

    /**
     * Reads the file, or returns {@code before} where the file is gone, being written, or names no server any more. In
     * half a file, a short name would stand for something else. {@code before} only counts if it was read from the
     * file.
     */
    static ResolvConf read(String path, ResolvConf before) {
        File file = new File(path);
        long octets = file.length();
        long modifiedMs = file.lastModified();
        ResolvConf read = read(path);
        if (!before.isRead) {
            return read;
        }
        boolean same = read.isRead && file.length() == octets && file.lastModified() == modifiedMs;
        long ageMs = System.currentTimeMillis() - modifiedMs;
        // a time to come is that of another clock
        boolean rests = ageMs < 0 || ageMs >= QUIET_MS;
        return same && rests && (read.namesServer || !before.namesServer) ? read : before;
    }

    /** Reads a file; without one, a server on this machine gets the questions. */
    public static ResolvConf read(String path) {
        try (InputStream file = new FileInputStream(path)) {
            ResolvConf conf = parse(new String(file.readNBytes(MAX_OCTETS), StandardCharsets.ISO_8859_1));
            conf.isRead = true;
            return conf;
        } catch (IOException e) {
            return parse("");
        }
    }

    static ResolvConf parse(String text) {
        ResolvConf conf = new ResolvConf();
        StringTokenizer lines = new StringTokenizer(text, "\n\r");
        while (lines.hasMoreTokens()) {
            StringTokenizer words = new StringTokenizer(lines.nextToken(), " \t");
            if (words.hasMoreTokens()) {
                conf.line(words.nextToken(), words);
            }
        }
        conf.namesServer = !conf.servers.isEmpty();
        if (!conf.namesServer) {
            conf.servers.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT));
        }
        return conf;
    }

    /** Returns the same settings with other servers. */
    ResolvConf asking(List<InetSocketAddress> others) {
        servers.clear();
        servers.addAll(others);
        return this;
    }

    private void line(String keyword, StringTokenizer words) {
        if (keyword.equals("nameserver") && words.hasMoreTokens() && servers.size() < MAX_SERVERS) {
            InetAddress server = literal(words.nextToken());
            if (server != null) {
                servers.add(new InetSocketAddress(server, PORT));
            }
        } else if (keyword.equals("search") || keyword.equals("domain")) {
            // the last line counts
            search.clear();
            while (words.hasMoreTokens() && search.size() < MAX_DOMAINS) {
                search.add(DnsNames.canonical(words.nextToken()));
            }
        } else if (keyword.equals("options")) {
            while (words.hasMoreTokens()) {
                option(words.nextToken().toLowerCase(Locale.ROOT));
            }
        }
    }

    private void option(String option) {
        ndots = number(option, "ndots:", 0, 15, ndots);
        timeoutSeconds = number(option, "timeout:", 1, 30, timeoutSeconds);
        attempts = number(option, "attempts:", 1, 5, attempts);
    }

    long timeoutNs() {
        return timeoutSeconds * 1_000_000_000L;
    }

    private static int number(String option, String name, int least, int most, int otherwise) {
        if (!option.startsWith(name)) {
            return otherwise;
        }
        try {
            return Math.min(Math.max(Integer.parseInt(option.substring(name.length())), least), most);
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /**
     * Returns an address, which may have the name of an interface after it; null for anything else, so that no name is
     * looked up.
     */
    private static @Nullable InetAddress literal(String text) {
        int zone = text.indexOf('%');
        if (!new IpAddress().parse(zone < 0 ? text : text.substring(0, zone))) {
            return null;
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Returns the names that a name may stand for, in the order of their questions. */
    List<String> candidates(String name) {
        String canonical = DnsNames.canonical(name);
        if (name.endsWith(".")) {
            return List.of(canonical);
        }
        int dots = 0;
        for (int i = 0; i < canonical.length(); i++) {
            dots += canonical.charAt(i) == '.' ? 1 : 0;
        }
        List<String> candidates = new ArrayList<>();
        for (String domain : search) {
            String candidate = domain.isEmpty() ? canonical : canonical + '.' + domain;
            // what is no name is nowhere, and need not be asked for
            if (DnsNames.isName(candidate)) {
                candidates.add(candidate);
            }
        }
        candidates.add(dots >= ndots ? 0 : candidates.size(), canonical);
        return candidates;
    }
}
