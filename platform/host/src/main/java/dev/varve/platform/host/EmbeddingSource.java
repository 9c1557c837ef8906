package dev.varve.platform.host;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TextEncoder;
import dev.varve.platform.embedding.PairTokens;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.shard.local.CausalEncoder;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;

/**
 * A model file as an encoder of texts, before its weights are loaded.
 *
 * @param encoder how the family computes the rows of tokens
 * @param pooling how they become results
 * @param pairs makes the tokens of a query and a document
 */
record EmbeddingSource(
        GgufFile file,
        HostSettings settings,
        PluginCatalog catalog,
        Tokenizer tokenizer,
        TextEncoder encoder,
        Pooling pooling,
        PairTokens pairs) {
    /**
     * Opens a file.
     *
     * @param asked how texts become results
     * @throws dev.varve.api.VarveException if the family rejects the file or computes no embeddings
     *     with it
     */
    static EmbeddingSource open(GgufFile file, HostSettings settings, EmbeddingSettings asked) {
        PluginCatalog catalog = settings.plugins().catalog();
        EncoderFile source = new EncoderFile(file, catalog, settings.model().modelOptions());
        Tokenizer tokenizer = source.tokenizer();
        TextEncoder encoder = source.open(tokenizer);
        return new EmbeddingSource(
                file,
                settings,
                catalog,
                tokenizer,
                encoder,
                asked.pooling().orElseGet(encoder::pooling),
                PairTokens.of(tokenizer, file.metadata(), !source.isEncoder()));
    }

    /** Returns the encoder if the model generates text too. */
    Optional<CausalEncoder> causal() {
        return encoder instanceof CausalEncoder causal ? Optional.of(causal) : Optional.empty();
    }

    /** Returns the most tokens of a text. */
    int maxTokens() {
        int asked =
                settings.model().sequences().contextTokens().orElse(SequenceLimits.DEFAULT_CONTEXT);
        return Math.min(asked, encoder.sizes().contextLength());
    }
}
