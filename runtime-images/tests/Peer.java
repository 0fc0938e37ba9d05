import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The application of a sidecar and its client in one: answers one request with that request's first line, and asks for it. */
final class Peer {
    private static final long START_MS = 60_000;

    public static void main(String[] arguments) throws Exception {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        ServerSocket application = new ServerSocket(Integer.parseInt(arguments[0]), 1, loopback);
        Thread answering = new Thread(() -> answer(application));
        answering.setDaemon(true);
        answering.start();
        try (Socket client = connect(loopback, Integer.parseInt(arguments[1]))) {
            String request = "GET " + arguments[2] + " HTTP/1.1\r\nHost: sidecar\r\nConnection: close\r\n\r\n";
            client.getOutputStream().write(request.getBytes());
            BufferedReader response = new BufferedReader(new InputStreamReader(client.getInputStream()));
            System.out.println(response.readLine());
            while (!response.readLine().isEmpty()) {}
            System.out.println(response.readLine());
        }
    }

    private static Socket connect(InetAddress host, int port) throws Exception {
        long end = System.currentTimeMillis() + START_MS;
        while (true) {
            try {
                return new Socket(host, port);
            } catch (ConnectException e) {
                if (System.currentTimeMillis() > end) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }

    private static void answer(ServerSocket application) {
        try (Socket connection = application.accept()) {
            BufferedReader request = new BufferedReader(new InputStreamReader(connection.getInputStream()));
            String line = request.readLine();
            while (!request.readLine().isEmpty()) {}
            String response = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + line.length() + "\r\n\r\n" + line;
            connection.getOutputStream().write(response.getBytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
