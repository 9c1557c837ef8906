package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.local.LocalImportanceScorer;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Encodes enum values as i32. A number never changes its meaning, whatever the order or name of the
 * constants in a later release; a constant without a number is refused when this class is loaded.
 *
 * @param <E> the enum
 */
final class EnumCodec<E extends Enum<E>> {
    /** Field of a batch. */
    static final EnumCodec<Phase> PHASE = numbered("phase", List.of(Phase.PREFILL, Phase.DECODE));

    /** Field of a chunk. */
    static final EnumCodec<RequestedOutput> OUTPUTS =
            numbered(
                    "outputs",
                    List.of(
                            RequestedOutput.NONE,
                            RequestedOutput.BEST,
                            RequestedOutput.LAST,
                            RequestedOutput.ALL,
                            RequestedOutput.BEST_EACH,
                            RequestedOutput.TOP,
                            RequestedOutput.TOP_EACH));

    /** Field of a chunk. */
    static final EnumCodec<ChunkComputeMode> COMPUTE_MODE =
            numbered(
                    "kind of slice",
                    List.of(ChunkComputeMode.CHUNK, ChunkComputeMode.PIECE, ChunkComputeMode.ROWS));

    /** Field of an image. */
    static final EnumCodec<ImagePositions> IMAGE_POSITIONS =
            numbered("positions of an image", List.of(ImagePositions.LINE, ImagePositions.GRID));

    /** Field of an image. */
    static final EnumCodec<ImageAttention> IMAGE_ATTENTION =
            numbered(
                    "attention of an image",
                    List.of(ImageAttention.CAUSAL, ImageAttention.BIDIRECTIONAL_IN_WINDOWS));

    /** Field of a draft model. */
    static final EnumCodec<DflashSpeculator.WeightResidency> RESIDENCY =
            numbered(
                    "residency",
                    List.of(
                            DflashSpeculator.WeightResidency.PERSISTENT,
                            DflashSpeculator.WeightResidency.REQUEST_SCOPED));

    /** Field of a model that scores texts. */
    static final EnumCodec<LocalImportanceScorer.Residency> SCAN_RESIDENCY =
            numbered(
                    "residency",
                    List.of(
                            LocalImportanceScorer.Residency.PERSISTENT,
                            LocalImportanceScorer.Residency.REQUEST_SCOPED,
                            LocalImportanceScorer.Residency.AUTO));

    /** Field of a load request. */
    static final EnumCodec<FlashAttention> FLASH_ATTENTION =
            numbered(
                    "flash attention",
                    List.of(FlashAttention.AUTO, FlashAttention.ON, FlashAttention.OFF));

    /** Field of a load request. */
    static final EnumCodec<BatchInvariance> EXACT_ROWS =
            numbered(
                    "exact rows",
                    List.of(BatchInvariance.AUTO, BatchInvariance.ON, BatchInvariance.OFF));

    /** Field of a load request. */
    static final EnumCodec<BoundaryType> BOUNDARY_TYPE =
            numbered(
                    "boundary type",
                    List.of(BoundaryType.F32, BoundaryType.F16, BoundaryType.BF16));

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
                throw new IllegalStateException(field + ": two values have the same number");
            }
        }
    }

    /** Returns a codec whose numbers are the positions in a list of all constants, from 0 on. */
    private static <E extends Enum<E>> EnumCodec<E> numbered(String field, List<E> constants) {
        E[] declared = constants.getFirst().getDeclaringClass().getEnumConstants();
        if (declared.length != constants.size()) {
            throw new IllegalStateException(field + ": a constant has no number");
        }
        return new EnumCodec<>(field, declared, constants::indexOf);
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
        return of(fields.number(field, Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    /**
     * Returns the constant of a number.
     *
     * @throws dev.varve.platform.wire.WireException like {@link #get}
     */
    E of(int found) {
        return Optional.ofNullable(byNumber.get(found))
                .orElseThrow(
                        () -> FieldReader.invalid(field, "one of " + byNumber.keySet(), found));
    }
}
