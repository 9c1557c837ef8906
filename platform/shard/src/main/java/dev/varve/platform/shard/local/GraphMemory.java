package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GraphAllocator;

import java.util.Optional;

/**
 * Memory of one recorded graph at a time.
 *
 * @param results memory of its results, and of inputs that are written one by one
 * @param inputs memory of inputs that go to the device in one copy; empty to write them one by one
 * @param segments memory of its segments on other devices
 */
record GraphMemory(GraphAllocator results, Optional<InputArena> inputs, SegmentMemory segments)
        implements AutoCloseable {
    /** Bytes on the device, and on those of segments. */
    long bytes() {
        return results.bufferBytes() + inputs.map(InputArena::bytes).orElse(0L) + segments.bytes();
    }

    @Override
    public void close() {
        results.close();
        inputs.ifPresent(InputArena::close);
        segments.close();
    }
}
