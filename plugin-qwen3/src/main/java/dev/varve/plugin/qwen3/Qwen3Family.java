package dev.varve.plugin.qwen3;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;

import java.util.Set;

/** Opens {@code qwen3} files. */
public final class Qwen3Family implements ModelFamilyProvider {
    @Override
    public Set<String> architectures() {
        return Set.of("qwen3");
    }

    @Override
    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
        Qwen3Sizes sizes = Qwen3Sizes.read(model, options);
        Qwen3Tensors tensors = new Qwen3Tensors(model, sizes);
        // Selects all layers now, so that a tensor that any range lacks is reported when the model
        // is opened.
        tensors.select(sizes.backbone().allLayers());
        return new Qwen3Model(sizes, tensors);
    }
}
