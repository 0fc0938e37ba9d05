package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Clients that act at the same time, each in a thread of its own. */
public final class Crowd {
    private static final int PATIENCE_SECONDS = 60;

    /** What one of them does. */
    @FunctionalInterface
    public interface Member {
        void act(int index) throws IOException;
    }

    private Crowd() {}

    /** Returns when all have done their part; fails with the first that failed. */
    public static void of(int size, Member member) {
        ExecutorService threads = Executors.newFixedThreadPool(size);
        try {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int index = i;
                all.add(CompletableFuture.runAsync(() -> act(member, index), threads));
            }
            for (CompletableFuture<Void> one : all) {
                one.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (ExecutionException | InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void act(Member member, int index) {
        try {
            member.act(index);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
