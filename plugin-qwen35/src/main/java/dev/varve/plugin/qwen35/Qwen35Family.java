package dev.varve.plugin.qwen35;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.MtpBlock;

import java.util.Optional;
import java.util.Set;

/** Opens {@code qwen35}, {@code qwen35moe} and {@code qwen3next} files. */
public final class Qwen35Family implements ModelFamilyProvider {
    @Override
    public Set<String> architectures() {
        return Set.of("qwen35", "qwen35moe", Qwen35Sizes.QWEN3_NEXT);
    }

    @Override
    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
        Qwen35Sizes sizes = Qwen35Sizes.read(model, options);
        Qwen35Tensors tensors = new Qwen35Tensors(model, sizes);
        // Selects all layers now, so that a tensor that any range lacks is reported when the model
        // is opened.
        tensors.select(sizes.backbone().allLayers());
        return new Qwen35Model(sizes, tensors);
    }

    @Override
    public Optional<LayerSplitAdapter> openMtp(
            GgufFile file, GgufFile target, ModelOptions options) {
        return MtpBlock.open(
                file,
                target,
                options,
                () -> new Qwen35NextToken(file, Qwen35Sizes.read(file, options)));
    }
}
