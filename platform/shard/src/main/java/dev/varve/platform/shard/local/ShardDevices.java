package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.shard.ExpertWeights;
import dev.varve.platform.shard.TensorPlacement;
import dev.varve.platform.shard.lora.LoraTerm;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The device of a shard, and the devices of those of its weights that are elsewhere. The caller
 * owns the devices.
 *
 * @param own computes the layers, and holds the caches
 * @param elsewhere device by the name of a tensor that {@code own} does not hold
 */
public record ShardDevices(ComputeDevice own, Map<String, ComputeDevice> elsewhere) {
    /** Copies the map; a weight on the shard's own device is not elsewhere. */
    public ShardDevices {
        Objects.requireNonNull(own);
        Map<String, ComputeDevice> others = new HashMap<>(elsewhere);
        ComputeDevice device = own;
        others.values().removeIf(other -> other == device);
        elsewhere = Map.copyOf(others);
    }

    /** Creates the devices of a shard with all weights on its own. */
    public static ShardDevices of(ComputeDevice own) {
        return new ShardDevices(own, Map.of());
    }

    /**
     * Creates the devices of a placement.
     *
     * @param devices opens or finds a device of this process by its name
     */
    public static ShardDevices of(
            ComputeDevice own, TensorPlacement placement, Function<String, ComputeDevice> devices) {
        Map<String, ComputeDevice> named = new TreeMap<>();
        placement.others().forEach(name -> named.put(name, devices.apply(name)));
        Map<String, ComputeDevice> elsewhere = new HashMap<>();
        placement.devices().forEach((tensor, name) -> elsewhere.put(tensor, named.get(name)));
        return new ShardDevices(own, elsewhere);
    }

    /** Returns the device that holds a weight and computes with it. */
    ComputeDevice of(String tensor) {
        return elsewhere(tensor).orElse(own);
    }

    /** Returns the device of a weight; empty if it is the shard's own. */
    Optional<ComputeDevice> elsewhere(String tensor) {
        // The placement does not name the matrices of adapters that are added later.
        return Optional.ofNullable(elsewhere.get(tensor))
                .or(() -> LoraTerm.weightOf(tensor).map(elsewhere::get));
    }

    /**
     * Checks that only experts are elsewhere, each matrix with its biases and scales: operators
     * with other weights are computed on the shard's own device. The placement may come from
     * another process.
     *
     * @throws VarveException of kind INVALID_REQUEST if not
     */
    void requireExperts(TensorSelection selection) {
        ExpertWeights experts = ExpertWeights.of(selection);
        for (TensorSelection.Entry entry : selection.entries()) {
            String name = entry.tensor().name();
            ComputeDevice expected = experts.matrixOf(name).map(this::of).orElse(own);
            if (of(name) != expected) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        name
                                + ": expected on "
                                + expected.info().name()
                                + ", found on "
                                + of(name).info().name());
            }
        }
    }

    /** Returns all devices, the shard's own first. */
    List<ComputeDevice> all() {
        return Stream.concat(Stream.of(own), others().stream()).toList();
    }

    /** Returns the other devices, each once. */
    public Set<ComputeDevice> others() {
        return new LinkedHashSet<>(elsewhere.values());
    }

    /**
     * Returns the locks of all devices in the order in which every shard acquires them, so that two
     * shards with each other's devices do not wait for each other.
     */
    List<Object> locks() {
        return all().stream()
                .sorted(Comparator.comparing(device -> device.info().name()))
                .map(ComputeDevice::lock)
                .distinct()
                .toList();
    }
}
