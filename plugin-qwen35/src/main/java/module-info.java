/** Qwen 3.5 and 3.6 models: gated delta net layers with full attention in between. */
@SuppressWarnings("module") // the family name ends in a digit
module dev.varve.plugin.qwen35 {
    requires dev.varve.api;

    provides dev.varve.api.model.ModelFamilyProvider with
            dev.varve.plugin.qwen35.Qwen35Family;
    provides dev.varve.api.vision.ImageEncoderProvider with
            dev.varve.plugin.qwen35.Qwen3VlProvider;
}
