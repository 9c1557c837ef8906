package dev.varve.embedded;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * How an {@link Embedder} or a {@link Reranker} runs, with the settings and defaults of the server.
 *
 * @param device the device, such as {@code vulkan:0}; empty for the best one
 * @param maxTokens most tokens of a text; empty for the model's own limit, at most 8192
 * @param threads threads on the processor; empty for its physical cores
 * @param cacheFolder folder for unpacked libraries, which no other user may write to; empty for
 *     {@code VARVE_CACHE}, or {@code ~/.cache/varve}
 * @param pooling how the rows of tokens become a vector: {@code mean}, {@code cls} or {@code last};
 *     empty for that of the file. Rerankers have none
 * @param dimension elements of vectors, for models that were trained for shorter ones; empty for
 *     all. Rerankers have none
 * @param messages accepts warnings and notes for people while the model is opened
 * @since 0.1.0
 */
public record EncoderOptions(
        Optional<String> device,
        OptionalInt maxTokens,
        OptionalInt threads,
        Optional<Path> cacheFolder,
        Optional<String> pooling,
        OptionalInt dimension,
        Consumer<String> messages) {
    /** The defaults of the server. */
    public static final EncoderOptions DEFAULT =
            new EncoderOptions(
                    Optional.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    OptionalInt.empty(),
                    VarveOptions.DEFAULT.messages());

    /** Checks that nothing is missing. */
    public EncoderOptions {
        Objects.requireNonNull(device);
        Objects.requireNonNull(maxTokens);
        Objects.requireNonNull(threads);
        Objects.requireNonNull(cacheFolder);
        Objects.requireNonNull(pooling);
        Objects.requireNonNull(dimension);
        Objects.requireNonNull(messages);
    }

    /** Returns a copy on another device. */
    public EncoderOptions withDevice(String device) {
        return new EncoderOptions(
                Optional.of(device), maxTokens, threads, cacheFolder, pooling, dimension, messages);
    }

    /** Returns a copy for texts of another length. */
    public EncoderOptions withMaxTokens(int maxTokens) {
        return new EncoderOptions(
                device,
                OptionalInt.of(maxTokens),
                threads,
                cacheFolder,
                pooling,
                dimension,
                messages);
    }

    /** Returns a copy with another number of threads on the processor. */
    public EncoderOptions withThreads(int threads) {
        return new EncoderOptions(
                device,
                maxTokens,
                OptionalInt.of(threads),
                cacheFolder,
                pooling,
                dimension,
                messages);
    }

    /** Returns a copy with another folder for unpacked libraries. */
    public EncoderOptions withCacheFolder(Path cacheFolder) {
        return new EncoderOptions(
                device, maxTokens, threads, Optional.of(cacheFolder), pooling, dimension, messages);
    }

    /** Returns a copy with another pooling. */
    public EncoderOptions withPooling(String pooling) {
        return new EncoderOptions(
                device, maxTokens, threads, cacheFolder, Optional.of(pooling), dimension, messages);
    }

    /** Returns a copy for vectors of another length. */
    public EncoderOptions withDimension(int dimension) {
        return new EncoderOptions(
                device,
                maxTokens,
                threads,
                cacheFolder,
                pooling,
                OptionalInt.of(dimension),
                messages);
    }

    /** Returns a copy that passes warnings and notes elsewhere. */
    public EncoderOptions withMessages(Consumer<String> messages) {
        return new EncoderOptions(
                device, maxTokens, threads, cacheFolder, pooling, dimension, messages);
    }
}
