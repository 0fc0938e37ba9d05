package io.remora.profile;

import io.remora.flame.CallTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;
import java.util.zip.Deflater;

/** A program that takes profiles of itself while classes come and go, methods are compiled, threads end and memory of C is allocated. */
final class Churn {
    private static final long NS_PER_MS = 1_000_000L;
    private static final int RUNS = 2_500;
    private static final int THREADS = 8;
    private static final byte[] TEXT = new byte[2_000];
    static volatile int sink;
    private static volatile boolean ended;
    private static volatile int classes;
    private static volatile int threads;
    private static volatile int texts;

    private Churn() {}

    /** The arguments are the number of profiles, their milliseconds, their kind and its rate. */
    public static void main(String[] arguments) throws Exception {
        Thread[] all = {
            new Thread(Churn::loadClasses), new Thread(Churn::startThreads), new Thread(Churn::allocate),
        };
        for (Thread one : all) {
            one.start();
        }
        long samples = 0;
        for (int i = Integer.parseInt(arguments[0]); i > 0; i--) {
            try (Profile profile = Profile.begin(ProfileKind.valueOf(arguments[2]), Integer.parseInt(arguments[3]))) {
                CallTree tree = profile.run(Integer.parseInt(arguments[1]) * NS_PER_MS, (seconds, count) -> {});
                samples += tree.total(CallTree.NOW);
            }
        }
        ended = true;
        for (Thread one : all) {
            one.join();
        }
        System.out.println("samples " + (samples > 0) + " classes " + (classes > 0) + " threads " + (threads > 0)
                + " texts " + (texts > 0));
    }

    /** A class that is loaded again and again. */
    public static final class Summer implements IntUnaryOperator {
        @Override
        public int applyAsInt(int turns) {
            int sum = 0;
            for (int i = 0; i < turns; i++) {
                sum = step(sum, i);
            }
            return sum;
        }

        private static int step(int sum, int turn) {
            return (sum * 31 + turn) ^ (sum >>> 7);
        }
    }

    private static final class Once extends ClassLoader {
        Class<?> define(byte[] octets) {
            return defineClass(null, octets, 0, octets.length);
        }
    }

    private static void loadClasses() {
        try (InputStream in = Churn.class.getResourceAsStream("Churn$Summer.class")) {
            byte[] octets = in.readAllBytes();
            while (!ended) {
                Class<?> type = new Once().define(octets);
                IntUnaryOperator summer =
                        (IntUnaryOperator) type.getDeclaredConstructor().newInstance();
                for (int i = 0; i < RUNS; i++) {
                    sink = summer.applyAsInt(20);
                }
                classes++;
                if (classes % 100 == 0) {
                    System.gc();
                }
            }
        } catch (IOException | ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void startThreads() {
        while (!ended) {
            Thread[] started = new Thread[THREADS];
            for (int i = 0; i < THREADS; i++) {
                int depth = 10 * i;
                started[i] = new Thread(() -> sink =
                        fall(depth) + ByteBuffer.allocateDirect(100 + depth).capacity());
                started[i].start();
            }
            for (Thread one : started) {
                try {
                    one.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            threads += THREADS;
        }
    }

    private static int fall(int depth) {
        return depth == 0 ? new IllegalStateException().getStackTrace().length : fall(depth - 1) + 1;
    }

    private static void allocate() {
        byte[] into = new byte[2 * TEXT.length];
        while (!ended) {
            Deflater deflater = new Deflater();
            deflater.setInput(TEXT, 0, 1 + texts % TEXT.length);
            deflater.finish();
            sink = deflater.deflate(into);
            deflater.end();
            texts++;
        }
    }
}
