package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.TensorRules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/**
 * The smallest layer ranges at which a family allows a split, mostly one layer each, and which of
 * them are alike. The last one also holds the output head and has its own kind.
 *
 * @param blocks in layer order, covering all layers
 * @param kinds per block the number of its kind, counted from 0 in the order of appearance
 * @param bytes per block its weights, without those that every range loads
 * @param identity hash of everything that affects the speed of the blocks: their types and shapes
 */
public record ModelBlocks(
        List<LayerRange> blocks, List<Integer> kinds, List<Long> bytes, String identity) {
    /** Checks that every block has a kind and a size. */
    public ModelBlocks {
        blocks = List.copyOf(blocks);
        kinds = List.copyOf(kinds);
        bytes = List.copyOf(bytes);
        if (blocks.isEmpty() || kinds.size() != blocks.size() || bytes.size() != blocks.size()) {
            throw new IllegalArgumentException(
                    blocks.size() + " blocks, " + kinds.size() + " kinds, " + bytes.size());
        }
    }

    /** Splits a model into blocks. */
    public static ModelBlocks of(LayerSplitAdapter model) {
        return of(model, TensorRules.NONE);
    }

    /**
     * Splits a model into blocks; blocks with other rules for their weights are not alike.
     *
     * @throws IllegalArgumentException if a rule does not fit the model
     */
    public static ModelBlocks of(LayerSplitAdapter model, TensorRules rules) {
        Map<String, DeviceReference> devices = rules.devices(model);
        int layers = model.shape().layerCount();
        List<LayerRange> blocks = new ArrayList<>();
        int begin = 0;
        for (int boundary = 1; boundary < layers; boundary++) {
            if (mayBeCut(model, boundary)) {
                blocks.add(new LayerRange(begin, boundary));
                begin = boundary;
            }
        }
        blocks.add(new LayerRange(begin, layers));
        List<String> seen = new ArrayList<>();
        List<Integer> kinds = new ArrayList<>();
        List<Long> bytes = new ArrayList<>();
        for (LayerRange block : blocks) {
            TensorSelection selection = model.tensors(block);
            String kind = signature(model.shape(), block, selection, devices);
            if (!seen.contains(kind)) {
                seen.add(kind);
            }
            kinds.add(seen.indexOf(kind));
            bytes.add(ownBytes(block, layers, selection));
        }
        return new ModelBlocks(blocks, kinds, bytes, Sha256.hex(seen + " " + kinds, 16));
    }

    private static boolean mayBeCut(LayerSplitAdapter model, int boundary) {
        List<LayerRange> ranges =
                List.of(
                        new LayerRange(0, boundary),
                        new LayerRange(boundary, model.shape().layerCount()));
        try {
            return model.align(ranges).equals(ranges);
        } catch (VarveException e) {
            // The model allows no split.
            return false;
        }
    }

    private static long ownBytes(LayerRange block, int layers, TensorSelection selection) {
        return selection.entries().stream()
                .filter(entry -> block.end() == layers || entry.tensor().name().startsWith("blk."))
                .mapToLong(entry -> entry.tensor().bytes())
                .sum();
    }

    /** Returns a text of a block's properties, without its place in the model and its values. */
    private static String signature(
            ModelShape shape,
            LayerRange block,
            TensorSelection selection,
            Map<String, DeviceReference> devices) {
        StringBuilder text = new StringBuilder();
        for (int layer = block.begin(); layer < block.end(); layer++) {
            LayerState state = shape.layers().get(layer);
            text.append(
                    state instanceof LayerState.SharedAttention(int source)
                            ? "shared " + shape.layers().get(source)
                            : state);
        }
        String last = block.end() == shape.layerCount() ? " last" : "";
        text.append(last);
        selection.entries().stream()
                .filter(entry -> !last.isEmpty() || entry.tensor().name().startsWith("blk."))
                .map(
                        entry ->
                                relative(entry.tensor().name(), block.begin())
                                        + " "
                                        + entry.use()
                                        + " "
                                        + entry.tensor().describe()
                                        + on(devices, entry.tensor().name()))
                .sorted()
                .forEach(line -> text.append('\n').append(line));
        return text.toString();
    }

    /** Names the device of a weight, if a rule chooses one. */
    private static String on(Map<String, DeviceReference> devices, String name) {
        return devices.containsKey(name) ? " on " + devices.get(name) : "";
    }

    private static String relative(String name, int begin) {
        String[] parts = name.split("\\.", 3);
        return parts.length == 3 && parts[0].equals("blk")
                ? (Integer.parseInt(parts[1]) - begin) + "." + parts[2]
                : name;
    }

    /** Returns the number of kinds. */
    public int kindCount() {
        return kinds.stream().mapToInt(Integer::intValue).max().orElseThrow() + 1;
    }

    /** Returns the layers from the first of one block to the last of another. */
    LayerRange range(int firstBlock, int lastBlock) {
        return new LayerRange(blocks.get(firstBlock).begin(), blocks.get(lastBlock).end());
    }

    /** Sums a value over the blocks of a range. */
    double sum(LayerRange range, IntToDoubleFunction ofKind) {
        double sum = 0;
        for (int i = 0; i < blocks.size(); i++) {
            if (range.contains(blocks.get(i).begin())) {
                sum += ofKind.applyAsDouble(kinds.get(i));
            }
        }
        return sum;
    }
}
