package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/** A {@code llama_batch} that grows token by token; each token belongs to one sequence. */
final class OracleBatch {
    private final MemorySegment struct;
    private final MemorySegment tokens;
    private final MemorySegment positions;
    private final MemorySegment sequences;
    private final MemorySegment outputs;
    private final int capacity;
    private int size;

    OracleBatch(Arena arena, int capacity) {
        this.capacity = capacity;
        SegmentAllocator allocator = arena;
        struct = allocator.allocate(LlamaLayouts.BATCH);
        tokens = allocator.allocate(JAVA_INT, capacity);
        positions = allocator.allocate(JAVA_INT, capacity);
        sequences = allocator.allocate(JAVA_INT, capacity);
        outputs = allocator.allocate(JAVA_BYTE, capacity);
        MemorySegment counts = allocator.allocate(JAVA_INT, capacity);
        MemorySegment sequencePointers = allocator.allocate(ADDRESS, capacity);
        for (int i = 0; i < capacity; i++) {
            counts.setAtIndex(JAVA_INT, i, 1);
            sequencePointers.setAtIndex(ADDRESS, i, sequences.asSlice((long) i * Integer.BYTES));
        }
        LlamaLayouts.setAddress(struct, LlamaLayouts.BATCH, "token", tokens);
        LlamaLayouts.setAddress(struct, LlamaLayouts.BATCH, "embd", MemorySegment.NULL);
        LlamaLayouts.setAddress(struct, LlamaLayouts.BATCH, "pos", positions);
        LlamaLayouts.setAddress(struct, LlamaLayouts.BATCH, "n_seq_id", counts);
        LlamaLayouts.setAddress(struct, LlamaLayouts.BATCH, "seq_id", sequencePointers);
        LlamaLayouts.setAddress(struct, LlamaLayouts.BATCH, "logits", outputs);
    }

    /** One whose tokens are given by their embeddings, {@code F32 [width, capacity]}. */
    static OracleBatch ofEmbeddings(Arena arena, float[][] rows) {
        OracleBatch batch = new OracleBatch(arena, rows.length);
        int width = rows[0].length;
        SegmentAllocator allocator = arena;
        MemorySegment all = allocator.allocate(JAVA_FLOAT, (long) rows.length * width);
        for (int i = 0; i < rows.length; i++) {
            MemorySegment.copy(rows[i], 0, all, JAVA_FLOAT, 4L * i * width, width);
            batch.add(0, i, 0, false);
        }
        LlamaLayouts.setAddress(batch.struct, LlamaLayouts.BATCH, "token", MemorySegment.NULL);
        LlamaLayouts.setAddress(batch.struct, LlamaLayouts.BATCH, "embd", all);
        return batch;
    }

    void clear() {
        size = 0;
    }

    void add(int token, int position, int sequence, boolean output) {
        if (size == capacity) {
            throw new IllegalStateException("the batch holds " + capacity + " tokens already");
        }
        tokens.setAtIndex(JAVA_INT, size, token);
        positions.setAtIndex(JAVA_INT, size, position);
        sequences.setAtIndex(JAVA_INT, size, sequence);
        outputs.set(JAVA_BYTE, size, (byte) (output ? 1 : 0));
        size++;
    }

    int size() {
        return size;
    }

    MemorySegment struct() {
        LlamaLayouts.setInt(struct, LlamaLayouts.BATCH, "n_tokens", size);
        return struct;
    }
}
