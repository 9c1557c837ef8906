package dev.varve.plugin.qwen35;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;

import java.util.Set;

/** Opens {@code qwen35} and {@code qwen35moe} files. */
public final class Qwen35Family implements ModelFamilyProvider {
    @Override
    public Set<String> architectures() {
        return Set.of("qwen35", "qwen35moe");
    }

    @Override
    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
        Qwen35Sizes sizes = Qwen35Sizes.read(model, options);
        return new Qwen35Model(sizes, new Qwen35Tensors(model, sizes));
    }
}
