package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.AttentionOptions;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.KvSlotSpan;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the cache types that work for a model on a device: whole blocks per head, and a device that
 * stores such rows and attends to them. The operators are built without data, and the device is
 * queried for support.
 */
final class CacheTypeCheck {
    /** Query rows of the probes: one row for decode, many for prefill. */
    private static final int[] QUERY_ROWS = {1, 64};

    private final ComputeDevice device;
    private final Set<LayerState.Attention> kinds = new HashSet<>();

    /** Whether a layer has rows of values beside those of keys. */
    private final boolean hasValues;

    CacheTypeCheck(ModelShape shape, LayerRange range, ComputeDevice device) {
        this.device = device;
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (state instanceof LayerState.Attention attention) {
                kinds.add(attention);
            }
        }
        hasValues =
                kinds.stream().anyMatch(kind -> kind.valueRows() != LayerState.ValueRows.IN_KEYS);
    }

    /**
     * Chooses the attention for a pair of types.
     *
     * @return whether to use flash attention
     * @throws VarveException of kind INVALID_REQUEST with the types that work, if these do not
     */
    boolean require(Path file, CacheTypes types, FlashAttention wanted) {
        if (wanted != FlashAttention.OFF && works(types, true)) {
            return true;
        }
        if (wanted != FlashAttention.ON && works(types, false)) {
            return false;
        }
        throw new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                (hasValues ? Setting.CACHE_TYPES : Setting.KEY_CACHE_TYPE)
                        + ": "
                        + named(types)
                        + " does not work for "
                        + file.getFileName()
                        + " with "
                        + rows()
                        + " on "
                        + device.info().name()
                        + " with "
                        + Setting.FLASH_ATTENTION
                        + " "
                        + wanted.name().toLowerCase(Locale.ROOT)
                        + (wanted == FlashAttention.OFF && hasQuantisedValues(types)
                                ? "; quantised values need flash attention"
                                : "")
                        + (hasValues ? "; pairs that work: " : "; types that work: ")
                        + working(wanted));
    }

    /** Names types as the operator sets them: without rows of values there is only that of K. */
    private String named(CacheTypes types) {
        return hasValues ? types.toString() : types.key().ggufName();
    }

    private String rows() {
        return (hasValues ? "heads of " : "one row for keys and values of ")
                + kinds.stream()
                        .map(kind -> kind.keyLength() + "/" + kind.valueLength())
                        .distinct()
                        .toList();
    }

    private boolean hasQuantisedValues(CacheTypes types) {
        return kinds.stream().anyMatch(kind -> types.value(kind).isQuantized());
    }

    private String working(FlashAttention wanted) {
        List<GgmlType> values = hasValues ? CacheTypes.TYPES : List.of(CacheTypes.f16().value());
        List<String> working =
                CacheTypes.TYPES.stream()
                        .flatMap(key -> values.stream().map(value -> new CacheTypes(key, value)))
                        .filter(
                                types ->
                                        wanted != FlashAttention.OFF && works(types, true)
                                                || wanted != FlashAttention.ON
                                                        && works(types, false))
                        .map(this::named)
                        .toList();
        return working.isEmpty() ? "none" : String.join(", ", working);
    }

    private boolean works(CacheTypes types, boolean flash) {
        return kinds.stream().allMatch(kind -> works(kind, types, flash));
    }

    private boolean works(LayerState.Attention kind, CacheTypes types, boolean flash) {
        // Values in keys end with a block, too: they begin with the key.
        GgmlType value = types.value(kind);
        if (kind.keyLength() % types.key().blockSize() != 0
                || kind.valueLength() % value.blockSize() != 0
                || !flash && value.isQuantized()) {
            return false;
        }
        for (int rows : QUERY_ROWS) {
            try (GgmlContext scratch = GgmlContext.open(32, 32)) {
                if (!attends(scratch, kind, types, rows, flash)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean attends(
            GgmlContext scratch,
            LayerState.Attention kind,
            CacheTypes types,
            int queryRows,
            boolean flash) {
        Ops ops = scratch.ops();
        long cells = KvSlotSpan.BLOCK;
        KvPool.Layer layer = KvPool.Layer.create(scratch, kind, types, KvSlotSpan.BLOCK, "");
        Tensor ids = scratch.newTensor(GgmlType.I64, queryRows);
        for (Tensor cache : layer.tensors()) {
            Tensor rows = scratch.newTensor(GgmlType.F32, cache.ne(0), queryRows);
            if (!device.ggmlDevice().supports(ops.setRows(cache, rows, ids))) {
                return false;
            }
        }
        // The number of query heads per KV head does not matter; two satisfies the devices that
        // need a group.
        Tensor query =
                ops.permute(
                        scratch.newTensor(
                                GgmlType.F32, kind.keyLength(), 2L * kind.kvHeads(), queryRows),
                        0,
                        2,
                        1,
                        3);
        Tensor mask = scratch.newTensor(GgmlType.F16, cells, queryRows);
        Tensor keyHeads = layer.keyHeads(ops, 0, cells);
        Tensor valueHeads = layer.valueHeads(ops, 0, cells);
        Graph graph = scratch.newGraph(32);
        graph.expand(
                flash
                        ? ops.flashAttention(
                                query,
                                keyHeads,
                                valueHeads,
                                Optional.of(mask),
                                AttentionOptions.scaled(1))
                        : AttentionBlock.plainAttention(
                                ops,
                                query,
                                keyHeads,
                                valueHeads,
                                mask,
                                AttentionBlock.Scores.scaled(1)));
        return graph.firstUnsupported(device.ggmlDevice()).isEmpty();
    }
}
