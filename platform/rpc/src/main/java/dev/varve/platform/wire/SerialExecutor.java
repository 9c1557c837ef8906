package dev.varve.platform.wire;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Runs tasks one after the other, in order, on threads of another executor. */
final class SerialExecutor implements Executor {
    private final Executor threads;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    SerialExecutor(Executor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (waiting) {
            waiting.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        threads.execute(this::runAll);
    }

    private void runAll() {
        for (Runnable task = next(); task != this.end; task = next()) {
            task.run();
        }
    }

    private final Runnable end = () -> {};

    private Runnable next() {
        synchronized (waiting) {
            if (waiting.isEmpty()) {
                running = false;
                return end;
            }
            return waiting.remove();
        }
    }
}
