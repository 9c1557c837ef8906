package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GraphAllocator;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Memory of the segments of one graph at a time: on each other device that of its results, and on
 * both sides a block for the activations that pass. All segments on a device use the same block,
 * since they are computed one after the other. For one thread.
 */
final class SegmentMemory implements AutoCloseable {
    /** Memory that a device shares with the shard's own. */
    private static final class Link implements AutoCloseable {
        final GraphAllocator results;
        final BufferType ownType;
        final BufferType otherType;
        Optional<DeviceBuffer> own = Optional.empty();
        Optional<DeviceBuffer> other = Optional.empty();

        Link(ComputeDevice own, ComputeDevice other) {
            results = new GraphAllocator(other.bufferType());
            ownType = block(own, other);
            otherType = block(other, own);
        }

        /** Host memory beside a device with its own memory is such that the device copies fast. */
        private static BufferType block(ComputeDevice here, ComputeDevice there) {
            return here.bufferType().isHost() && !there.bufferType().isHost()
                    ? there.ggmlDevice().hostBufferType()
                    : here.bufferType();
        }

        void provide(long bytes) {
            if (own.isPresent() && own.get().size() >= bytes) {
                return;
            }
            freeBlocks();
            own = Optional.of(ownType.allocate(bytes));
            other = Optional.of(otherType.allocate(bytes));
        }

        long bytes() {
            return results.bufferBytes()
                    + own.map(DeviceBuffer::size).orElse(0L)
                    + other.map(DeviceBuffer::size).orElse(0L);
        }

        private void freeBlocks() {
            own.ifPresent(DeviceBuffer::close);
            other.ifPresent(DeviceBuffer::close);
            own = Optional.empty();
            other = Optional.empty();
        }

        @Override
        public void close() {
            freeBlocks();
            results.close();
        }
    }

    private final ComputeDevice own;
    private final Map<ComputeDevice, Link> links = new IdentityHashMap<>();

    /**
     * @param own the shard's device
     */
    SegmentMemory(ComputeDevice own) {
        this.own = own;
    }

    /** Allocates the memory of a graph's segments, in place of that of the graph before. */
    void place(DeviceSegments segments) {
        segments.graphs()
                .forEach(
                        (device, recording) -> {
                            Link link =
                                    links.computeIfAbsent(device, other -> new Link(own, other));
                            place(link, segments.on(device));
                            link.results.reserve(recording.graph());
                            link.results.allocate(recording.graph());
                        });
    }

    private static void place(Link link, List<DeviceSegment> segments) {
        long sent = segments.stream().mapToLong(each -> each.sent().bytes()).max().orElse(0);
        long returned =
                segments.stream().mapToLong(each -> each.returned().bytes()).max().orElse(0);
        link.provide(sent + returned);
        DeviceBuffer here = link.own.orElseThrow();
        DeviceBuffer there = link.other.orElseThrow();
        for (DeviceSegment segment : segments) {
            segment.sent().place(here, there, 0);
            segment.returned().place(there, here, sent);
        }
    }

    /** Whether the block on the shard's side is in host memory. */
    boolean isOwnSideHost(ComputeDevice device) {
        return links.get(device).ownType.isHost();
    }

    /** Whether the block on the side of another device is in host memory. */
    boolean isOtherSideHost(ComputeDevice device) {
        return links.get(device).otherType.isHost();
    }

    /** Bytes on all devices. */
    long bytes() {
        return links.values().stream().mapToLong(Link::bytes).sum();
    }

    @Override
    public void close() {
        links.values().forEach(Link::close);
        links.clear();
    }
}
