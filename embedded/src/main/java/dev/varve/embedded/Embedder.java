package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.api.model.Pooling;
import dev.varve.platform.embedding.VectorNorm;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A model inside this program that computes vectors of texts: texts of similar meaning have similar
 * vectors.
 *
 * {@snippet :
 * try (Embedder model = Embedder.open(Path.of("bge-small-en-v1.5-f16.gguf"))) {
 *     float[] vector = model.embed("a cat");
 * }
 * }
 *
 * <p>Any number of threads may use a model; texts of several threads are computed together. {@link
 * #close} frees weights and device. Close a model once, when no other thread uses it any more.
 *
 * @since 0.1.0
 */
public final class Embedder implements AutoCloseable {
    private static final int EUCLIDEAN = 2;

    private final LoadedEncoder model;
    private final int dimension;

    private Embedder(LoadedEncoder model, int dimension) {
        this.model = model;
        this.dimension = dimension;
    }

    /**
     * Opens a model with the defaults of the server.
     *
     * @param file GGUF file, any part of a split one
     * @throws VarveException as for {@link #open(Path, EncoderOptions)}
     */
    public static Embedder open(Path file) {
        return open(file, EncoderOptions.DEFAULT);
    }

    /**
     * Opens a model. One that generates text computes vectors too, if it has no recurrent layers.
     *
     * @param file GGUF file, any part of a split one
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory; of kind INVALID_REQUEST if it is a reranker
     * @throws IllegalArgumentException if an option is out of its range
     */
    public static Embedder open(Path file, EncoderOptions options) {
        LoadedEncoder model =
                LoadedEncoder.open(file, options, options.pooling().map(Embedder::pooling));
        try {
            requireVectors(model);
            int width = model.embedder().width();
            return new Embedder(model, requireDimension(options.dimension().orElse(width), width));
        } catch (RuntimeException e) {
            model.close();
            throw e;
        }
    }

    private static Pooling pooling(String word) {
        return Arrays.stream(Pooling.values())
                .filter(each -> each != Pooling.NONE && each != Pooling.RANK)
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "pooling: expected mean, cls or last, found " + word));
    }

    private static void requireVectors(LoadedEncoder model) {
        Pooling pooling = model.embedder().pooling();
        if (pooling == Pooling.RANK || pooling == Pooling.NONE) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    model.info().name()
                            + ": expected a model for embeddings, found one with pooling "
                            + pooling.word()
                            + (pooling == Pooling.RANK
                                    ? "; open it as a Reranker"
                                    : "; set another pooling in the options"));
        }
    }

    private static int requireDimension(int dimension, int width) {
        if (dimension < 1 || dimension > width) {
            throw new IllegalArgumentException(
                    "dimension: expected 1 to " + width + ", found " + dimension);
        }
        return dimension;
    }

    /** Returns facts of the model. */
    public ModelInfo info() {
        return model.info();
    }

    /** Returns the number of elements of a vector. */
    public int dimension() {
        return dimension;
    }

    /** Returns the most tokens of a text, those around it included. */
    public int maxTokens() {
        return model.embedder().maxTokens();
    }

    /** Returns the number of tokens of a text, those around it included. */
    public int countTokens(String text) {
        return model.countTokens(text);
    }

    /**
     * Computes the vector of a text, and waits for it.
     *
     * @return a vector of Euclidean length 1, which the caller owns
     * @throws VarveException as for {@link #embed(List)}
     */
    public float[] embed(String text) {
        return embed(List.of(text)).vectors().getFirst();
    }

    /**
     * Computes the vectors of texts, and waits for them. Many models expect a prefix before each
     * text, which the caller adds.
     *
     * @throws VarveException of kind CONTEXT_OVERFLOW if a text is longer than {@link #maxTokens},
     *     INVALID_REQUEST if one has no token, OVERLOADED if too many texts wait, CANCELLED if this
     *     thread is interrupted, of another kind if the device fails
     */
    public Embeddings embed(List<String> texts) {
        return embed(texts, dimension);
    }

    /**
     * Computes shorter vectors of texts, for models that were trained for them, and waits for them.
     *
     * @param dimension elements of each vector
     * @throws VarveException as for {@link #embed(List)}
     * @throws IllegalArgumentException if the model has fewer elements
     */
    public Embeddings embed(List<String> texts, int dimension) {
        requireDimension(dimension, model.embedder().width());
        List<int[]> tokens = texts.stream().map(model::tokens).toList();
        List<float[]> vectors =
                Arrays.stream(model.encode(tokens))
                        .map(vector -> VectorNorm.of(vector, dimension, EUCLIDEAN))
                        .toList();
        return new Embeddings(vectors, LoadedEncoder.total(tokens));
    }

    /** Ends waiting calls, and frees the model. */
    @Override
    public void close() {
        model.close();
    }
}
