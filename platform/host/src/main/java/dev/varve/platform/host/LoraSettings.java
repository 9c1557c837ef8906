package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.LoraAdapter;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A LoRA adapter of a model.
 *
 * @param file GGUF file of the adapter
 * @param scale finite factor of its changes; 1 for those that it was trained for
 */
public record LoraSettings(Path file, float scale) {
    /** Checks the factor. */
    public LoraSettings {
        Objects.requireNonNull(file);
        if (!Float.isFinite(scale)) {
            throw new IllegalArgumentException(
                    Setting.LORA + ": expected a finite scale, found " + scale);
        }
    }

    /**
     * Opens adapters and adds them to a model.
     *
     * @param note receives tensors that are not used
     * @throws VarveException if one cannot be read or does not fit the model
     */
    static LayerSplitAdapter adapt(
            List<LoraSettings> settings,
            GgufFile file,
            LayerSplitAdapter model,
            Consumer<String> note) {
        try {
            return AdaptedModel.of(
                    file, model, settings.stream().map(each -> each.open(note)).toList());
        } catch (VarveException e) {
            throw new VarveException(e.kind(), Setting.LORA + ": " + e.getMessage(), e);
        }
    }

    private LoraAdapter open(Consumer<String> note) {
        LoraAdapter adapter = LoraAdapter.of(GgufFile.open(file), scale);
        if (!adapter.ignored().isEmpty()) {
            note.accept(
                    file.getFileName()
                            + ": not used: norms, such as "
                            + adapter.ignored().getFirst());
        }
        return adapter;
    }

    /**
     * Checks that experts which are read from the file have no adapter.
     *
     * @throws IllegalArgumentException if they have one
     */
    static void requireLoadedExperts(LayerSplitAdapter model, WeightLayout weights) {
        boolean streams = weights == WeightLayout.STREAMED;
        boolean experts =
                model.tensors(model.shape().allLayers()).entries().stream()
                        .anyMatch(entry -> entry.use() == TensorUse.EXPERT_MATMUL);
        if (streams && experts && !AdaptedModel.adapters(model).isEmpty()) {
            throw new IllegalArgumentException(
                    Setting.LORA
                            + ": not supported for a model whose experts are streamed; use other "
                            + Setting.WEIGHTS);
        }
    }
}
