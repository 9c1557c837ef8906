package dev.varve.api.model;

import dev.varve.api.gguf.GgufFile;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A family of models that Varve can run; found with {@link java.util.ServiceLoader}.
 *
 * <p>The platform creates one instance per process and may call it from any thread. The constructor
 * must not load native code, read files or start threads, because listing plugins has to stay cheap
 * and safe.
 *
 * <p>Stable: a plugin that is built against it keeps working.
 */
public interface ModelFamilyProvider {
    /**
     * Values of {@code general.architecture} in GGUF files, such as {@code "qwen35"}; unique among
     * providers.
     */
    Set<String> architectures();

    /**
     * Pre-tokenizers that the family provides, by their name in {@code tokenizer.ggml.pre}. They
     * apply to files of its own {@link #architectures} and take precedence over the platform's
     * there; none by default.
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
     * Opens a file as an encoder of texts. None by default: the platform then encodes texts with
     * the layers that {@link #open} records, if all of them have attention.
     *
     * <p>For an architecture that only encodes, {@link #open} reports that it generates no text.
     *
     * @return empty if the architecture generates text
     * @throws dev.varve.api.gguf.ModelFormatException if a key or tensor is missing or has another
     *     type or shape
     * @throws dev.varve.api.VarveException of kind UNSUPPORTED_MODEL if the file uses a feature the
     *     family lacks
     */
    default Optional<TextEncoder> openEncoder(GgufFile model, ModelOptions options) {
        return Optional.empty();
    }

    /**
     * Opens the multi-token prediction block of a file, which drafts the token after the next one.
     * None by default.
     *
     * <p>The block is presented as a model whose last layer is the block, with full attention. The
     * layers before it keep no state and are never loaded. A shard of that one layer reads, beside
     * each token, {@code F32 [2 * embeddingLength]}: the backbone's last hidden state before its
     * norm, for the previous token, and the block's own output for the previous token. One of the
     * two is zero; at position 0 both are. At its layer count the block captures its own output
     * after its last norm. Its logits are of the token after its input token.
     *
     * @param file file with the block: the target's own file, or one that holds little else
     * @param target file of the target model, which supplies tensors that the other file lacks
     * @return empty if the file has no such block
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
     * Opens a draft head in its own file, which drafts tokens for a model of this family from the
     * inputs of some of the model's layers. None by default.
     *
     * @param file file of any architecture that is not among {@link #architectures}
     * @param target file of the target model, which supplies tensors that the other file lacks
     * @return empty if the file's architecture is not among {@link #assistants}
     * @throws dev.varve.api.gguf.ModelFormatException if a key or tensor of it is missing, has
     *     another type or shape, or does not fit the model
     */
    default Optional<DraftHead> openDraftHead(
            GgufFile file, GgufFile target, ModelOptions options) {
        return Optional.empty();
    }
}
