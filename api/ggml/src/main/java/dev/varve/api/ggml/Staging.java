package dev.varve.api.ggml;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Host memory for copies between Java arrays and memory that only a device can access. Every thread
 * keeps one block permanently, since logits and activations are copied with every token; large
 * transfers allocate memory of their own.
 */
final class Staging implements AutoCloseable {
    private static final long KEPT_BYTES = 4 << 20;
    private static final ThreadLocal<MemorySegment> KEPT = new ThreadLocal<>();

    private final Arena arena;
    private final MemorySegment memory;

    private Staging(Arena arena, MemorySegment memory) {
        this.arena = arena;
        this.memory = memory;
    }

    static Staging of(long bytes) {
        Arena arena = Arena.ofConfined();
        if (bytes > KEPT_BYTES) {
            return new Staging(arena, arena.allocate(bytes, Long.BYTES));
        }
        MemorySegment kept = KEPT.get();
        if (kept == null || kept.byteSize() < bytes) {
            kept =
                    Arena.ofAuto()
                            .allocate(Math.max(4096, Long.highestOneBit(bytes) << 1), Long.BYTES);
            KEPT.set(kept);
        }
        return new Staging(arena, kept);
    }

    MemorySegment memory() {
        return memory;
    }

    @Override
    public void close() {
        arena.close();
    }
}
