package dev.varve.plugin.embedders;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.TextEncoder;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** Opens files of encoders. */
public final class EmbedderFamilies implements ModelFamilyProvider {
    private static final Map<String, BiFunction<GgufFile, ModelKeys, TextEncoder>> READERS =
            Map.of(
                    "bert",
                    BertReader::bert,
                    "nomic-bert",
                    BertReader::nomic,
                    "nomic-bert-moe",
                    BertReader::nomicMoe,
                    "jina-bert-v2",
                    BertReader::jina2,
                    "jina-bert-v3",
                    BertReader::jina3,
                    "modern-bert",
                    ModernBert::read,
                    "gemma-embedding",
                    GemmaEmbedding::read);

    @Override
    public Set<String> architectures() {
        return READERS.keySet();
    }

    @Override
    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
        throw new VarveException(
                VarveException.Kind.UNSUPPORTED_MODEL,
                model.path().getFileName()
                        + ": models of architecture "
                        + model.architecture()
                        + " compute embeddings or scores and generate no text; varve serve serves"
                        + " them");
    }

    @Override
    public Optional<TextEncoder> openEncoder(GgufFile model, ModelOptions options) {
        TextEncoder encoder =
                READERS.get(model.architecture()).apply(model, new ModelKeys(model, options));
        // Selects all weights now, so that a missing one is reported when the model is opened.
        encoder.tensors();
        return Optional.of(encoder);
    }
}
