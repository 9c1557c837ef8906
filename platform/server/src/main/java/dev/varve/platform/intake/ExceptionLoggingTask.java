package dev.varve.platform.intake;

/** Work whose failure is logged and affects no other work. */
record ExceptionLoggingTask(Runnable work) implements Runnable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    @Override
    public void run() {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            report(e);
        }
    }

    private static void report(Throwable failure) {
        try {
            LOG.log(System.Logger.Level.ERROR, "the check for slow clients failed", failure);
        } catch (RuntimeException | Error e) {
            // Memory was insufficient for logging; some may be free again soon.
            return;
        }
    }
}
