package dev.varve.platform.store;

import dev.varve.api.snapshot.SharedStore;
import dev.varve.contracts.MemorySharedStore;
import dev.varve.testkit.simulation.Simulation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A shared store that takes its time, more than a caller has sometimes, fails, and drops or damages
 * what it was given, as its faults say.
 */
public final class SimulatedSharedStore implements SharedStore {
    private static final long LONGEST_CALL = 2_000_000;

    private final Simulation simulation = Simulation.current();
    private final SplittableRandom random = simulation.choices().split();
    private final Map<String, byte[]> values;
    private final MemorySharedStore sound;
    private final Faults faults;

    /**
     * The rates of faults: one in so many calls; 0 for never.
     *
     * @param calls a call fails
     * @param late a call takes longer than its caller waits
     * @param drops a value is put and not there
     * @param damages a value is put with a wrong byte
     */
    public record Faults(int calls, int late, int drops, int damages) {
        /** Nothing goes wrong. */
        public static final Faults NONE = new Faults(0, 0, 0, 0);
    }

    /**
     * A store.
     *
     * @param values what it holds, for other servers as well
     */
    public SimulatedSharedStore(Map<String, byte[]> values, Faults faults) {
        this.values = values;
        this.faults = faults;
        sound = new MemorySharedStore(values);
    }

    /** Opens an archive on it. */
    public SharedArchive open(byte[] namespace) {
        return SharedArchive.open(
                new SharedArchiveSettings(
                        "simulated",
                        new Namespace(namespace, Map.of()),
                        false,
                        Duration.ofMillis(50),
                        Optional.empty()),
                this);
    }

    private boolean isDue(int oneIn) {
        return oneIn > 0 && random.nextInt(oneIn) == 0;
    }

    private void take(String what, Duration limit) throws IOException {
        if (isDue(faults.late())) {
            simulation.sleep(limit.toNanos());
            throw new IOException("no answer in time");
        }
        simulation.sleep(Math.min(limit.toNanos(), random.nextLong(LONGEST_CALL)));
        if (isDue(faults.calls())) {
            simulation.event("the shared store fails to " + what);
            throw new IOException("it fails to " + what);
        }
    }

    @Override
    public void get(List<String> keys, int mostBytes, Duration limit, Values taker)
            throws IOException {
        take("get", limit);
        sound.get(keys, mostBytes, limit, taker);
    }

    @Override
    public BitSet has(List<String> keys, Duration limit) throws IOException {
        take("look", limit);
        return sound.has(keys, limit);
    }

    @Override
    public void put(String key, ByteBuffer value, Duration limit) throws IOException {
        take("put", limit);
        if (isDue(faults.drops())) {
            return;
        }
        sound.put(key, value, limit);
        if (isDue(faults.damages()) && value.hasRemaining()) {
            byte[] damaged = values.get(key).clone();
            damaged[random.nextInt(damaged.length)] ^= 8;
            values.put(key, damaged);
        }
    }

    @Override
    public void mark(String key, int bit, Duration limit) throws IOException {
        take("mark", limit);
        sound.mark(key, bit, limit);
    }

    @Override
    public void touch(List<String> keys, Duration limit) throws IOException {
        take("touch", limit);
        sound.touch(keys, limit);
    }

    @Override
    public void deleteAll(String prefix, Duration limit) throws IOException {
        take("delete", limit);
        sound.deleteAll(prefix, limit);
    }

    @Override
    public void ping(Duration limit) throws IOException {
        take("ping", limit);
        sound.ping(limit);
    }

    @Override
    public void close() {
        sound.close();
    }
}
