package io.remora.naming;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A DNS server that keeps the order of its records, and its silence, as the test wants them; what it does not know does not exist. */
final class ScriptedServer implements AutoCloseable {
    private static final int MOST_OCTETS = 512;
    private static final int HEADER_OCTETS = 12;

    private final InetAddress loopback = InetAddress.getLoopbackAddress();
    private final DatagramSocket socket;
    private final ServerSocket stream;
    private final Map<String, List<byte[]>> records = new HashMap<>();
    private final Set<String> silent = new HashSet<>();
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());

    ScriptedServer() throws IOException {
        DatagramSocket datagrams = new DatagramSocket(0, loopback);
        ServerSocket connections = null;
        while (connections == null) {
            try {
                connections = new ServerSocket(datagrams.getLocalPort(), 10, loopback);
            } catch (BindException e) {
                // somebody has the same port for TCP
                datagrams.close();
                datagrams = new DatagramSocket(0, loopback);
            }
        }
        socket = datagrams;
        stream = connections;
    }

    ScriptedServer address(String name, int ttl, String address) throws IOException {
        byte[] octets = InetAddress.getByName(address).getAddress();
        return add((octets.length == 4 ? 1 : 28) + " " + name, ttl, octets);
    }

    ScriptedServer service(String name, int ttl, int priority, int weight, int port, String target) throws IOException {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(data);
        out.writeShort(priority);
        out.writeShort(weight);
        out.writeShort(port);
        for (String label : target.split("\\.")) {
            out.writeByte(label.length());
            out.write(label.getBytes(StandardCharsets.ISO_8859_1));
        }
        out.writeByte(0);
        return add("33 " + name, ttl, data.toByteArray());
    }

    private ScriptedServer add(String key, int ttl, byte[] data) throws IOException {
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(record);
        out.writeShort(0xc000 | HEADER_OCTETS);
        out.writeShort(Integer.parseInt(key.substring(0, key.indexOf(' '))));
        out.writeShort(1);
        out.writeInt(ttl);
        out.writeShort(data.length);
        out.write(data);
        records.computeIfAbsent(key, all -> new ArrayList<>()).add(record.toByteArray());
        return this;
    }

    /** Questions for this name get no answer. */
    ScriptedServer silentOn(String name) {
        silent.add(name);
        return this;
    }

    /** From now on its records are read only. */
    ScriptedServer start() {
        run(() -> {
            byte[] octets = new byte[MOST_OCTETS];
            while (true) {
                DatagramPacket query = new DatagramPacket(octets, octets.length);
                socket.receive(query);
                byte[] answer = answer(Arrays.copyOf(octets, query.getLength()));
                if (answer.length > MOST_OCTETS) {
                    answer = Arrays.copyOf(answer, query.getLength());
                    answer[2] |= 2;
                    answer[7] = 0;
                    answer[6] = 0;
                }
                if (answer.length > 0) {
                    socket.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
                }
            }
        });
        run(() -> {
            while (true) {
                try (Socket one = stream.accept()) {
                    DataInputStream in = new DataInputStream(one.getInputStream());
                    byte[] answer = answer(in.readNBytes(in.readUnsignedShort()));
                    DataOutputStream out = new DataOutputStream(one.getOutputStream());
                    out.writeShort(answer.length);
                    out.write(answer);
                }
            }
        });
        return this;
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void run(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // closed
                    }
                },
                "scripted-dns");
        thread.setDaemon(true);
        thread.start();
    }

    /** None where the server is silent. */
    private byte[] answer(byte[] query) throws IOException {
        StringBuilder name = new StringBuilder();
        int at = HEADER_OCTETS;
        for (; query[at] != 0; at += query[at] + 1) {
            name.append(name.length() == 0 ? "" : ".")
                    .append(new String(query, at + 1, query[at], StandardCharsets.ISO_8859_1));
        }
        String key = (query[at + 2] & 0xff) + " " + name;
        asked.add(key);
        if (silent.contains(name.toString())) {
            return new byte[0];
        }
        List<byte[]> found = records.getOrDefault(key, List.of());
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(query);
        for (byte[] record : found) {
            answer.write(record);
        }
        byte[] octets = answer.toByteArray();
        octets[2] = (byte) 0x81;
        octets[3] = (byte) (found.isEmpty() ? 0x83 : 0x80);
        octets[6] = (byte) (found.size() >> 8);
        octets[7] = (byte) found.size();
        return octets;
    }

    /** As the number of the type and the name; with those by TCP. */
    List<String> asked() {
        synchronized (asked) {
            return List.copyOf(asked);
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress(loopback, socket.getLocalPort());
    }

    @Override
    public void close() throws IOException {
        socket.close();
        stream.close();
    }
}
