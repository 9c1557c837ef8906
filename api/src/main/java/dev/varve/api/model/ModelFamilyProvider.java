package dev.varve.api.model;

import dev.varve.api.gguf.GgufFile;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A family of models that Varve can run; found with {@link java.util.ServiceLoader}.
 *
 * <p>The platform creates one instance per process and may call it from any thread. The constructor
 * must not load native code, read files or start threads: listing plugins has to stay cheap and
 * safe.
 *
 * <p>Stable: a plugin that is built against it goes on working.
 */
public interface ModelFamilyProvider {
    /**
     * Values of {@code general.architecture} in GGUF files, such as {@code "qwen35"}; unique among
     * providers.
     */
    Set<String> architectures();

    /**
     * Pre-tokenizers that the family brings, by their name in {@code tokenizer.ggml.pre}. They
     * count for files of its own {@link #architectures} and there come before the platform's; none
     * by default.
     */
    default Map<String, PreTokenizer> preTokenizers() {
        return Map.of();
    }

    /**
     * Reads the model's sizes and checks every tensor that any layer range needs.
     *
     * @throws dev.varve.api.gguf.ModelFormatException if a key or tensor is missing or has another
     *     type or shape
     * @throws dev.varve.api.VarveException of kind UNSUPPORTED_MODEL if the file uses a feature the
     *     family lacks
     */
    LayerSplitAdapter open(GgufFile model, ModelOptions options);

    /**
     * Opens the block of a file that guesses the token after the next one (multi-token prediction),
     * for a platform that lets it guess. None by default.
     *
     * <p>It comes as a model whose last layer is the block, with full attention, behind layers that
     * keep nothing and of which none is ever loaded. A shard of that one layer takes in, beside
     * each token, {@code F32 [2 * embeddingLength]}: what left the trunk's last layer, before its
     * norm, for the token before, and what the block itself made for the token before; one of them
     * is zero, and at position 0 both are. It captures at its layer count what it made, behind its
     * last norm, and its logits are of the token behind the one that it was given.
     *
     * @param file has the block: the target's own file, or one that has little else
     * @param target file of the model whose tokens are guessed, with whatever the other one lacks
     * @return empty where the file has no such block
     * @throws dev.varve.api.gguf.ModelFormatException if a key or tensor of it is missing or has
     *     another type or shape
     */
    default Optional<LayerSplitAdapter> openMtp(
            GgufFile file, GgufFile target, ModelOptions options) {
        return Optional.empty();
    }

    /**
     * Values of {@code general.architecture} of the files that {@link #openDraftHead} opens; none
     * by default.
     */
    default Set<String> assistants() {
        return Set.of();
    }

    /**
     * Opens the network of a file of its own that guesses tokens of a model of this family, from
     * what layers of the model took in. None by default.
     *
     * @param file of any architecture that is not among {@link #architectures}
     * @param target file of the model whose tokens are guessed, with whatever the other one lacks
     * @return empty where the file's architecture is not among {@link #assistants}
     * @throws dev.varve.api.gguf.ModelFormatException if a key or tensor of it is missing, has
     *     another type or shape, or does not fit the model
     */
    default Optional<DraftHead> openDraftHead(
            GgufFile file, GgufFile target, ModelOptions options) {
        return Optional.empty();
    }
}
