/** Starts a process, and prints the status that it ended with. */
class Child {
    public static void main(String[] args) throws Exception {
        System.out.println("ended with " + new ProcessBuilder("sh", "-c", "exit 3").start().waitFor());
    }
}
