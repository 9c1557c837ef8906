package dev.varve.plugin.laguna;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;

import java.util.Set;

/** Opens {@code laguna} files. */
public final class LagunaFamily implements ModelFamilyProvider {
    @Override
    public Set<String> architectures() {
        return Set.of("laguna");
    }

    @Override
    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
        LagunaSizes sizes = LagunaSizes.read(model, options);
        return new LagunaModel(sizes, new LagunaTensors(model, sizes));
    }
}
