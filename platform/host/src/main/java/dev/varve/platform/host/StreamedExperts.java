package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.plan.ExpertReadForecast;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.streaming.ExpertReadSpeed;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Checks whether the experts of a model can be read when they are needed, and sizes their cache.
 */
final class StreamedExperts {
    /** Part of the memory beside the other weights: KV cache and activations need the rest. */
    private static final double SHARE = 0.6;

    private static final String USED = ".expert_used_count";

    private StreamedExperts() {}

    /**
     * Checks the model and its devices if experts are to be streamed.
     *
     * @throws VarveException of kind INVALID_REQUEST that begins with the setting
     */
    static void require(ModelSettings settings, LayerSplitAdapter model, PlacementRequest request) {
        if (settings.computation().weights() != WeightLayout.STREAMED) {
            return;
        }
        for (DeviceReference device : request.devices()) {
            if (!device.backend().equals(DeviceReference.PROCESSOR.backend())) {
                throw refused("needs the backend cpu for all layers, found " + device);
            }
        }
        if (!request.tensors().rules().isEmpty()) {
            throw refused(
                    "cannot be combined with " + request.tensors().rules().getFirst().setting());
        }
        if (ExpertCacheShare.expertBytes(all(model)) == 0) {
            throw refused("the model has no experts, so all of its weights are needed in memory");
        }
    }

    private static VarveException refused(String reason) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST, Setting.WEIGHTS + ": stream: " + reason);
    }

    private static TensorSelection all(LayerSplitAdapter model) {
        return model.tensors(new LayerRange(0, model.shape().layerCount()));
    }

    /**
     * Returns settings with a size of the cache of experts: at most all of them. Without a
     * requested size, it leaves the memory that one sequence needs.
     *
     * @param processor its properties, with the free memory
     */
    static ModelSettings sized(
            ModelSettings settings, LayerSplitAdapter model, Supplier<DeviceInfo> processor) {
        if (settings.computation().weights() != WeightLayout.STREAMED) {
            return settings;
        }
        long asked = settings.computation().expertCacheBytes();
        TensorSelection weights = all(model);
        long left = asked > 0 ? asked : left(settings, model, processor.get());
        // Pages at the edges of experts add a little.
        long most = ExpertCacheShare.expertBytes(weights) / 16 * 17 + (64 << 20);
        return settings.with(settings.computation().withExpertCache(Math.min(left, most)));
    }

    /** Describes the cache of experts, if they are streamed. */
    static Optional<String> describe(ModelSettings settings, LayerSplitAdapter model) {
        if (settings.computation().weights() != WeightLayout.STREAMED) {
            return Optional.empty();
        }
        return Optional.of(
                Setting.EXPERT_CACHE
                        + ": "
                        + ByteCount.format(settings.computation().expertCacheBytes())
                        + " for "
                        + ByteCount.format(ExpertCacheShare.expertBytes(all(model)))
                        + " of experts; others are read from the file");
    }

    /**
     * Measures the reads of experts, and forecasts their number; empty if all experts are in
     * memory.
     */
    static Optional<ExpertReadForecast> reads(ModelSettings settings, OpenedModel model) {
        if (settings.computation().weights() != WeightLayout.STREAMED) {
            return Optional.empty();
        }
        List<GgufTensor> matrices =
                all(model.adapter()).entries().stream()
                        .filter(entry -> entry.use() == TensorUse.EXPERT_MATMUL)
                        .map(TensorSelection.Entry::tensor)
                        .toList();
        int experts = Math.toIntExact(matrices.getFirst().ne(2));
        int used = Math.clamp(used(model.file()), 1, experts);
        return Optional.of(
                new ExpertReadForecast(
                        ExpertCacheShare.expertBytes(all(model.adapter())),
                        settings.computation().expertCacheBytes(),
                        experts,
                        used,
                        ExpertReadSpeed.bytesPerSecond(matrices, used)));
    }

    /** Returns the most experts that a token uses in a layer. */
    private static long used(GgufFile file) {
        return file.metadata().findIntegers(file.architecture() + USED).stream()
                .flatMapToLong(Arrays::stream)
                .max()
                .orElse(1);
    }

    private static long left(
            ModelSettings settings, LayerSplitAdapter model, DeviceInfo processor) {
        long free = processor.memoryFreeBytes();
        long others =
                RangeMemory.of(model, model.shape().allLayers(), processor, settings)
                        .replicated(settings.replicas(), true)
                        .bytes(RangeMemory.mostSlots(model.shape(), settings));
        long share = (long) ((free - ExpertCacheShare.denseBytes(all(model))) * SHARE);
        return Math.max(1, Math.min(share, free - others));
    }
}
