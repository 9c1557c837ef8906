package dev.varve.plugin.kvevents.zmq;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest published batches, for subscribers that missed some. Thread-safe. */
final class ReplayBuffer {
    private final int mostBatches;
    private final long mostBytes;
    private final Deque<Batch> batches = new ArrayDeque<>();
    private long bytes;
    private long next;

    /** Events with their number, which counts from 0 without gaps. */
    record Batch(long number, byte[] payload) {}

    ReplayBuffer(int mostBatches, long mostBytes) {
        this.mostBatches = mostBatches;
        this.mostBytes = mostBytes;
    }

    /** Adds events, and drops the oldest ones. */
    synchronized Batch add(byte[] payload) {
        Batch batch = new Batch(next++, payload);
        batches.addLast(batch);
        bytes += payload.length;
        while (batches.size() > mostBatches || bytes > mostBytes && batches.size() > 1) {
            bytes -= batches.removeFirst().payload().length;
        }
        return batch;
    }

    /** Returns the batches that are kept, from a number on. */
    synchronized List<Batch> from(long number) {
        return batches.stream().filter(batch -> batch.number() >= number).toList();
    }
}
