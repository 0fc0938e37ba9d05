package io.remora.trust;

import io.remora.text.IpAddress;
import java.util.List;

/**
 * A set of networks. Immutable.
 *
 * <p>Cost: no allocation for a look-up, and a comparison for each network. Spec: RFC 4632 3.1, RFC 4291 2.3.
 */
public final class Cidrs {
    private static final int V4_OFFSET = 96;
    private static final int BITS = 128;
    /** Prefix of an IPv4 address in the lower half of an IPv6 address. */
    private static final long MAPPED = 0xffff;

    /** Halves of each network's address, and of its mask. */
    private final long[] highs;

    private final long[] lows;
    private final long[] highMasks;
    private final long[] lowMasks;
    /** Set for a network of IPv6 alone, which contains no IPv4 address, however short the prefix. */
    private final boolean[] onlyV6;

    /**
     * @param cidrs as a judged configuration has them: an address, or an address with a prefix's length
     */
    public Cidrs(List<String> cidrs) {
        int size = cidrs.size();
        highs = new long[size];
        lows = new long[size];
        highMasks = new long[size];
        lowMasks = new long[size];
        onlyV6 = new boolean[size];
        IpAddress address = new IpAddress();
        for (int i = 0; i < size; i++) {
            String text = cidrs.get(i);
            int slash = text.indexOf('/');
            if (!address.parse(slash < 0 ? text : text.substring(0, slash))) {
                throw new IllegalArgumentException("not a network: " + text);
            }
            boolean v4 = text.indexOf(':') < 0;
            int length = slash < 0 ? BITS : Integer.parseInt(text.substring(slash + 1)) + (v4 ? V4_OFFSET : 0);
            highMasks[i] = mask(Math.min(length, 64));
            lowMasks[i] = mask(Math.max(length - 64, 0));
            highs[i] = address.high() & highMasks[i];
            lows[i] = address.low() & lowMasks[i];
            onlyV6[i] = length < V4_OFFSET;
        }
    }

    /** Returns so many ones, with zeros after them. */
    private static long mask(int ones) {
        return ones == 0 ? 0 : -1L << (64 - ones);
    }

    public boolean contain(IpAddress address) {
        for (int i = 0; i < highs.length; i++) {
            if ((address.high() & highMasks[i]) == highs[i]
                    && (address.low() & lowMasks[i]) == lows[i]
                    && !(onlyV6[i] && address.isV4())) {
                return true;
            }
        }
        return false;
    }

    /** Tells if there is an address in both sets. */
    public boolean overlap(Cidrs other) {
        for (int i = 0; i < highs.length; i++) {
            for (int j = 0; j < other.highs.length; j++) {
                long high = highMasks[i] & other.highMasks[j];
                long low = lowMasks[i] & other.lowMasks[j];
                if ((highs[i] & high) == (other.highs[j] & high)
                        && (lows[i] & low) == (other.lows[j] & low)
                        && !(onlyV6[i] && other.isV4(j) || other.onlyV6[j] && isV4(i))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isV4(int at) {
        return !onlyV6[at] && highs[at] == 0 && lows[at] >>> 32 == MAPPED;
    }
}
