package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Graph;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The recorded segments of a graph on other devices.
 *
 * @param segments in the order of computation
 * @param graphs the operators of all segments on each device
 */
record DeviceSegments(List<DeviceSegment> segments, Map<ComputeDevice, Recording> graphs)
        implements AutoCloseable {
    /** The shard's own device computes everything. */
    static final DeviceSegments NONE = new DeviceSegments(List.of(), Map.of());

    /** Operators for one device, with the context that owns them. */
    record Recording(GgmlContext context, Graph graph) {}

    DeviceSegments {
        segments = List.copyOf(segments);
        graphs = new LinkedHashMap<>(graphs);
    }

    /** Returns the segments on a device. */
    List<DeviceSegment> on(ComputeDevice device) {
        return segments.stream().filter(segment -> segment.device() == device).toList();
    }

    @Override
    public void close() {
        graphs.values().forEach(recording -> recording.context().close());
    }
}
