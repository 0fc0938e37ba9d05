package io.remora.naming;

import io.remora.discovery.DnsSource;
import io.remora.discovery.ResolverConfig;
import io.remora.dns.ResolvConf;
import io.remora.files.FileWatch;

/** Makes the resolver of a cluster that does not list its endpoints itself. Loaded only where one is configured. */
public final class Sources {
    private Sources() {}

    /**
     * @param name of the cluster
     * @param seed that nobody can guess
     */
    public static Resolver of(String name, ResolverConfig config, FileWatch files, long seed) {
        DnsSource dns = config.dns();
        if (dns != null) {
            return new DnsResolver(name, dns, config, ResolvConf.PATH, seed);
        }
        String file = config.file();
        if (file == null) {
            throw new IllegalArgumentException("cluster " + name + ": no source");
        }
        return new FileResolver(name, file, files);
    }
}
