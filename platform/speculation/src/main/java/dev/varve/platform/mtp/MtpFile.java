package dev.varve.platform.mtp;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.DraftHead;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.OpenedModel;

import java.util.List;
import java.util.function.Predicate;

/**
 * A file with a block, or several cooperating blocks, for multi-token prediction, checked against
 * the target model. No weights are loaded; immutable.
 *
 * @param file has the block
 * @param block as the family reads it, see {@link ModelFamilyProvider#openMtp} and {@link
 *     ModelFamilyProvider#openDraftHead}
 * @param target the model
 * @param captures layers of the model whose input the block reads; the layer count means the last
 *     layer's output
 * @param samePosition whether draft tokens are computed at the same position, as with a draft head
 *     in its own file, or at consecutive ones
 */
public record MtpFile(
        GgufFile file,
        LayerSplitAdapter block,
        ModelShape target,
        List<Integer> captures,
        boolean samePosition) {
    /** Copies the layers. */
    public MtpFile {
        captures = List.copyOf(captures);
    }

    /**
     * Finds the block.
     *
     * @param file the target's own, or another one
     * @param family the target's
     * @throws VarveException of kind UNSUPPORTED_MODEL if it has none
     * @throws ModelFormatException naming key or tensor, what was expected and found, if the block
     *     is incomplete or does not fit the target
     */
    public static MtpFile of(
            GgufFile file, ModelFamilyProvider family, OpenedModel target, ModelOptions options) {
        ModelShape shape = target.shape();
        if (!file.architecture().equals(shape.architecture())) {
            DraftHead assistant =
                    family.openDraftHead(file, target.file(), options)
                            .orElseThrow(() -> foreign(file, shape));
            return new MtpFile(file, assistant.blocks(), shape, assistant.captures(), true);
        }
        ModelKeys keys = new ModelKeys(file, options);
        requireEqual(keys, "embedding_length", shape.embeddingLength(), keys.width());
        requireEqual(keys, "vocab_size", shape.vocabularySize(), keys.vocabulary());
        LayerSplitAdapter block =
                family.openMtp(file, target.file(), options).orElseThrow(() -> absent(file));
        return new MtpFile(file, block, shape, List.of(shape.layerCount()), false);
    }

    private static ModelFormatException foreign(GgufFile file, ModelShape target) {
        return new ModelFormatException(
                file.path(),
                "general.architecture",
                "a DFlash draft model, "
                        + target.architecture()
                        + " with a block for multi-token prediction, or an assistant of such a"
                        + " model",
                file.architecture());
    }

    private static VarveException absent(GgufFile file) {
        return new VarveException(
                VarveException.Kind.UNSUPPORTED_MODEL,
                file.path()
                        + ": expected a block for multi-token prediction ("
                        + file.architecture()
                        + ".nextn_predict_layers and its tensors), found none");
    }

    private static void requireEqual(ModelKeys keys, String key, int target, int found) {
        if (found != target) {
            throw keys.wrong(key, target + " (as the target model has)", found);
        }
    }

    /** Range of the blocks only: the layers before them have no state and no weights. */
    LayerRange range() {
        List<LayerState> layers = block.shape().layers();
        int begin = 0;
        while (layers.get(begin).equals(LayerState.Custom.nothing())) {
            begin++;
        }
        return new LayerRange(begin, layers.size());
    }

    /** Layer number of the block's output. */
    int made() {
        return range().end();
    }

    /** Elements of a hidden state. */
    int width() {
        return target.embeddingLength();
    }

    /** Elements of a row's input: a state of each capture, and the block's own state. */
    int columnLength() {
        return (captures.size() + 1) * width();
    }

    /** Bytes of all weights to load. */
    public long weightBytes() {
        return weightBytes(name -> true);
    }

    /** Bytes of the weights whose names are accepted. */
    long weightBytes(Predicate<String> names) {
        return block.tensors(range()).entries().stream()
                .filter(entry -> names.test(entry.tensor().name()))
                .mapToLong(entry -> entry.tensor().bytes())
                .sum();
    }
}
