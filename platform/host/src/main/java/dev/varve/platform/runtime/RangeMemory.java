package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.paging.ResidentPoolSizing;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainAttentionMemory;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.TensorPlacement;
import dev.varve.platform.shard.WeightLayout;

import java.util.function.Predicate;

/**
 * Memory need of a layer range, for any number of KV slots.
 *
 * @param weightBytes weights, mapped or copied
 * @param bytesPerSlot K and V rows of one token
 * @param regionSlots slots of one state row's region for the sliding layers; 0 if no layer slides
 * @param stateBytes recurrent states and window regions
 * @param computeBytes compute buffers, an upper estimate
 */
public record RangeMemory(
        long weightBytes, long bytesPerSlot, int regionSlots, long stateBytes, long computeBytes) {
    /** Rows of a prefill chunk. */
    private static final int CHUNK = 512;

    /** Largest pool: slot numbers and their sums stay well below the int limit. */
    private static final int MAX_SLOTS = 1 << 29;

    private static final long CHOSEN_EXPERTS = 10;

    /** Most rows of logits in one step beside those of decode. */
    private static final long LOGIT_ROWS = 128;

    /** Query heads per KV head for which a decode step has mask rows; models have no more. */
    private static final long MASK_ROWS = 16;

    /**
     * Computes the need of a range on a device. Tables with row lookups count only if the device's
     * memory is the host's; elsewhere they stay in the file.
     *
     * @throws VarveException of kind INVALID_REQUEST if a setting contradicts the model
     */
    public static RangeMemory of(
            LayerSplitAdapter model, LayerRange range, DeviceInfo device, ModelSettings settings) {
        return of(model, range, TensorPlacement.NONE, device, settings);
    }

    /**
     * Computes the need of a range on its own device, without the weights that other devices hold.
     *
     * @throws VarveException of kind INVALID_REQUEST if a setting contradicts the model
     */
    public static RangeMemory of(
            LayerSplitAdapter model,
            LayerRange range,
            TensorPlacement tensors,
            DeviceInfo device,
            ModelSettings settings) {
        TensorSelection own =
                select(model.tensors(range), name -> tensors.deviceOf(name).isEmpty());
        RangeMemory all =
                of(model.shape(), range, own, settings)
                        .withWeights(weightBytes(model, range, own, settings));
        if (device.hostCores()) {
            return all;
        }
        long tables =
                own.entries().stream()
                        .filter(entry -> entry.use() == TensorUse.ROW_LOOKUP)
                        .mapToLong(entry -> entry.tensor().bytes())
                        .sum();
        return new RangeMemory(
                all.weightBytes - tables,
                all.bytesPerSlot,
                all.regionSlots,
                all.stateBytes,
                all.computeBytes + rowMaximaBytes(model.shape(), range, settings));
    }

    /** Returns the bytes that a device with its own memory needs to find the best tokens. */
    private static long rowMaximaBytes(ModelShape shape, LayerRange range, ModelSettings settings) {
        if (range.end() < shape.layerCount()) {
            return 0;
        }
        long decode =
                Math.min(
                        CacheUnitBytes.MAX_ROW_MAXIMA,
                        (long) settings.sequences().parallel() * settings.drafts().columns());
        long rows =
                CacheUnitBytes.MAX_ROW_MAXIMA
                        + (CacheUnitBytes.DECODE_GRAPHS + CacheUnitBytes.ROWS_PER_TOP_ROW) * decode;
        return rows * shape.vocabularySize() * Float.BYTES;
    }

    /**
     * Computes the largest need of a range on any device.
     *
     * @throws VarveException of kind INVALID_REQUEST if a setting contradicts the model
     */
    public static RangeMemory of(
            LayerSplitAdapter model, LayerRange range, ModelSettings settings) {
        TensorSelection all = model.tensors(range);
        return of(model.shape(), range, all, settings)
                .withWeights(weightBytes(model, range, all, settings));
    }

    /**
     * Computes the need of the weights of a range that another device holds: the weights, and the
     * results of their products.
     *
     * @param device its name in the process of the shard
     */
    public static MemoryNeed elsewhere(
            LayerSplitAdapter model,
            LayerRange range,
            TensorPlacement tensors,
            String device,
            ModelSettings settings) {
        TensorSelection there =
                select(
                        model.tensors(range),
                        name -> tensors.deviceOf(name).filter(device::equals).isPresent());
        long columns = CHUNK + CacheUnitBytes.DECODE_GRAPHS * (long) columns(settings);
        long bytesPerColumn =
                Float.BYTES
                        * (4 * widest(there, model.shape()) + 2L * model.shape().embeddingLength());
        return new MemoryNeed(weightBytes(there), 0, 0, columns * bytesPerColumn);
    }

    private static TensorSelection select(TensorSelection all, Predicate<String> names) {
        return new TensorSelection(
                all.entries().stream().filter(entry -> names.test(entry.tensor().name())).toList());
    }

    /** Counts the cache of experts in place of streamed experts. */
    private static long weightBytes(
            LayerSplitAdapter model,
            LayerRange range,
            TensorSelection selection,
            ModelSettings settings) {
        if (settings.computation().weights() != WeightLayout.STREAMED) {
            return weightBytes(selection);
        }
        long cache = ExpertCacheShare.of(model, range, settings.computation().expertCacheBytes());
        return ExpertCacheShare.denseBytes(selection) + cache;
    }

    private RangeMemory withWeights(long bytes) {
        return new RangeMemory(bytes, bytesPerSlot, regionSlots, stateBytes, computeBytes);
    }

    private static long weightBytes(TensorSelection selection) {
        return selection.entries().stream().mapToLong(entry -> entry.tensor().bytes()).sum();
    }

    /** Returns the most columns of a decode step. */
    private static int columns(ModelSettings settings) {
        return settings.sequences().parallel() * settings.drafts().columns();
    }

    private static RangeMemory of(
            ModelShape shape, LayerRange range, TensorSelection selection, ModelSettings settings) {
        int context = contextTokens(shape, settings);
        CacheUnitBytes unitBytes =
                CacheUnitBytes.of(
                        shape, range, settings.computation().cacheTypes(), CHUNK, context);
        int mostSlots = mostSlots(shape, settings);
        return new RangeMemory(
                weightBytes(selection),
                unitBytes.bytesPerSlot(),
                unitBytes.regionSlots(),
                Math.addExact(
                        unitBytes.stateBytes(stateRows(shape, settings)),
                        CacheUnitBytes.rollbackBufferBytes(
                                shape, range, rollbackBuffers(shape, settings))),
                computeBytes(selection, shape, range, mostSlots, columns(settings))
                        + scoreBytes(selection, shape, range, mostSlots, settings));
    }

    /**
     * Returns the most tokens of one sequence.
     *
     * @throws VarveException of kind INVALID_REQUEST if the model was not trained for that many
     */
    public static int contextTokens(ModelShape shape, ModelSettings settings) {
        int context =
                settings.sequences()
                        .contextTokens()
                        .orElse(Math.min(shape.contextLength(), SequenceLimits.DEFAULT_CONTEXT));
        int longest = Math.min(shape.contextLength(), MAX_SLOTS);
        if (context < 1 || context > longest) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.CONTEXT_TOKENS
                            + ": expected 1 to "
                            + longest
                            + " (the model's training context), found "
                            + context);
        }
        return context;
    }

    /**
     * Returns the most slots of one sequence: one for each token of its context, or those of its
     * pool. For an automatic pool, whose size depends on the placement of the weights, this is its
     * minimum.
     *
     * @throws VarveException of kind INVALID_REQUEST if context or pool contradict the model
     */
    public static int mostSlots(ModelShape shape, ModelSettings settings) {
        int context = contextTokens(shape, settings);
        int whole = KvSlotSpan.roundUp(context);
        return settings.pool()
                .filter(pool -> hasFullAttention(shape))
                .map(
                        pool ->
                                switch (pool.size()) {
                                    case RequestedPaging.Size.Fixed(int tokens) ->
                                            ResidentPoolSizing.fixed(tokens, context).tokens();
                                    case RequestedPaging.Size.Automatic size ->
                                            Math.min(whole, ResidentPoolSizing.LEAST);
                                })
                .orElse(whole);
    }

    /** Whether any layer keeps rows of all tokens, which a pool can bound. */
    static boolean hasFullAttention(ModelShape shape) {
        return shape.layers().stream().anyMatch(LayerState.FullAttention.class::isInstance);
    }

    /**
     * Returns the slots of the KV pool: the configured number, or as many for each sequence as it
     * can use and as the memory holds, at least those of one sequence.
     *
     * @param affordable slots that fit the memory
     * @throws VarveException of kind INVALID_REQUEST if fewer are configured than one sequence
     *     needs
     */
    static int slots(ModelShape shape, ModelSettings settings, long affordable) {
        SequenceLimits limits = settings.sequences();
        int most = mostSlots(shape, settings);
        if (limits.kvTokens().isEmpty()) {
            long wanted = Math.min((long) most * limits.parallel(), affordable);
            return (int)
                    Math.max(
                            most,
                            Math.min(wanted, MAX_SLOTS) / KvSlotSpan.BLOCK * KvSlotSpan.BLOCK);
        }
        int slots = KvSlotSpan.roundUp(Math.min(limits.kvTokens().getAsInt(), MAX_SLOTS));
        if (slots < most) {
            boolean pooled = settings.pool().isPresent() && hasFullAttention(shape);
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.KV_TOKENS
                            + ": expected at least "
                            + (pooled ? most : contextTokens(shape, settings))
                            + " ("
                            + (pooled
                                    ? Setting.KVFLASH + ", the pool of one sequence"
                                    : Setting.CONTEXT_TOKENS + ", one whole sequence")
                            + "), found "
                            + limits.kvTokens().getAsInt());
        }
        return slots;
    }

    private static RollbackBufferSizes rollbackBuffers(ModelShape shape, ModelSettings settings) {
        return settings.drafts().rollbackBuffers(shape, settings.sequences().parallel());
    }

    /**
     * Returns two rows for each sequence, and one to compute the queries of a prompt's last tokens
     * for page scoring.
     */
    private static int stateRows(ModelShape shape, ModelSettings settings) {
        boolean triesOut =
                shape.forgets()
                        && hasFullAttention(shape)
                        && settings.pool().filter(RequestedPaging::scores).isPresent();
        return EngineOptions.Capacity.rowsFor(settings.sequences().parallel()) + (triesOut ? 1 : 0);
    }

    /**
     * Returns the need of several shards of this range.
     *
     * @param shareWeights whether they share one copy of the weights
     */
    public RangeMemory replicated(int count, boolean shareWeights) {
        return new RangeMemory(
                Math.multiplyExact(weightBytes, shareWeights ? 1 : count),
                Math.multiplyExact(bytesPerSlot, count),
                regionSlots,
                Math.multiplyExact(stateBytes, count),
                Math.multiplyExact(computeBytes, count));
    }

    /** Returns the bytes without the KV pool. */
    public long fixedBytes() {
        return weightBytes + stateBytes + computeBytes;
    }

    /** Returns the bytes with a KV pool of some slots. */
    public long bytes(long slots) {
        return fixedBytes() + Math.multiplyExact(bytesPerSlot, slots);
    }

    /** Returns the slots that fit some bytes beside everything else. */
    long affordableSlots(long bytes) {
        return bytesPerSlot == 0
                ? Long.MAX_VALUE
                : Math.max(0, bytes - fixedBytes()) / bytesPerSlot;
    }

    /** Returns the plan of this range with a KV pool of some slots. */
    MemoryPlan plan(ModelShape shape, ModelSettings settings, int slots, long available) {
        return new MemoryPlan(
                contextTokens(shape, settings),
                new CacheCapacities(
                        slots,
                        stateRows(shape, settings),
                        regionSlots,
                        rollbackBuffers(shape, settings)),
                new MemoryNeed(
                        weightBytes,
                        Math.multiplyExact(bytesPerSlot, slots),
                        stateBytes,
                        computeBytes),
                available);
    }

    /**
     * Estimates the buffer of prefill, and one for each decode graph that is kept: the widest
     * intermediate results, as if a few of them were live at once, with logits and masks.
     */
    private static long computeBytes(
            TensorSelection selection,
            ModelShape shape,
            LayerRange range,
            int mostSlots,
            int parallel) {
        long widest = widest(selection, shape);
        long chunk = Math.min(CHUNK, mostSlots);
        long bytesPerColumn = Float.BYTES * (4 * widest + 8L * shape.embeddingLength());
        long bytesPerLogits =
                range.end() < shape.layerCount() ? 0 : (long) shape.vocabularySize() * Float.BYTES;
        long bytesPerMask = 2L * mostSlots;
        long bytesPerState = stateBytes(shape, range);
        long prefill =
                chunk * (bytesPerColumn + bytesPerMask)
                        + bytesPerState
                        + Math.max(parallel, Math.min(LOGIT_ROWS, chunk)) * bytesPerLogits;
        long decode =
                parallel
                        * (bytesPerColumn
                                + MASK_ROWS * bytesPerMask
                                + bytesPerState
                                + bytesPerLogits);
        return prefill + CacheUnitBytes.DECODE_GRAPHS * decode;
    }

    /** Returns the elements of the widest result of a product for one token. */
    private static long widest(TensorSelection selection, ModelShape shape) {
        long widest = shape.embeddingLength();
        for (TensorSelection.Entry entry : selection.entries()) {
            long rows = entry.tensor().ne(1);
            if (entry.use() == TensorUse.EXPERT_MATMUL) {
                // One column per chosen expert; families choose about this many.
                widest = Math.max(widest, rows * Math.min(entry.tensor().ne(2), CHOSEN_EXPERTS));
            } else if (entry.use() == TensorUse.MATMUL && rows != shape.vocabularySize()) {
                widest = Math.max(widest, rows);
            }
        }
        return widest;
    }

    /**
     * Returns the temporary copy of a sequence's recurrent state: an operator appends it to its
     * output, and then it is copied to its row. Layers compute one after the other, so the largest
     * one counts.
     */
    private static long stateBytes(ModelShape shape, LayerRange range) {
        return shape.layers().subList(range.begin(), range.end()).stream()
                .mapToLong(
                        state ->
                                switch (state) {
                                    case LayerState.Recurrent recurrent ->
                                            recurrent.matrixElements()
                                                    + 2 * recurrent.convElements();
                                    // Read in place, created anew and copied once more.
                                    case LayerState.Custom own -> 2 * own.elements();
                                    case LayerState.Attention rows -> 0;
                                    case LayerState.SharedAttention rows -> 0;
                                })
                .map(elements -> elements * Float.BYTES)
                .max()
                .orElse(0);
    }

    /** Returns the bytes of scores that exist at once if attention is not one operator. */
    private static long scoreBytes(
            TensorSelection selection,
            ModelShape shape,
            LayerRange range,
            int mostSlots,
            ModelSettings settings) {
        if (settings.computation().numerics().flashAttention() != FlashAttention.OFF) {
            return 0;
        }
        return new PlainAttentionMemory(
                        selection, shape, range, settings.computation().cacheTypes())
                .bytes(Math.min(CHUNK, mostSlots), mostSlots);
    }
}
