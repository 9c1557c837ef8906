package dev.varve.platform.mtp;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.Numerics;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.local.WeightCache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The block in the memory of a device: weights, and keys and values of each sequence in its own
 * region. For one thread; takes turns with other users of the device.
 */
final class MtpModel implements AutoCloseable {
    /** Maximum number of rows of a sequence that are computed at once. */
    static final int MOST_ROWS = 256;

    /**
     * Permits the commits that shorten a window before a row is computed again; the buffer holds
     * nothing.
     */
    private static final RollbackBufferSizes ROLLBACK_BUFFERS = new RollbackBufferSizes(1, 1);

    private final MtpFile file;
    private final Shard shard;
    private final int capacity;

    /** Position after the last computed rows, for each region. */
    private final int[] ends;

    /**
     * Rows of one sequence that are computed together: tokens, and the hidden states before them.
     *
     * @param region of the sequence
     * @param position of the first row in the region
     * @param columns {@code F32 [(captures + 1) * width, tokens]}: states of the model, and the
     *     block's own state; either the model's last state or the block's own is zero
     */
    record Rows(int region, int position, int[] tokens, float[] columns) {}

    /**
     * Output of the block for the last row of each sequence.
     *
     * @param tokens the likeliest next ones; -1 if a logit is NaN
     * @param states {@code F32 [width]} each
     */
    record MtpOutput(int[] tokens, List<float[]> states) {}

    /**
     * @param shard of the blocks only, with a region and a state row for each sequence; closed with
     *     the model
     */
    MtpModel(MtpFile file, Shard shard, SpeculationTarget.Limits limits) {
        this.file = file;
        this.shard = shard;
        capacity = capacity(limits);
        ends = new int[limits.sequences()];
    }

    MtpFile file() {
        return file;
    }

    /**
     * Loads weights and clears a cache.
     *
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if the memory is too small
     */
    static MtpModel load(
            MtpFile file,
            SpeculationTarget.Limits limits,
            ShardDevices devices,
            FlashAttention attention) {
        requireMemory(file, limits, devices);
        ShardOptions options =
                ShardOptions.of(CacheTypes.f16(), capacities(file, limits))
                        .withNumerics(new Numerics(attention, BatchInvariance.OFF))
                        .withCaptures(List.of(file.made()));
        Shard shard =
                LocalShard.load(
                        new ModelRange(file.file(), file.block(), file.range()),
                        devices,
                        options,
                        LoadProgressListener.silent(),
                        new WeightCache());
        return new MtpModel(file, shard, limits);
    }

    /**
     * Returns the cache sizes. Each sequence has a state row for its window; it holds no other
     * state.
     */
    private static CacheCapacities capacities(MtpFile file, SpeculationTarget.Limits limits) {
        int capacity = capacity(limits);
        // Rows may begin at any position, so they may cross a multiple of their maximum number.
        CacheUnitBytes unitBytes =
                CacheUnitBytes.of(
                        file.block().shape(),
                        file.range(),
                        CacheTypes.f16(),
                        2 * MOST_ROWS,
                        capacity);
        return new CacheCapacities(
                Math.multiplyExact(limits.sequences(), capacity),
                limits.sequences() + 1,
                unitBytes.regionSlots(),
                ROLLBACK_BUFFERS);
    }

    /** Positions of a region: a sequence's tokens, and the draft tokens after them. */
    static int capacity(SpeculationTarget.Limits limits) {
        return KvSlotSpan.roundUp(Math.addExact(limits.contextTokens(), limits.draftTokens()));
    }

    /** Bytes of keys and values for the maximum number of sequences. */
    static long cacheBytes(MtpFile file, SpeculationTarget.Limits limits) {
        return CacheUnitBytes.cacheBytes(
                file.block().shape(), file.range(), CacheTypes.f16(), capacities(file, limits));
    }

    private static void requireMemory(
            MtpFile file, SpeculationTarget.Limits limits, ShardDevices devices) {
        ComputeDevice device = devices.own();
        long cache = cacheBytes(file, limits);
        long free = device.info().memoryFreeBytes();
        long weights = file.weightBytes(name -> !devices.elsewhere().containsKey(name));
        if (weights + cache > free) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    file.file().path()
                            + ": a block for multi-token prediction of "
                            + weights
                            + " bytes and a cache of "
                            + cache
                            + " bytes exceed the "
                            + free
                            + " bytes that are free on "
                            + device.info().name());
        }
    }

    /** Writes keys and values of some rows. */
    void addFeatures(Rows rows) {
        compute(List.of(rows), Phase.PREFILL, RequestedOutput.NONE, List.of());
    }

    /**
     * Predicts the token after the last row of each sequence.
     *
     * @param all of different sequences
     */
    MtpOutput draft(List<Rows> all) {
        ShardResult result = compute(all, Phase.DECODE, RequestedOutput.BEST, List.of(file.made()));
        float[] made = result.features().getFirst().values();
        List<float[]> states = new ArrayList<>();
        int end = 0;
        for (Rows rows : all) {
            end += rows.tokens().length;
            states.add(Arrays.copyOfRange(made, (end - 1) * file.width(), end * file.width()));
        }
        return new MtpOutput(result.best(), states);
    }

    private ShardResult compute(
            List<Rows> all, Phase phase, RequestedOutput outputs, List<Integer> captures) {
        List<StateCommit> rewinds = new ArrayList<>();
        List<SequenceChunk> chunks = new ArrayList<>(all.size());
        for (Rows rows : all) {
            int stateRow = 1 + rows.region();
            int position = rows.position();
            if (position > 0 && position < ends[rows.region()]) {
                rewinds.add(new StateCommit(0, stateRow, stateRow, position - 1, 1));
            }
            ends[rows.region()] = position + rows.tokens().length;
            KvSlotSpan span = new KvSlotSpan(rows.region() * capacity, capacity);
            ChunkPlacement place = ChunkPlacement.next(position, span, stateRow);
            chunks.add(new SequenceChunk(rows.region(), rows.tokens(), place, outputs));
        }
        Batch batch = new Batch(new CacheChanges(rewinds, List.of()), chunks, phase, captures);
        return shard.forward(batch, Optional.of(activation(all, batch.tokens()))).join();
    }

    private HostActivations activation(List<Rows> all, int tokens) {
        if (all.size() == 1) {
            return new HostActivations(all.getFirst().columns(), tokens);
        }
        float[] values = new float[tokens * file.columnLength()];
        int end = 0;
        for (Rows rows : all) {
            int length = rows.tokens().length * file.columnLength();
            System.arraycopy(rows.columns(), 0, values, end, length);
            end += length;
        }
        return new HostActivations(values, tokens);
    }

    /** Bytes in use, without those in a mapped file. */
    long bytes() {
        ShardMemory memory = shard.memory();
        return memory.weights() + memory.kv() + memory.compute();
    }

    @Override
    public void close() {
        shard.close();
    }
}
