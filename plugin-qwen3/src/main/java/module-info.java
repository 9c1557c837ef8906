/** Qwen 3 models: dense layers of full attention. */
@SuppressWarnings("module") // the family name ends in a digit
module dev.varve.plugin.qwen3 {
    requires dev.varve.api;

    provides dev.varve.api.model.ModelFamilyProvider with
            dev.varve.plugin.qwen3.Qwen3Family;
}
