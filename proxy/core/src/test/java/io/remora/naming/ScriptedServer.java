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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A DNS server that keeps the order of its records, its silence and its failures as the test wants them; a name that it has no
 * record of does not exist. A question is written as the number of its type and the name, such as {@code 28 app.test}.
 */
final class ScriptedServer implements AutoCloseable {
    private static final int MOST_OCTETS = 512;
    private static final int HEADER_OCTETS = 12;
    private static final int SERVFAIL = 2;
    private static final int NXDOMAIN = 3;

    private final InetAddress loopback = InetAddress.getLoopbackAddress();
    private final DatagramSocket socket;
    private final ServerSocket stream;
    private final Map<String, List<byte[]>> records = new ConcurrentHashMap<>();
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final Set<String> silent = ConcurrentHashMap.newKeySet();
    /** Result codes that answer questions instead of records. */
    private final Map<String, Integer> failing = new ConcurrentHashMap<>();
    /** How often a question is still left without an answer. */
    private final Map<String, Integer> lost = new ConcurrentHashMap<>();
    /** Questions whose answer waits until another one has been asked. */
    private final Map<String, String> held = new ConcurrentHashMap<>();

    private final List<DatagramPacket> waiting = new ArrayList<>();
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

    /** Without the records of the target, which it gives to who asks for them. */
    ScriptedServer alias(String name, int ttl, String target) throws IOException {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        writeName(new DataOutputStream(data), target);
        return add("5 " + name, ttl, data.toByteArray());
    }

    ScriptedServer service(String name, int ttl, int priority, int weight, int port, String target) throws IOException {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(data);
        out.writeShort(priority);
        out.writeShort(weight);
        out.writeShort(port);
        writeName(out, target);
        return add("33 " + name, ttl, data.toByteArray());
    }

    private static void writeName(DataOutputStream out, String name) throws IOException {
        for (String label : name.split("\\.")) {
            out.writeByte(label.length());
            out.write(label.getBytes(StandardCharsets.ISO_8859_1));
        }
        out.writeByte(0);
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
        records.computeIfAbsent(key, all -> new CopyOnWriteArrayList<>()).add(record.toByteArray());
        names.add(key.substring(key.indexOf(' ') + 1));
        return this;
    }

    /** There are no such records any more; the name stays. */
    ScriptedServer without(String question) {
        records.remove(question);
        return this;
    }

    /** A name, or a question, that gets no answer. */
    ScriptedServer silentOn(String nameOrQuestion) {
        silent.add(nameOrQuestion);
        return this;
    }

    /** The server cannot answer this (SERVFAIL), until {@link #succeedingOn}. */
    ScriptedServer failingOn(String question) {
        failing.put(question, SERVFAIL);
        return this;
    }

    ScriptedServer succeedingOn(String question) {
        failing.remove(question);
        return this;
    }

    /** The server says that the name does not exist (NXDOMAIN), even where it has records of another type. */
    ScriptedServer denying(String question) {
        failing.put(question, NXDOMAIN);
        return this;
    }

    /** Loses so many of these questions. */
    ScriptedServer losing(String question, int times) {
        lost.put(question, times);
        return this;
    }

    /** The answer to one question waits until another one has been asked. */
    ScriptedServer holding(String question, String other) {
        held.put(question, other);
        return this;
    }

    ScriptedServer start() {
        run(() -> {
            byte[] octets = new byte[MOST_OCTETS];
            while (true) {
                DatagramPacket query = new DatagramPacket(octets, octets.length);
                socket.receive(query);
                byte[] question = Arrays.copyOf(octets, query.getLength());
                waiting.add(new DatagramPacket(question, question.length, query.getSocketAddress()));
                asked.add(question(question));
                waiting.removeIf(this::isServed);
            }
        });
        run(() -> {
            while (true) {
                try (Socket one = stream.accept()) {
                    DataInputStream in = new DataInputStream(one.getInputStream());
                    byte[] query = in.readNBytes(in.readUnsignedShort());
                    asked.add(question(query));
                    byte[] answer = answer(query);
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

    /** Answers a query, or loses it; false where it has to wait. */
    private boolean isServed(DatagramPacket query) {
        byte[] octets = query.getData();
        String question = question(octets);
        String other = held.get(question);
        if (other != null && !asked.contains(other)) {
            return false;
        }
        if (lost.computeIfPresent(question, (key, times) -> times > 0 ? times - 1 : null) != null) {
            return true;
        }
        byte[] answer = answer(octets);
        if (answer.length > MOST_OCTETS) {
            answer = Arrays.copyOf(answer, octets.length);
            answer[2] |= 2;
            answer[7] = 0;
            answer[6] = 0;
        }
        try {
            if (answer.length > 0) {
                socket.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
            }
        } catch (IOException e) {
            // closed
        }
        return true;
    }

    private static String question(byte[] query) {
        StringBuilder name = new StringBuilder();
        int at = HEADER_OCTETS;
        for (; query[at] != 0; at += query[at] + 1) {
            name.append(name.length() == 0 ? "" : ".")
                    .append(new String(query, at + 1, query[at], StandardCharsets.ISO_8859_1));
        }
        return (query[at + 2] & 0xff) + " " + name;
    }

    /** None where the server is silent. */
    private byte[] answer(byte[] query) {
        String question = question(query);
        String name = question.substring(question.indexOf(' ') + 1);
        if (silent.contains(name) || silent.contains(question)) {
            return new byte[0];
        }
        Integer code = failing.get(question);
        List<byte[]> found = new ArrayList<>();
        if (code == null) {
            found.addAll(records.getOrDefault(question, List.of()));
            found.addAll(records.getOrDefault("5 " + name, List.of()));
            code = names.contains(name) ? 0 : NXDOMAIN;
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.writeBytes(query);
        found.forEach(answer::writeBytes);
        byte[] octets = answer.toByteArray();
        octets[2] = (byte) 0x81;
        octets[3] = (byte) (0x80 | code);
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

    /** Counts as asked for an address of this name. */
    void ask(String name) throws IOException {
        ByteArrayOutputStream query = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(query);
        out.write(new byte[HEADER_OCTETS]);
        writeName(out, name);
        out.writeInt(1 << 16 | 1);
        try (DatagramSocket asking = new DatagramSocket()) {
            asking.send(new DatagramPacket(query.toByteArray(), query.size(), address()));
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
