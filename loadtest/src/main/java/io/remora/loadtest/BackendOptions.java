package io.remora.loadtest;

/** How the fake application answers. */
record BackendOptions(int port, int bodyBytes, long delayUs, double errorShare) {
    static BackendOptions read(String... arguments) {
        int port = 0;
        int bodyBytes = 1_024;
        long delayUs = 0;
        double errorShare = 0;
        for (int i = 0; i < arguments.length; i += 2) {
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--port" -> port = Integer.parseInt(value);
                case "--body" -> bodyBytes = Integer.parseInt(value);
                case "--delay" -> delayUs = (long) (Double.parseDouble(value.substring(0, value.length() - 2)) * 1_000);
                case "--error-share" -> errorShare = Double.parseDouble(value);
                default -> throw new IllegalArgumentException("no such option: " + arguments[i]);
            }
        }
        return new BackendOptions(port, bodyBytes, delayUs, errorShare);
    }
}
