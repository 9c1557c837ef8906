/** Gemma 4 models: sliding and full attention, shared rows, per-layer embeddings, experts. */
@SuppressWarnings("module") // the family name ends in a digit
module dev.varve.plugin.gemma4 {
    requires dev.varve.api;

    provides dev.varve.api.model.ModelFamilyProvider with
            dev.varve.plugin.gemma4.Gemma4Family;
    provides dev.varve.api.vision.ImageEncoderProvider with
            dev.varve.plugin.gemma4.Gemma4VisionProvider;
}
