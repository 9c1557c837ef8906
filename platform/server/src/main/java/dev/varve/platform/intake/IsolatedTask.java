package dev.varve.platform.intake;

/** Work whose failure is told and ends nothing else. */
record IsolatedTask(Runnable work) implements Runnable {
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
            LOG.log(System.Logger.Level.ERROR, "watching a client failed", failure);
        } catch (RuntimeException | Error e) {
            // Without memory for a line in the log there may soon be some again.
            return;
        }
    }
}
