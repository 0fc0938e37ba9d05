package io.remora.seams;

/** The credit that one stream's peer is given for what it sends. Owner: its connection. */
final class FrameInput {
    private final FrameHandler connection;
    private final int stream;
    private boolean wanted = true;
    private int owed;

    FrameInput(FrameHandler connection, int stream) {
        this.connection = connection;
        this.stream = stream;
    }

    /** So much has arrived and been handed on. */
    void taken(int octets) {
        owed += octets;
        give();
    }

    void wanted(boolean now) {
        wanted = now;
        give();
    }

    private void give() {
        if (wanted && owed > 0) {
            connection.write(Frame.credit(stream, owed));
            connection.channel().flush();
            owed = 0;
        }
    }
}
