package dev.varve.platform.engine;

import static dev.varve.platform.engine.SimulatedModel.VOCABULARY;
import static dev.varve.platform.engine.SimulatedModel.mix;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.FakeShard;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.simulation.Simulation;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A shard of a {@link SimulatedModel}. Calls take effect in their order; another thread completes
 * their results later. Its faults determine delays, failures and losses.
 */
public final class SimulatedShard extends FakeShard {
    /** Number of floats that represent a hash exactly. */
    private static final int PARTS = 3;

    private static final int PART_BITS = 22;
    private static final long LONGEST_CALL = 2_000_000;
    private static final long LONGEST_LOSS = 400_000_000;

    private final SimulatedModel model;
    private final Simulation simulation = Simulation.current();
    private final SplittableRandom random;
    private final ShardFaults faults;
    private final long[][] slots;
    private final long[][] rows;
    private boolean lost;
    private boolean closed;
    private long restarts;
    private CompletableFuture<Void> back = CompletableFuture.completedFuture(null);

    /**
     * Creates a shard of some layers.
     *
     * @param turn as in {@link FakeShard}
     * @param faults may be shared with other shards
     */
    public SimulatedShard(
            SimulatedModel model,
            LayerRange range,
            EngineOptions options,
            Object turn,
            ShardFaults faults) {
        super(range, "simulated:" + range.begin(), turn);
        this.model = model;
        this.faults = faults;
        random = simulation.choices().split();
        slots = new long[range.size()][options.capacity().caches().slots()];
        rows = new long[range.size()][options.capacity().caches().stateRows()];
    }

    /**
     * Returns the result of a call after a delay; a failed call may leave garbage in the caches.
     */
    private <T> CompletableFuture<T> call(
            String what, boolean fails, Supplier<T> effect, Runnable garbage) {
        if (closed) {
            throw new IllegalStateException(device() + " is closed");
        }
        if (!lost && faults.isLost(random)) {
            lose();
        }
        if (lost) {
            return later(
                    () -> {
                        throw new ShardLostException(device() + " is lost");
                    });
        }
        if (fails) {
            simulation.event(device() + " fails to " + what);
            garbage.run();
            return later(
                    () -> {
                        throw new VarveException(
                                VarveException.Kind.BACKEND_FAILED, device() + " fails");
                    });
        }
        T result = effect.get();
        return later(() -> result);
    }

    private <T> CompletableFuture<T> later(Supplier<T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        long delay = random.nextLong(LONGEST_CALL);
        simulation.start(
                device(),
                () -> {
                    simulation.sleep(delay);
                    try {
                        future.complete(result.get());
                    } catch (VarveException e) {
                        future.completeExceptionally(e);
                    }
                });
        return future;
    }

    private void lose() {
        simulation.event(device() + " is lost");
        lost = true;
        scramble();
        CompletableFuture<Void> returned = new CompletableFuture<>();
        back = returned;
        long delay = random.nextLong(LONGEST_LOSS);
        simulation.start(
                device() + " is back",
                () -> {
                    simulation.sleep(delay);
                    simulation.event(device() + " is back");
                    returned.complete(null);
                });
    }

    private void scramble() {
        for (int layer = 0; layer < slots.length; layer++) {
            Arrays.setAll(slots[layer], slot -> mix(slot, 99));
            Arrays.setAll(rows[layer], row -> row == SequenceChunk.ZERO_ROW ? 0 : mix(row, 77));
        }
    }

    @Override
    public ShardHealth health() {
        return lost
                ? new ShardHealth(
                        ShardHealth.State.MISSING, Optional.of("lost"), restarts, Optional.empty())
                : ShardHealth.ready(restarts);
    }

    @Override
    public CompletableFuture<Void> recover() {
        return back.thenRun(
                () -> {
                    restarts += lost ? 1 : 0;
                    lost = false;
                });
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        return call(
                "compute",
                faults.failsStep(random),
                () -> compute(batch, boundary),
                () -> leaveGarbage(batch));
    }

    /** Writes garbage to the rows of a failed batch. */
    private void leaveGarbage(Batch batch) {
        for (int layer = 0; layer < slots.length; layer++) {
            for (KvSlotCopy copy : batch.changes().copies()) {
                scramble(slots[layer], copy.to(), copy.count());
            }
            for (SequenceChunk chunk : batch.chunks()) {
                int first = chunk.slots().begin() + chunk.firstPosition();
                scramble(slots[layer], first, chunk.tokens().length);
                rows[layer][chunk.writeRow()] = random.nextLong();
            }
        }
    }

    private void scramble(long[] values, int first, int count) {
        for (int i = first; i < first + count; i++) {
            values[i] = random.nextLong();
        }
    }

    private ShardResult compute(Batch batch, Optional<LayerActivations> boundary) {
        apply(batch.changes());
        long[] values =
                boundary.map(given -> read(given, batch.tokens())).orElseGet(() -> tokens(batch));
        for (int layer = 0; layer < range().size(); layer++) {
            int column = 0;
            for (SequenceChunk chunk : batch.chunks()) {
                compute(layer, chunk, values, column);
                column += chunk.tokens().length;
            }
        }
        if (range().end() < SimulatedModel.LAYERS) {
            return new ShardResult(
                    new float[0],
                    new int[batch.outputs()],
                    0,
                    Optional.of(write(values)),
                    List.of());
        }
        int[] best = new int[batch.outputs()];
        float[] logits = new float[best.length * VOCABULARY];
        int column = 0;
        int row = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            column += chunk.tokens().length;
            if (chunk.outputs() != RequestedOutput.NONE) {
                best[row] = SimulatedModel.token(values[column - 1]);
                logits[row * VOCABULARY + best[row]] = 5;
                row++;
            }
        }
        return new ShardResult(logits, best, best.length, Optional.empty(), List.of());
    }

    private void compute(int layer, SequenceChunk chunk, long[] values, int firstColumn) {
        boolean recurrent = model.isRecurrent(range().begin() + layer);
        long[] cache = slots[layer];
        int begin = chunk.slots().begin();
        long seen = recurrent ? rows[layer][chunk.readRow()] : 0;
        for (int position = 0; !recurrent && position < chunk.firstPosition(); position++) {
            seen = mix(seen, cache[begin + position]);
        }
        for (int i = 0; i < chunk.tokens().length; i++) {
            long in = values[firstColumn + i];
            int position = chunk.firstPosition() + i;
            long row = SimulatedModel.row(in, position);
            cache[begin + position] = row;
            seen = mix(seen, recurrent ? in : row);
            values[firstColumn + i] = mix(in, seen);
        }
        if (recurrent) {
            rows[layer][chunk.writeRow()] = seen;
        }
    }

    private static long[] tokens(Batch batch) {
        return batch.chunks().stream()
                .flatMapToInt(chunk -> Arrays.stream(chunk.tokens()))
                .mapToLong(SimulatedModel::embedded)
                .toArray();
    }

    private static LayerActivations write(long[] values) {
        float[] out = new float[PARTS * values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = values[i / PARTS] >>> (i % PARTS * PART_BITS) & (1 << PART_BITS) - 1;
        }
        return new HostActivations(out, values.length);
    }

    private static long[] read(LayerActivations boundary, int tokens) {
        float[] in = boundary.values();
        long[] values = new long[tokens];
        for (int i = 0; i < PARTS * tokens; i++) {
            values[i / PARTS] |= (long) in[i] << (i % PARTS * PART_BITS);
        }
        return values;
    }

    private void apply(CacheChanges changes) {
        for (KvSlotCopy copy : changes.copies()) {
            for (long[] layer : slots) {
                System.arraycopy(layer, copy.from(), layer, copy.to(), copy.count());
            }
        }
    }

    @Override
    public CompletableFuture<Void> change(CacheChanges changes) {
        return call(
                "change",
                false,
                () -> {
                    apply(changes);
                    return null;
                },
                () -> {});
    }

    @Override
    public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
        return call(
                "export",
                faults.failsCopy(random),
                () -> {
                    for (int i = 0; i < parts.size(); i++) {
                        target.accept(i, bytes(parts.get(i)));
                    }
                    return null;
                },
                () -> target.accept(0, bytes(parts.getFirst())));
    }

    @Override
    public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
        return call(
                "adopt",
                faults.failsCopy(random),
                () -> {
                    for (int i = 0; i < parts.size(); i++) {
                        ByteBuffer bytes = ByteBuffer.allocate((int) parts.get(i).bytes());
                        source.give(i, bytes);
                        put(parts.get(i), bytes.flip());
                    }
                    return null;
                },
                () -> {});
    }

    private ByteBuffer bytes(CachePart part) {
        ByteBuffer bytes = ByteBuffer.allocate((int) part.bytes());
        long[] layer = slots[part.layer() - range().begin()];
        switch (part) {
            case CachePart.Rows some -> {
                for (int i = 0; i < some.count(); i++) {
                    bytes.putInt((int) layer[some.slot() + i]);
                }
                for (int i = 0; i < some.count(); i++) {
                    bytes.putInt((int) (layer[some.slot() + i] >>> 32));
                }
            }
            case CachePart.State state ->
                    bytes.putLong(0, rows[part.layer() - range().begin()][state.row()])
                            .position(bytes.limit());
            default -> throw new IllegalArgumentException(part.toString());
        }
        return bytes.flip();
    }

    private void put(CachePart part, ByteBuffer bytes) {
        long[] layer = slots[part.layer() - range().begin()];
        switch (part) {
            case CachePart.Rows some -> {
                for (int i = 0; i < some.count(); i++) {
                    long low = bytes.getInt(i * Integer.BYTES) & 0xFFFF_FFFFL;
                    long high = bytes.getInt((some.count() + i) * Integer.BYTES);
                    layer[some.slot() + i] = high << 32 | low;
                }
            }
            case CachePart.State state ->
                    rows[part.layer() - range().begin()][state.row()] = bytes.getLong(0);
            default -> throw new IllegalArgumentException(part.toString());
        }
    }
}
