package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;
import dev.varve.platform.preemption.PreemptionPoint;

import java.util.Arrays;

/**
 * Merges the symbols of one word: repeatedly merges the neighbours whose rule has the lowest rank,
 * the leftmost on ties.
 *
 * <p>A word may be a whole line or a document without spaces, so pairs are kept in a heap ordered
 * by rank and position, and the symbols form a linked list: O(n log n). Plain arrays are reused,
 * since this runs for every word. Use: {@link #start}, {@link #add} each symbol, {@link #merge},
 * then iterate from 0 with {@link #next}. For one thread.
 */
final class MergeLoop {
    /** Maximum capacity that is kept after a long word. */
    private static final int KEPT_CAPACITY = 1 << 16;

    /** Merging this number of symbols takes some tenths of a millisecond. */
    private static final int SYMBOLS_PER_POINT = 1024;

    private final int most;

    /** Symbols and merges since the last preemption point. */
    private int sincePoint;

    private int[] symbols = new int[64];

    /** Begin of the symbol in the text. */
    private int[] starts = new int[64];

    private int[] previous = new int[64];
    private int[] next = new int[64];

    /**
     * Rank of the rule for a symbol and its right neighbour; -1 for none and for merged symbols.
     */
    private int[] ranks = new int[64];

    private int count;

    /**
     * {@code rank << 32 | index of the left symbol}; entries that {@link #ranks} contradicts are
     * stale.
     */
    private long[] heap = new long[128];

    private int heapSize;

    /** Creates a loop for words of at most {@code most} symbols. */
    MergeLoop(int most) {
        this.most = most;
    }

    MergeLoop() {
        this(Integer.MAX_VALUE);
    }

    void start() {
        count = 0;
        heapSize = 0;
        if (symbols.length > KEPT_CAPACITY) {
            resize(64);
            heap = new long[128];
        }
    }

    /**
     * Appends a symbol that begins at byte {@code start}; {@code -1} for a symbol without rules.
     */
    void add(int symbol, int start) {
        if (count == symbols.length || count == most) {
            if (count == most) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        "the text has a word of more than " + most + " characters");
            }
            resize((int) Math.min(count * 2L, most));
        }
        symbols[count] = symbol;
        starts[count] = start;
        previous[count] = count - 1;
        next[count] = count + 1;
        ranks[count] = -1;
        count++;
    }

    void merge(MergeRules rules) {
        for (int left = 0; left < count - 1; left++) {
            mayWait();
            enqueue(left, left + 1, rules);
        }
        while (heapSize > 0) {
            mayWait();
            long top = poll();
            int left = (int) top;
            int rank = (int) (top >>> 32);
            if (ranks[left] == rank) {
                join(left, rules.merged(symbols[left], symbols[next[left]], rank), rules);
            }
        }
    }

    /** Counts a word or a symbol, and reaches a preemption point from time to time. */
    void mayWait() {
        if (++sincePoint == SYMBOLS_PER_POINT) {
            sincePoint = 0;
            PreemptionPoint.reach();
        }
    }

    /** Number of symbols added; the index that ends the iteration. */
    int end() {
        return count;
    }

    int next(int index) {
        return next[index];
    }

    int symbol(int index) {
        return symbols[index];
    }

    int start(int index) {
        return starts[index];
    }

    private void join(int left, int symbol, MergeRules rules) {
        int right = next[left];
        int after = next[right];
        symbols[left] = symbol;
        next[left] = after;
        ranks[left] = -1;
        ranks[right] = -1;
        if (after < count) {
            previous[after] = left;
            enqueue(left, after, rules);
        }
        if (previous[left] >= 0) {
            enqueue(previous[left], left, rules);
        }
    }

    private void enqueue(int left, int right, MergeRules rules) {
        int rank = rules.rank(symbols[left], symbols[right]);
        ranks[left] = rank;
        if (rank >= 0) {
            push((long) rank << 32 | left);
        }
    }

    private void push(long entry) {
        if (heapSize == heap.length) {
            heap = Arrays.copyOf(heap, heapSize * 2);
        }
        int hole = heapSize++;
        while (hole > 0 && heap[hole - 1 >>> 1] > entry) {
            heap[hole] = heap[hole - 1 >>> 1];
            hole = hole - 1 >>> 1;
        }
        heap[hole] = entry;
    }

    private long poll() {
        long top = heap[0];
        long last = heap[--heapSize];
        int hole = 0;
        for (int child = 1; child < heapSize; child = 2 * hole + 1) {
            if (child + 1 < heapSize && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= last) {
                break;
            }
            heap[hole] = heap[child];
            hole = child;
        }
        heap[hole] = last;
        return top;
    }

    private void resize(int capacity) {
        symbols = Arrays.copyOf(symbols, capacity);
        starts = Arrays.copyOf(starts, capacity);
        previous = Arrays.copyOf(previous, capacity);
        next = Arrays.copyOf(next, capacity);
        ranks = Arrays.copyOf(ranks, capacity);
    }
}
