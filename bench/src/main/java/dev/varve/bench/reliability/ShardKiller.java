package dev.varve.bench.reliability;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Kills processes that a server started, one at a time, and waits until all shards are back. */
final class ShardKiller {
    private static final Duration LOOK = Duration.ofMillis(200);

    private final Supplier<Stream<ProcessHandle>> processes;
    private final BooleanSupplier healthy;
    private final Random random;

    /** Grows when a process is killed, and when all shards are back: odd in between. */
    private volatile int phase;

    /**
     * @param processes children of the server
     * @param healthy whether all shards of the server compute
     */
    ShardKiller(Supplier<Stream<ProcessHandle>> processes, BooleanSupplier healthy, Random random) {
        this.processes = processes;
        this.healthy = healthy;
        this.random = random;
    }

    /** Kills one, and returns when all shards are back; does nothing if there is none. */
    synchronized void kill() throws InterruptedException {
        List<ProcessHandle> all = processes.get().filter(ProcessHandle::isAlive).toList();
        if (all.isEmpty()) {
            return;
        }
        phase++;
        all.get(random.nextInt(all.size())).destroyForcibly();
        do {
            Thread.sleep(LOOK);
        } while (!healthy.getAsBoolean());
        phase++;
    }

    /** Returns the phase before a request, for {@link #wasMissing}. */
    int phase() {
        return phase;
    }

    /** Whether a process was missing at any time since a phase. */
    boolean wasMissing(int before) {
        return before % 2 == 1 || phase != before;
    }

    /** Processes killed so far. */
    int kills() {
        return (phase + 1) / 2;
    }
}
