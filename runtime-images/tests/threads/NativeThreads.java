/** The work of threads that a native program attaches to the VM, see threads.c. Each step needs to know the current thread. */
final class NativeThreads {
    private static final int ROUNDS = 3_000;

    private NativeThreads() {}

    /** Returns whether the current thread was the one named {@code name} all the time, and nobody else wrote into its objects. */
    static boolean work(String name) {
        Thread self = Thread.currentThread();
        int mark = name.hashCode();
        boolean right = self.getName().equals(name);
        for (int round = 0; round < ROUNDS; round++) {
            right &= step(self, mark, round);
        }
        return right;
    }

    /** Runs until the VM ends. */
    static void workOn(String name) {
        while (work(name)) {
            Thread.onSpinWait();
        }
        System.out.println(name + " was another thread");
        Runtime.getRuntime().halt(3);
    }

    static void collect() {
        System.gc();
    }

    private static boolean step(Thread self, int mark, int round) {
        int[] own = new int[8 + (round & 127)];
        for (int i = 0; i < own.length; i++) {
            own[i] = mark;
        }
        boolean right;
        synchronized (own) {
            right = Thread.holdsLock(own) && Thread.currentThread() == self && divided(mark, round & 15) == (round & 15);
        }
        for (int value : own) {
            right &= value == mark;
        }
        return right;
    }

    // by an exception, whose place is kept with the thread
    private static int divided(int mark, int by) {
        try {
            return mark / by == 0 ? by : by + mark - mark;
        } catch (ArithmeticException e) {
            return by;
        }
    }
}
