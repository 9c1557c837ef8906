package dev.varve.platform.host;

import dev.varve.api.model.Pooling;

import java.util.Objects;
import java.util.Optional;

/**
 * Whether and how models compute vectors and scores of texts.
 *
 * @param requested whether models that generate text compute vectors too
 * @param pooling how the rows of tokens become results; empty for that of the file
 */
@SuppressWarnings("exports") // see package-info
public record EmbeddingSettings(boolean requested, Optional<Pooling> pooling) {
    /** Only files that were made for it compute vectors or scores. */
    public static final EmbeddingSettings USUAL = new EmbeddingSettings(false, Optional.empty());

    /** Refuses null. */
    public EmbeddingSettings {
        Objects.requireNonNull(pooling);
    }
}
