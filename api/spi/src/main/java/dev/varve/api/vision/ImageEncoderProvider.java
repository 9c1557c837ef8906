package dev.varve.api.vision;

import dev.varve.api.gguf.GgufFile;

import java.util.Set;

/**
 * A kind of image encoder; found with {@link java.util.ServiceLoader}.
 *
 * <p>One instance per process, thread-safe. The constructor must not open files, load libraries or
 * start threads, because listing plugins has to stay cheap and safe.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public interface ImageEncoderProvider {
    /**
     * Values of {@code clip.projector_type} or {@code clip.vision.projector_type} in GGUF files,
     * such as {@code "qwen3vl_merger"}; unique among providers.
     */
    Set<String> projectorTypes();

    /**
     * Reads an encoder's sizes and checks its tensors.
     *
     * @throws dev.varve.api.gguf.ModelFormatException if a key or tensor is missing or has another
     *     type or shape
     * @throws dev.varve.api.VarveException of kind UNSUPPORTED_MODEL if the file uses a feature
     *     that the provider lacks
     */
    ImageEncoder open(GgufFile projector);
}
