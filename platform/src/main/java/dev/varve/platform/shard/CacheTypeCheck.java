package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds out which cache types work for a model on a device: whole blocks per head, and a device
 * that stores such rows and attends to them. The operators are put together without data and shown
 * to the device.
 */
final class CacheTypeCheck {
    /** Query rows of the probes: one decodes, many prefill. */
    private static final int[] QUERY_ROWS = {1, 64};

    private final ComputeDevice device;
    private final Set<LayerState.Attention> kinds = new HashSet<>();

    CacheTypeCheck(ModelShape shape, LayerRange range, ComputeDevice device) {
        this.device = device;
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (state instanceof LayerState.Attention attention) {
                kinds.add(attention);
            }
        }
    }

    /**
     * Refuses a pair that does not work.
     *
     * @throws VarveException of kind INVALID_REQUEST with the pairs that do
     */
    void require(Path file, CacheTypes types) {
        if (works(types)) {
            return;
        }
        List<String> working = new ArrayList<>();
        for (GgmlType key : CacheTypes.TYPES) {
            for (GgmlType value : CacheTypes.TYPES) {
                CacheTypes pair = new CacheTypes(key, value);
                if (works(pair)) {
                    working.add(pair.toString());
                }
            }
        }
        throw new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                "--cache-type-k/-v: "
                        + types
                        + " does not work for "
                        + file.getFileName()
                        + " with heads of "
                        + kinds.stream()
                                .map(kind -> kind.keyLength() + "/" + kind.valueLength())
                                .distinct()
                                .toList()
                        + " on "
                        + device.info().name()
                        + "; pairs that work: "
                        + String.join(", ", working));
    }

    private boolean works(CacheTypes types) {
        return kinds.stream().allMatch(kind -> works(kind, types));
    }

    private boolean works(LayerState.Attention kind, CacheTypes types) {
        if (kind.keyLength() % types.key().blockSize() != 0
                || kind.valueLength() % types.value().blockSize() != 0) {
            return false;
        }
        for (int rows : QUERY_ROWS) {
            try (GgmlContext scratch = GgmlContext.open(16, 0)) {
                if (!attends(scratch, kind, types, rows)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean attends(
            GgmlContext scratch, LayerState.Attention kind, CacheTypes types, int queryRows) {
        Ops ops = scratch.ops();
        long cells = SlotSpan.BLOCK;
        Tensor keys = cache(scratch, types.key(), kind.keyLength(), kind.kvHeads());
        Tensor values = cache(scratch, types.value(), kind.valueLength(), kind.kvHeads());
        Tensor ids = scratch.newTensor(GgmlType.I64, queryRows);
        for (Tensor cache : List.of(keys, values)) {
            Tensor rows = scratch.newTensor(GgmlType.F32, cache.ne(0) * cache.ne(2), queryRows);
            Tensor flat = scratch.newTensor(cache.type(), cache.ne(0) * cache.ne(2), cells);
            if (!device.ggmlDevice().supports(ops.setRows(flat, rows, ids))) {
                return false;
            }
        }
        // Any number of query heads per KV head; two satisfies the devices that need a group.
        Tensor query =
                scratch.newTensor(GgmlType.F32, kind.keyLength(), queryRows, 2L * kind.kvHeads());
        Tensor mask = scratch.newTensor(GgmlType.F16, cells, queryRows);
        return device.ggmlDevice()
                .supports(ops.flashAttention(query, keys, values, Optional.of(mask), 1, 0, 0));
    }

    private static Tensor cache(GgmlContext scratch, GgmlType type, int length, int heads) {
        return scratch.newTensor(type, length, SlotSpan.BLOCK, heads);
    }
}
