package io.remora.probes;

import java.io.IOException;

/** A probe that only connects. Owner: the run's thread. */
final class TcpProbe extends ProbeCall {
    TcpProbe(AppProbe probe) {
        super(probe);
    }

    @Override
    ProbeAnswer answer() throws IOException {
        connect(host(), probe.port()).close();
        return new ProbeAnswer(200, "connected\n");
    }
}
