package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.api.model.Pooling;
import dev.varve.platform.embedding.EncoderInput;
import dev.varve.platform.embedding.TextEmbedder;
import dev.varve.platform.host.EmbeddingModel;
import dev.varve.platform.host.EmbeddingSettings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A loaded model that computes vectors or scores, with its facts. */
record LoadedEncoder(EmbeddingModel model, ModelInfo info) implements AutoCloseable {
    /**
     * Opens a model.
     *
     * @param pooling how rows become results; empty for that of the file
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory
     */
    static LoadedEncoder open(Path file, EncoderOptions options, Optional<Pooling> pooling) {
        return OptionNames.call(
                () -> {
                    EmbeddingModel model =
                            EmbeddingModel.open(
                                    OptionSettings.of(file, options),
                                    new EmbeddingSettings(true, pooling),
                                    new LoadMessages(options.messages()));
                    return new LoadedEncoder(model, info(model));
                });
    }

    private static ModelInfo info(EmbeddingModel model) {
        return new ModelInfo(
                Varve.name(model.file().path()),
                model.file().architecture(),
                model.embedder().maxTokens(),
                "[" + model.device() + "]",
                false,
                Duration.ofMillis(Math.round(model.loadMillis())));
    }

    TextEmbedder embedder() {
        return model.embedder();
    }

    int[] tokens(String text) {
        return EncoderInput.ofText(model.tokenizer(), embedder(), text);
    }

    int[] tokens(String query, String document) {
        return EncoderInput.ofPair(embedder(), query, document);
    }

    int countTokens(String text) {
        return model.tokenizer().frame().around(model.tokenizer().encode(text, false)).length;
    }

    /**
     * Encodes texts, and waits for the results.
     *
     * @throws VarveException of kind CANCELLED if this thread is interrupted
     */
    float[][] encode(List<int[]> texts) {
        if (Thread.currentThread().isInterrupted()) {
            throw cancelled();
        }
        try {
            return embedder().encode(texts, () -> false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cancelled();
        }
    }

    private static VarveException cancelled() {
        return new VarveException(
                VarveException.Kind.CANCELLED, "the thread that waits for texts was interrupted");
    }

    /** Returns the number of tokens of all texts. */
    static int total(List<int[]> texts) {
        return texts.stream().mapToInt(text -> text.length).sum();
    }

    @Override
    public void close() {
        model.close();
    }
}
