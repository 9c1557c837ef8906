package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.shard.ShardFootprint;
import dev.varve.platform.shard.SlotSpan;

import java.util.Locale;

/**
 * The memory that a model will need on a device, worked out before anything is loaded.
 *
 * @param contextTokens most tokens of one sequence
 * @param slots slots of the KV pool
 * @param stateRows state rows: recurrent states and window regions
 * @param regionSlots slots of one state row's region for the sliding layers; 0 where none slides
 * @param weightBytes weights, mapped or copied
 * @param kvBytes KV pool
 * @param stateBytes recurrent states and window regions
 * @param computeBytes compute buffers, estimated from above
 * @param availableBytes what the device has free
 */
public record MemoryPlan(
        int contextTokens,
        int slots,
        int stateRows,
        int regionSlots,
        long weightBytes,
        long kvBytes,
        long stateBytes,
        long computeBytes,
        long availableBytes) {
    /** Rows of a prefill chunk. */
    private static final int CHUNK = 512;

    /** Largest pool: slot numbers and their sums stay well inside an int. */
    private static final int MAX_SLOTS = 1 << 29;

    private static final long CHOSEN_EXPERTS = 10;

    /** Most rows of logits in one step beside those of decode. */
    private static final long LOGIT_ROWS = 128;

    /**
     * Works out the plan; a KV pool of default size shrinks to what is free, down to one context.
     *
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if it does not fit,
     *     INVALID_REQUEST if a setting contradicts the model
     */
    static MemoryPlan of(
            LayerSplitAdapter model,
            LayerRange range,
            ComputeDevice device,
            ModelSettings settings) {
        ModelShape shape = model.shape();
        int context =
                settings.maxContext()
                        .orElse(Math.min(shape.contextLength(), ModelSettings.DEFAULT_CONTEXT));
        int longest = Math.min(shape.contextLength(), MAX_SLOTS);
        if (context < 1 || context > longest) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "--max-ctx: expected 1 to "
                            + longest
                            + " (what the model was trained for), found "
                            + context);
        }
        TensorSelection selection = model.tensors(range);
        ShardFootprint footprint =
                ShardFootprint.of(shape, range, settings.cacheTypes(), CHUNK, context);
        long weights =
                selection.entries().stream().mapToLong(entry -> entry.tensor().bytes()).sum();
        int rows = EngineOptions.rowsFor(settings.parallel());
        long states = Math.multiplyExact(footprint.bytesPerStateRow(), rows);
        long compute = computeBytes(selection, shape, context, settings.parallel());
        long available = device.info().memoryFreeBytes();

        int wholeContexts = SlotSpan.roundUp(context);
        int slots;
        if (settings.kvTokens().isPresent()) {
            slots = SlotSpan.roundUp(Math.min(settings.kvTokens().getAsInt(), MAX_SLOTS));
            if (slots < wholeContexts) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        "--kv-tokens: expected at least "
                                + context
                                + " (--max-ctx, one whole sequence), found "
                                + settings.kvTokens().getAsInt());
            }
        } else {
            long affordable =
                    footprint.bytesPerSlot() == 0
                            ? Long.MAX_VALUE
                            : Math.max(0, available - weights - states - compute)
                                    / footprint.bytesPerSlot();
            long wanted = Math.min((long) wholeContexts * settings.parallel(), affordable);
            slots =
                    (int)
                            Math.max(
                                    wholeContexts,
                                    Math.min(wanted, MAX_SLOTS) / SlotSpan.BLOCK * SlotSpan.BLOCK);
        }
        MemoryPlan plan =
                new MemoryPlan(
                        context,
                        slots,
                        rows,
                        footprint.regionSlots(),
                        weights,
                        Math.multiplyExact(footprint.bytesPerSlot(), slots),
                        states,
                        compute,
                        available);
        plan.requireFits(device.info().name());
        return plan;
    }

    /** Bytes of all parts. */
    public long totalBytes() {
        return weightBytes + kvBytes + stateBytes + computeBytes;
    }

    private void requireFits(String device) {
        if (totalBytes() > availableBytes) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    describe(device)
                            + "; it does not fit. Use a smaller quantisation, --max-ctx, --parallel"
                            + " or --cache-type-k/-v q8_0");
        }
    }

    /** One line for people: the parts, their sum and what is free. */
    public String describe(String device) {
        return "%s: weights %s + KV %s (%d tokens) + states %s + compute %s = %s of %s free"
                .formatted(
                        device,
                        mebibytes(weightBytes),
                        mebibytes(kvBytes),
                        slots,
                        mebibytes(stateBytes),
                        mebibytes(computeBytes),
                        mebibytes(totalBytes()),
                        mebibytes(availableBytes));
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / (1024.0 * 1024.0));
    }

    /**
     * Widest intermediate results of a chunk, as if a few of them lived at once, with logits and
     * masks.
     */
    private static long computeBytes(
            TensorSelection selection, ModelShape shape, int context, int parallel) {
        long widest = shape.embeddingLength();
        for (TensorSelection.Entry entry : selection.entries()) {
            long rows = entry.tensor().ne(1);
            if (entry.use() == TensorUse.EXPERT_MATMUL) {
                // A column per chosen expert; families choose about this many.
                widest = Math.max(widest, rows * Math.min(entry.tensor().ne(2), CHOSEN_EXPERTS));
            } else if (entry.use() == TensorUse.MATMUL && rows != shape.vocabularySize()) {
                widest = Math.max(widest, rows);
            }
        }
        long chunk = Math.min(CHUNK, SlotSpan.roundUp(context));
        long columns = chunk * Float.BYTES * (4 * widest + 8L * shape.embeddingLength());
        long logits =
                (long) shape.vocabularySize()
                        * Float.BYTES
                        * Math.max(parallel, Math.min(LOGIT_ROWS, chunk));
        long masks = 2L * chunk * SlotSpan.roundUp(context);
        return columns + logits + masks;
    }
}
