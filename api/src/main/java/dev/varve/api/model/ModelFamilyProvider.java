package dev.varve.api.model;

import dev.varve.api.gguf.GgufFile;

import java.util.Map;
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
}
