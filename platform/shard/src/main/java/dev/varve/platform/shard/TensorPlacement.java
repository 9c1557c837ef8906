package dev.varve.platform.shard;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The weights of a shard that another device holds than the shard's own. The plan of a model
 * decides on it; the device that holds a weight also computes with it.
 *
 * @param devices name of the device, such as {@code cpu:0}, by the name of the tensor; devices of
 *     the shard's own process
 */
public record TensorPlacement(Map<String, String> devices) {
    /** All weights are on the shard's own device. */
    public static final TensorPlacement NONE = new TensorPlacement(Map.of());

    /** Copies the map, in the order of the names. */
    public TensorPlacement {
        devices = Collections.unmodifiableMap(new TreeMap<>(devices));
    }

    /** Whether all weights are on the shard's own device. */
    public boolean isEmpty() {
        return devices.isEmpty();
    }

    /** Returns the device of a weight; empty if it is the shard's own. */
    public Optional<String> deviceOf(String tensor) {
        return Optional.ofNullable(devices.get(tensor));
    }

    /** Returns the names of the other devices, each once, in order. */
    public List<String> others() {
        Collection<String> all = devices.values();
        return all.stream().distinct().sorted().toList();
    }
}
