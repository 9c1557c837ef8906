/** Encoders of texts: BERT and its descendants, ModernBERT and EmbeddingGemma. */
module dev.varve.plugin.embedders {
    requires dev.varve.api;

    provides dev.varve.api.model.ModelFamilyProvider with
            dev.varve.plugin.embedders.EmbedderFamilies;
}
