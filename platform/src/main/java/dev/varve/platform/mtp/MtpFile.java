package dev.varve.platform.mtp;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.runtime.OpenedModel;

import java.util.List;

/**
 * A file with a block that guesses, held against the model whose tokens it guesses. Nothing is
 * loaded; immutable.
 *
 * @param file has the block
 * @param block as the family sees it, see {@link ModelFamilyProvider#openNextToken}
 * @param target the model
 */
public record MtpFile(GgufFile file, LayerSplitAdapter block, ModelShape target) {
    /**
     * Finds the block.
     *
     * @param file the target's own, or another one
     * @param family the target's
     * @throws VarveException of kind UNSUPPORTED_MODEL if it has none
     * @throws ModelFormatException naming key or tensor, what was expected and found, if the block
     *     is not whole or is none of that target
     */
    public static MtpFile of(
            GgufFile file, ModelFamilyProvider family, OpenedModel target, ModelOptions options) {
        ModelShape shape = target.shape();
        if (!file.architecture().equals(shape.architecture())) {
            throw new ModelFormatException(
                    file.path(),
                    "general.architecture",
                    "a DFlash draft model, or "
                            + shape.architecture()
                            + " with a block for multi-token prediction",
                    file.architecture());
        }
        ModelKeys keys = new ModelKeys(file, options);
        requireEqual(keys, "embedding_length", shape.embeddingLength(), keys.width());
        requireEqual(keys, "vocab_size", shape.vocabularySize(), keys.vocabulary());
        LayerSplitAdapter block =
                family.openNextToken(file, target.file(), options).orElseThrow(() -> absent(file));
        return new MtpFile(file, block, shape);
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
            throw keys.wrong(key, target + " as the model whose tokens are guessed", found);
        }
    }

    /** The block alone. */
    LayerRange range() {
        int layers = block.shape().layerCount();
        return new LayerRange(layers - 1, layers);
    }

    /** What a block makes of a token, by the layer that it stands for. */
    int made() {
        return range().end();
    }

    /** Elements of a hidden state. */
    int width() {
        return target.embeddingLength();
    }

    /** Layers of the model whose input it guesses from: what leaves the last one. */
    public List<Integer> captures() {
        return List.of(target.layerCount());
    }

    /** Bytes of all weights that are loaded. */
    public long weightBytes() {
        return block.tensors(range()).entries().stream()
                .mapToLong(entry -> entry.tensor().bytes())
                .sum();
    }
}
