package dev.varve.platform.plan;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.TensorRules;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Cards and a processor whose times follow from bandwidths: a token reads the used weights of each
 * layer once, where they are; each part of the model costs a latency, and so does each copy between
 * a card and the processor.
 *
 * @param devices by reference; {@code cpu:0} is the processor
 */
record TimedMachine(Map<DeviceReference, Device> devices) {
    /** Share of the experts of a layer that a token uses. */
    private static final double USED = 1 / 16.0;

    /**
     * A device.
     *
     * @param bandwidth bytes of its memory that it reads in a microsecond
     * @param latency microseconds of starting a part of the model
     * @param copyLatency microseconds of a copy from or to the processor
     * @param freeBytes bytes of its memory
     */
    record Device(double bandwidth, double latency, double copyLatency, long freeBytes) {}

    /** Returns the properties of a device. */
    DeviceInfo info(DeviceReference device) {
        long free = devices.get(device).freeBytes;
        return new DeviceInfo(device.device(), "", free, free, device.backend().equals("cpu"));
    }

    /** Returns the milliseconds of a token. */
    double decodeMillis(UnevenExpertModel model, Placement placement) {
        double micros = 0;
        for (Placement.Part part : placement.parts()) {
            micros += devices.get(part.device()).latency;
            for (int layer = part.range().begin(); layer < part.range().end(); layer++) {
                boolean isMoved =
                        part.tensors().deviceOf("blk." + layer + ".ffn_up_exps.weight").isPresent();
                micros += layerMicros(model, part.device(), layer, isMoved);
            }
        }
        return micros / 1000;
    }

    private double layerMicros(
            UnevenExpertModel model, DeviceReference on, int layer, boolean isMoved) {
        Device own = devices.get(on);
        Device experts = isMoved ? devices.get(DeviceReference.PROCESSOR) : own;
        double used = USED * UnevenExpertModel.EXPERTS * model.expertBytes(layer);
        return model.denseBytes(layer) / own.bandwidth
                + used / experts.bandwidth
                + (isMoved ? 2 * own.copyLatency : 0);
    }

    /** Returns the speed of a device as a measurement without errors gives it. */
    DeviceSpeed measure(UnevenExpertModel model, DeviceReference device, TensorRules rules) {
        ModelBlocks blocks = ModelBlocks.of(model, rules);
        List<StepTime> kinds =
                IntStream.range(0, blocks.kindCount())
                        .map(kind -> blocks.kinds().indexOf(kind))
                        .mapToObj(
                                layer ->
                                        new StepTime(
                                                layerMicros(
                                                                model,
                                                                device,
                                                                layer,
                                                                isMoved(
                                                                        model, device, layer,
                                                                        rules))
                                                        / 1000,
                                                0))
                        .toList();
        return new DeviceSpeed(new StepTime(devices.get(device).latency / 1000, 0), kinds);
    }

    private static boolean isMoved(
            UnevenExpertModel model, DeviceReference device, int layer, TensorRules rules) {
        TensorSelection selection = model.tensors(new LayerRange(layer, layer + 1));
        Placement.Part part =
                rules.apply(new Placement.Part(device, new LayerRange(layer, layer + 1)), model);
        return selection.entries().stream()
                .filter(entry -> entry.use() == TensorUse.EXPERT_MATMUL)
                .anyMatch(entry -> part.tensors().deviceOf(entry.tensor().name()).isPresent());
    }
}
