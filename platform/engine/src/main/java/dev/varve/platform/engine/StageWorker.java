package dev.varve.platform.engine;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The thread of all stages that take turns on one device, or no thread of its own. */
final class StageWorker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");
    private static final long REPORT_SECONDS = 10;

    private final Optional<ExecutorService> thread;

    private StageWorker(Optional<ExecutorService> thread) {
        this.thread = thread;
    }

    /** Work is done by who asks for it. */
    static StageWorker inline() {
        return new StageWorker(Optional.empty());
    }

    /** Work is done by a thread of its own, in the order of the calls. */
    static StageWorker start(String name) {
        return new StageWorker(
                Optional.of(
                        Executors.newSingleThreadExecutor(
                                Thread.ofPlatform()
                                        .name("varve-stage-" + name)
                                        .daemon(true)
                                        .factory())));
    }

    void run(Runnable work) {
        if (thread.isPresent()) {
            thread.get().execute(work);
        } else {
            work.run();
        }
    }

    /** Waits for the work at hand, so that nothing is freed under it. */
    @Override
    public void close() {
        thread.ifPresent(
                executor -> {
                    executor.shutdown();
                    try {
                        while (!executor.awaitTermination(REPORT_SECONDS, TimeUnit.SECONDS)) {
                            LOG.log(
                                    System.Logger.Level.INFO,
                                    "waiting for a shard to end its step");
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }
}
