package io.remora.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs of somebody else's that speak HTTP over TLS by a library that is not the sidecar's, each as a client and as a server.
 * Certificates, {@code NAME.crt} with {@code NAME.key}, are those of the directory that is given.
 */
public enum PeerProgram {
    GNUTLS("gnutls-cli", GnuTlsPeer::get, GnuTlsPeer::serve),
    GO("go", GoPeer::get, GoPeer::serve),
    JDK("", JdkProcess::get, JdkProcess::serve),
    HAPROXY("haproxy", HaProxyPeer::get, HaProxyPeer::serve);

    private final String program;

    @SuppressWarnings("ImmutableEnumChecker") // a method of a class
    private final Client client;

    @SuppressWarnings("ImmutableEnumChecker") // likewise
    private final Server server;

    PeerProgram(String program, Client client, Server server) {
        this.program = program;
        this.client = client;
        this.server = server;
    }

    /** What is not installed and would have to be; empty where nothing is missing. */
    public String missing() {
        return program.isEmpty() || !find(program).isEmpty() ? "" : program + " is not installed";
    }

    /** Where a program is; empty for nowhere. */
    static String find(String program) {
        List<String> folders = new ArrayList<>(List.of(System.getenv("PATH").split(":")));
        folders.addAll(List.of("/usr/sbin", "/usr/local/go/bin"));
        for (String folder : folders) {
            Path path = Path.of(folder, program);
            if (Files.isExecutable(path)) {
                return path.toString();
            }
        }
        return "";
    }

    /** One request or more; its output has the response, and its status is that of the program. */
    public Command get(Path directory, PeerCall call) {
        return client.get(directory, call);
    }

    /**
     * A server whose pages begin with the version and the SNI, each followed by a bar; those of GnuTLS have them somewhere.
     *
     * @param asks whether it takes only clients with a certificate of {@code ca}
     */
    public PeerServer serve(Path directory, String version, String certificate, boolean asks) {
        return server.serve(directory, version, certificate, asks);
    }

    private interface Client {
        Command get(Path directory, PeerCall call);
    }

    private interface Server {
        PeerServer serve(Path directory, String version, String certificate, boolean asks);
    }
}
