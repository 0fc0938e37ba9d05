package io.remora.route;

import io.remora.http.HostName;
import io.remora.text.IpAddress;
import io.remora.trust.Cidrs;
import java.util.ArrayList;
import java.util.List;

/** The hosts that a template has clusters for. Immutable. */
final class HostPatterns {
    private static final String ANY = "*";

    /** Exact ones, and suffixes with their dot; the empty one for every name. */
    private final String[] names;

    private final String[] suffixes;
    private final Cidrs addresses;

    /**
     * @param patterns as a judged configuration has them
     */
    HostPatterns(List<String> patterns) {
        List<String> exact = new ArrayList<>();
        List<String> ends = new ArrayList<>();
        List<String> networks = new ArrayList<>();
        for (String pattern : patterns) {
            if (pattern.equals(ANY) || pattern.startsWith("*.")) {
                ends.add(pattern.substring(1));
            } else if (pattern.indexOf('/') >= 0 || HostName.isAddress(pattern)) {
                networks.add(pattern);
            } else {
                exact.add(pattern);
            }
        }
        names = exact.toArray(new String[0]);
        suffixes = ends.toArray(new String[0]);
        addresses = new Cidrs(networks);
    }

    /**
     * Tells if one of the patterns matches the host.
     *
     * @param host as {@link HostName} spells it
     */
    boolean contain(String host) {
        if (HostName.isAddress(host)) {
            IpAddress address = new IpAddress();
            return address.parse(host) && addresses.contain(address);
        }
        for (String name : names) {
            if (name.equals(host)) {
                return true;
            }
        }
        for (String suffix : suffixes) {
            // at least one label before it
            if (host.length() > suffix.length() && host.endsWith(suffix)) {
                return true;
            }
        }
        return false;
    }
}
