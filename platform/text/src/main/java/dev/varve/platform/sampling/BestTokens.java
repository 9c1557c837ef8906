package dev.varve.platform.sampling;

import java.util.Arrays;

/**
 * The best few tokens of a row, in a heap with the worst of them at the root. Higher logits first,
 * then lower ids.
 */
final class BestTokens {
    private final long[] heap;
    private int size;

    BestTokens(int capacity) {
        this.heap = new long[capacity];
    }

    void add(int token, float logit) {
        // The complement of the id makes the lower of two equal tokens the better one.
        long key = (long) Candidates.sortKey(logit) << 32 | ~token & 0xFFFFFFFFL;
        if (size < heap.length) {
            heap[size] = key;
            siftUp(size++);
        } else if (size > 0 && key > heap[0]) {
            heap[0] = key;
            siftDown();
        }
    }

    /**
     * Returns whether a token of this logit could still enter, if its id is above all offered so
     * far.
     */
    boolean isCandidate(float logit) {
        return size < heap.length || size > 0 && Candidates.sortKey(logit) > (int) (heap[0] >> 32);
    }

    /** Returns the ids, best first. */
    int[] ids() {
        long[] sorted = Arrays.copyOf(heap, size);
        Arrays.sort(sorted);
        int[] ids = new int[size];
        for (int i = 0; i < size; i++) {
            ids[i] = ~(int) sorted[size - 1 - i];
        }
        return ids;
    }

    private void siftUp(int start) {
        int child = start;
        while (child > 0 && heap[child] < heap[(child - 1) / 2]) {
            swap(child, (child - 1) / 2);
            child = (child - 1) / 2;
        }
    }

    private void siftDown() {
        int parent = 0;
        while (2 * parent + 1 < size) {
            int child = 2 * parent + 1;
            if (child + 1 < size && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[parent] <= heap[child]) {
                return;
            }
            swap(parent, child);
            parent = child;
        }
    }

    private void swap(int a, int b) {
        long kept = heap[a];
        heap[a] = heap[b];
        heap[b] = kept;
    }
}
