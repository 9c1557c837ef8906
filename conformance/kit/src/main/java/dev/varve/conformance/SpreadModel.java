package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.LoadedModel.EngineComponents;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.local.WeightCache;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Models whose experts are on another device than their layers. */
final class SpreadModel {
    /** The processor once more, with a queue of its own. */
    private static final ComputeDevice SECOND =
            counted(Cpu.backends().openDevice(DeviceReference.local("cpu", 0), Cpu.options()));

    private static final AtomicInteger COMPUTED = new AtomicInteger();

    private SpreadModel() {}

    private static ComputeDevice counted(ComputeDevice device) {
        return (ComputeDevice)
                Proxy.newProxyInstance(
                        SpreadModel.class.getClassLoader(),
                        new Class<?>[] {ComputeDevice.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("compute")) {
                                COMPUTED.incrementAndGet();
                            }
                            return method.invoke(device, arguments);
                        });
    }

    /** Returns the number of graphs that {@code cpu:1} has computed. */
    static int computed() {
        return COMPUTED.get();
    }

    /** Runs in a process for a renderer: file, target, device, rules, tokens. */
    public static void main(String[] arguments) throws IOException {
        float[][] rows;
        try (LoadedModel model =
                load(
                        Path.of(arguments[0]),
                        VulkanLogits.settings(FlashAttention.OFF),
                        arguments[2],
                        arguments[3],
                        EngineComponents.NONE)) {
            rows = Cpu.logits(model, VulkanLogits.integers(arguments[4]));
        }
        VulkanLogits.write(Path.of(arguments[1]), rows);
    }

    /** Returns the logits of {@link #main}. */
    static float[][] logits(Path file, String device, String rules, int[] tokens) {
        return VulkanLogits.launch(
                SpreadModel.class, file, List.of(device, rules, VulkanLogits.text(tokens)));
    }

    /** Returns a device: {@code cpu:0}, the same as {@code cpu:1}, or {@code vulkan:0}. */
    private static ComputeDevice device(String name) {
        return switch (name) {
            case "cpu:0" -> Cpu.device();
            case "cpu:1" -> SECOND;
            default -> Vulkan.device();
        };
    }

    /**
     * Loads a model.
     *
     * @param device of all layers
     * @param rules as the option for weights by their names
     */
    static LoadedModel load(
            Path file,
            ModelSettings settings,
            String device,
            String rules,
            EngineComponents extras,
            int... cuts) {
        OpenedModel model = Cpu.open(file, settings.modelOptions());
        SplitMemoryPlan plan =
                SplitMemoryPlan.of(
                        model.adapter(),
                        placement(model, device, rules, cuts),
                        reference -> device(reference.device()).info(),
                        settings);
        WeightCache weights = new WeightCache();
        return LoadedModel.load(
                model,
                plan,
                (part, options, progress) ->
                        LocalShard.load(
                                model.range(part.range()),
                                ShardDevices.of(
                                        device(part.device().device()),
                                        part.tensors(),
                                        SpreadModel::device),
                                options,
                                progress,
                                weights),
                settings,
                extras,
                LoadProgressListener.silent());
    }

    private static Placement placement(
            OpenedModel model, String device, String rules, int... cuts) {
        List<LayerRange> ranges = new ArrayList<>();
        int begin = 0;
        for (int cut : cuts) {
            ranges.add(new LayerRange(begin, cut));
            begin = cut;
        }
        ranges.add(new LayerRange(begin, model.shape().layerCount()));
        Placement whole =
                Placement.of(
                        ranges.stream().map(range -> DeviceReference.parse(device)).toList(),
                        ranges);
        return new TensorRules(TensorRule.parseNamed(rules)).apply(whole, model.adapter());
    }
}
