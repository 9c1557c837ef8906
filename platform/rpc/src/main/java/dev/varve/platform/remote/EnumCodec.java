package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.local.LocalTextScorer;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Encodes enum values as i32. A number never changes its meaning, whatever the order or name of the
 * constants in a later release; a constant without a number does not compile.
 *
 * @param <E> the enum
 */
final class EnumCodec<E extends Enum<E>> {
    /** Field of a batch. */
    static final EnumCodec<Phase> PHASE =
            new EnumCodec<>(
                    "phase",
                    Phase.values(),
                    phase ->
                            switch (phase) {
                                case PREFILL -> 0;
                                case DECODE -> 1;
                            });

    /** Field of a slice. */
    static final EnumCodec<OutputRows> OUTPUTS =
            new EnumCodec<>(
                    "outputs",
                    OutputRows.values(),
                    outputs ->
                            switch (outputs) {
                                case NONE -> 0;
                                case BEST -> 1;
                                case LAST -> 2;
                                case ALL -> 3;
                                case BEST_EACH -> 4;
                            });

    /** Field of a slice. */
    static final EnumCodec<ChunkComputeMode> SLICE_KIND =
            new EnumCodec<>(
                    "kind of slice",
                    ChunkComputeMode.values(),
                    kind ->
                            switch (kind) {
                                case CHUNK -> 0;
                                case PIECE -> 1;
                                case ROWS -> 2;
                            });

    /** Field of a draft model. */
    static final EnumCodec<DflashSpeculator.Residency> RESIDENCY =
            new EnumCodec<>(
                    "residency",
                    DflashSpeculator.Residency.values(),
                    residency ->
                            switch (residency) {
                                case PERSISTENT -> 0;
                                case REQUEST_SCOPED -> 1;
                            });

    /** Field of a model that scores texts. */
    static final EnumCodec<LocalTextScorer.Residency> SCAN_RESIDENCY =
            new EnumCodec<>(
                    "residency",
                    LocalTextScorer.Residency.values(),
                    residency ->
                            switch (residency) {
                                case PERSISTENT -> 0;
                                case REQUEST_SCOPED -> 1;
                                case AUTO -> 2;
                            });

    /** Field of a load request. */
    static final EnumCodec<FlashAttention> FLASH_ATTENTION =
            new EnumCodec<>(
                    "flash attention",
                    FlashAttention.values(),
                    flash ->
                            switch (flash) {
                                case AUTO -> 0;
                                case ON -> 1;
                                case OFF -> 2;
                            });

    /** Field of a load request. */
    static final EnumCodec<BatchInvariance> EXACT_ROWS =
            new EnumCodec<>(
                    "exact rows",
                    BatchInvariance.values(),
                    exact ->
                            switch (exact) {
                                case AUTO -> 0;
                                case ON -> 1;
                                case OFF -> 2;
                            });

    /** Field of a load request. */
    static final EnumCodec<BoundaryType> BOUNDARY_TYPE =
            new EnumCodec<>(
                    "boundary type",
                    BoundaryType.values(),
                    type ->
                            switch (type) {
                                case F32 -> 0;
                                case F16 -> 1;
                                case BF16 -> 2;
                            });

    /** Element type of cache rows; the numbers are those of GGUF files. */
    static final EnumCodec<GgmlType> ELEMENT_TYPE =
            new EnumCodec<>("element type", GgmlType.values(), GgmlType::id);

    private final String field;
    private final ToIntFunction<E> number;
    private final Map<Integer, E> byNumber = new TreeMap<>();

    private EnumCodec(String field, E[] values, ToIntFunction<E> number) {
        this.field = field;
        this.number = number;
        for (E value : values) {
            if (byNumber.put(number.applyAsInt(value), value) != null) {
                throw new IllegalStateException(field + ": a number means two things");
            }
        }
    }

    /** Returns the number of a constant. */
    int number(E value) {
        return number.applyAsInt(value);
    }

    /**
     * Reads a constant.
     *
     * @throws dev.varve.platform.wire.WireException naming the known numbers if the number is
     *     unknown
     */
    E get(FieldReader fields) {
        int found = fields.number(field, Integer.MIN_VALUE, Integer.MAX_VALUE);
        return Optional.ofNullable(byNumber.get(found))
                .orElseThrow(
                        () -> FieldReader.invalid(field, "one of " + byNumber.keySet(), found));
    }
}
