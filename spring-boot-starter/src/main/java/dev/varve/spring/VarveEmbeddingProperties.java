package dev.varve.spring;

import dev.varve.embedded.EncoderOptions;

import org.springframework.boot.context.properties.ConfigurationProperties;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Properties of the model for embeddings. All but the file may be null, which leaves the default of
 * {@link EncoderOptions}.
 *
 * @param model GGUF file, any part of a split one
 * @param device the device
 * @param maxTokens most tokens of a text
 * @param threads threads on the processor
 * @param pooling how the rows of tokens become a vector
 * @param dimension elements of vectors
 * @since 0.1.0
 */
@ConfigurationProperties("varve.embedding")
public record VarveEmbeddingProperties(
        Path model,
        String device,
        Integer maxTokens,
        Integer threads,
        String pooling,
        Integer dimension) {
    /**
     * Returns the options that the properties set.
     *
     * @param cacheFolder folder for unpacked libraries, which all models share; may be null
     */
    EncoderOptions options(Path cacheFolder) {
        return new EncoderOptions(
                Optional.ofNullable(device),
                number(maxTokens),
                number(threads),
                Optional.ofNullable(cacheFolder),
                Optional.ofNullable(pooling),
                number(dimension),
                EncoderOptions.DEFAULT.messages());
    }

    private static OptionalInt number(Integer value) {
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }
}
