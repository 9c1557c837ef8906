package dev.varve.platform.cli;

import dev.varve.api.model.Pooling;
import dev.varve.platform.host.EmbeddingSettings;

import picocli.CommandLine.Option;

import java.util.Optional;

/** Options of vectors and scores of texts. */
final class EmbeddingArguments {
    private static final int SECTION = OptionSections.EMBEDDINGS;
    private static final String RERANKING = "--reranking";

    @Option(
            names = {"--embedding", "--embeddings"},
            description =
                    "Compute embeddings with models that generate text too, from the last token of"
                            + " a text. Weights that are not all on one device of this process are"
                            + " loaded a second time. Embedding models need no flag.",
            order = SECTION)
    private boolean embedding;

    @Option(
            names = {RERANKING, "--rerank"},
            description =
                    "Compute scores of documents for a query, also if the file does not say that"
                            + " the model is a reranker.",
            order = SECTION + 1)
    private boolean reranking;

    @Option(
            names = "--pooling",
            paramLabel = "none|mean|cls|last|rank",
            description =
                    "How the rows of the tokens become a vector (default: that of the model). none:"
                            + " a vector for each token; rank: a score.",
            order = SECTION + 2)
    private Optional<Pooling> pooling = Optional.empty();

    /** Whether a flag asks for vectors or scores of models that generate text. */
    boolean areRequested() {
        return embedding || reranking || pooling.isPresent();
    }

    /**
     * Returns the settings.
     *
     * @throws UsageException if flags contradict each other
     */
    EmbeddingSettings settings() {
        if (reranking && pooling.filter(given -> given != Pooling.RANK).isPresent()) {
            throw new UsageException(
                    RERANKING
                            + ": expected --pooling rank or none, found --pooling "
                            + pooling.get().word());
        }
        return new EmbeddingSettings(
                areRequested(), reranking ? Optional.of(Pooling.RANK) : pooling);
    }
}
