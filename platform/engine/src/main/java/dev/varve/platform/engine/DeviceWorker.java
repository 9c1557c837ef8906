package dev.varve.platform.engine;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Runs the work of the stages that share a device, on one thread or on the caller's. */
final class DeviceWorker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");
    private static final long REPORT_SECONDS = 10;

    private final Optional<ExecutorService> thread;

    private DeviceWorker(Optional<ExecutorService> thread) {
        this.thread = thread;
    }

    /** Returns a worker that runs work on the caller's thread. */
    static DeviceWorker inline() {
        return new DeviceWorker(Optional.empty());
    }

    /** Returns a worker that runs work on its own thread, in the order of the calls. */
    static DeviceWorker start(String name) {
        return new DeviceWorker(
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

    /** Waits for the submitted work, so that no memory is freed while it runs. */
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
