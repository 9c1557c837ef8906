package dev.varve.plugin.kvevents.zmq;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last batches that were told, for those who missed some. Thread-safe. */
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

    /** Keeps events; those that came first go. */
    synchronized Batch add(byte[] payload) {
        Batch batch = new Batch(next++, payload);
        batches.addLast(batch);
        bytes += payload.length;
        while (batches.size() > mostBatches || bytes > mostBytes && batches.size() > 1) {
            bytes -= batches.removeFirst().payload().length;
        }
        return batch;
    }

    /** What there is from a number on. */
    synchronized List<Batch> from(long number) {
        return batches.stream().filter(batch -> batch.number() >= number).toList();
    }
}
