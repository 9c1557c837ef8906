package dev.varve.platform.plan;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.TensorPlacement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Computes the times and the bytes of a model's blocks on the devices of a request. The bytes of a
 * run of blocks are added up from those of the blocks, which may differ a little from its plan.
 */
final class PlacementStages {
    private final LayerSplitAdapter model;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final ModelSettings settings;
    private final PlacementTimes times;
    private final TensorRules elsewhere;
    private final int slots;
    private final Map<String, Long> free = new LinkedHashMap<>();

    /**
     * @param devices properties of each device, including its free memory
     * @param elsewhere rules for all experts to be on the processor; none if the model has none
     */
    PlacementStages(
            LayerSplitAdapter model,
            Function<DeviceReference, DeviceInfo> devices,
            ModelSettings settings,
            PlacementTimes times,
            TensorRules elsewhere) {
        this.model = model;
        this.devices = devices;
        this.settings = settings;
        this.times = times;
        this.elsewhere = elsewhere;
        int most = RangeMemory.mostSlots(model.shape(), settings);
        slots = KvSlotSpan.roundUp(settings.sequences().kvTokens().orElse(most));
    }

    /**
     * Returns the optimizer for some devices.
     *
     * @param on in the order of their layers; each gets some
     * @param spare device that may get the last layers, if {@code on} lacks it: the processor
     * @param share share of the free memory to use
     */
    PlacementOptimizer optimizer(List<DeviceReference> on, DeviceReference spare, double share) {
        List<DeviceReference> all = new ArrayList<>(on);
        if (!on.contains(spare)) {
            all.add(spare);
        }
        all.forEach(this::memory);
        List<PlacementStage> stages = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            stages.add(stage(all.get(i), i == 0, i == on.size()));
        }
        return new PlacementOptimizer(
                stages,
                free.values().stream().map(bytes -> (long) (bytes * share)).toList(),
                memory(spare));
    }

    private int memory(DeviceReference device) {
        DeviceInfo info = devices.apply(device);
        String name = SplitMemoryPlan.memoryOf(device, info);
        free.merge(name, SplitMemoryPlan.memoryForShards(device, info, settings), Math::min);
        return List.copyOf(free.keySet()).indexOf(name);
    }

    private PlacementStage stage(DeviceReference device, boolean isFirst, boolean isOptional) {
        Placement.Part whole = new Placement.Part(device, model.shape().allLayers());
        TensorPlacement moved = elsewhere.apply(whole, model).tensors();
        LayerRange all = model.shape().allLayers();
        LayerRange last = times.blocks().getLast();
        LayerRange others = last.begin() == 0 ? all : new LayerRange(0, last.begin());
        LayerRange sample = isFirst ? others : times.blocks().get(times.blocks().size() / 2);
        long common = commonBytes(device, sample);
        // Either difference may contain a part for a last block that is larger than others.
        long headBuffers =
                Math.min(
                        bufferBytes(device, all, TensorPlacement.NONE)
                                - bufferBytes(device, others, TensorPlacement.NONE),
                        bufferBytes(device, all, moved) - bufferBytes(device, others, moved));
        long headWeights = Math.max(0, commonBytes(device, isFirst ? all : last) - common);
        return new PlacementStage(
                memory(device),
                times.devices().get(device).shardMillis(),
                blocks(device, moved, headBuffers),
                common,
                headWeights + headBuffers,
                isOptional);
    }

    /**
     * @param headBuffers bytes of the last block's buffers that others do not need
     */
    private List<PlacementStage.Block> blocks(
            DeviceReference device, TensorPlacement moved, long headBuffers) {
        PlacementTimes.OnDevice time = times.devices().get(device);
        Map<Integer, Sizes> sizes = new HashMap<>();
        List<PlacementStage.Block> blocks = new ArrayList<>();
        for (int i = 0; i < times.blocks().size(); i++) {
            LayerRange range = times.blocks().get(i);
            Sizes size =
                    sizes.computeIfAbsent(
                            times.kinds().get(i), kind -> sizes(device, range, moved));
            long head = i == times.blocks().size() - 1 ? headBuffers : 0;
            blocks.add(
                    new PlacementStage.Block(
                            size.bytes,
                            size.expertBytes,
                            new PlacementStage.Variant(
                                    time.millis().get(i), size.bufferBytes - head, 0),
                            new PlacementStage.Variant(
                                    time.movedMillis().get(i),
                                    size.movedBufferBytes - head,
                                    size.elsewhereBytes)));
        }
        return blocks;
    }

    /** Bytes of a block; see {@link PlacementStage.Block}. */
    private record Sizes(
            long bytes,
            long expertBytes,
            long bufferBytes,
            long movedBufferBytes,
            long elsewhereBytes) {}

    private Sizes sizes(DeviceReference device, LayerRange range, TensorPlacement moved) {
        long experts = copies(device) * expertBytes(range, moved);
        return new Sizes(
                blockBytes(device, range) - experts,
                experts,
                bufferBytes(device, range, TensorPlacement.NONE),
                bufferBytes(device, range, moved),
                experts == 0 ? 0 : elsewhereBytes(range, moved));
    }

    private long bufferBytes(DeviceReference device, LayerRange range, TensorPlacement tensors) {
        return need(device, range, tensors).computeBytes();
    }

    /** Returns the buffers for experts on the processor. */
    private long elsewhereBytes(LayerRange range, TensorPlacement moved) {
        return moved.others().stream()
                .mapToLong(
                        name ->
                                RangeMemory.elsewhere(model, range, moved, name, settings)
                                                .computeBytes()
                                        * settings.replicas())
                .sum();
    }

    private RangeMemory need(DeviceReference device, LayerRange range, TensorPlacement tensors) {
        return RangeMemory.of(model, range, tensors, devices.apply(device), settings)
                .replicated(settings.replicas(), SplitMemoryPlan.sharesWeights(device));
    }

    /** Returns the copies of the weights. */
    private int copies(DeviceReference device) {
        return SplitMemoryPlan.sharesWeights(device) ? 1 : settings.replicas();
    }

    /** Returns the bytes of weights, KV cache and states of a block, with its experts. */
    private long blockBytes(DeviceReference device, LayerRange range) {
        RangeMemory need = need(device, range, TensorPlacement.NONE);
        return ownWeights(device, range) + need.bytesPerSlot() * slots + need.stateBytes();
    }

    private long commonBytes(DeviceReference device, LayerRange range) {
        return need(device, range, TensorPlacement.NONE).weightBytes() - ownWeights(device, range);
    }

    /** Returns the weights of the layers themselves; tables stay in the file on other devices. */
    private long ownWeights(DeviceReference device, LayerRange range) {
        boolean isHost = devices.apply(device).hostCores();
        return copies(device)
                * model.tensors(range).entries().stream()
                        .filter(entry -> entry.tensor().name().startsWith("blk."))
                        .filter(entry -> isHost || entry.use() != TensorUse.ROW_LOOKUP)
                        .mapToLong(entry -> entry.tensor().bytes())
                        .sum();
    }

    private long expertBytes(LayerRange range, TensorPlacement moved) {
        TensorSelection selection = model.tensors(range);
        return selection.entries().stream()
                .filter(entry -> moved.deviceOf(entry.tensor().name()).isPresent())
                .mapToLong(entry -> entry.tensor().bytes())
                .sum();
    }
}
