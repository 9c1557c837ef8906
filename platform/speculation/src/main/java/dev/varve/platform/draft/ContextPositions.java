package dev.varve.platform.draft;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Context positions of each sequence in the cache: a run of consecutive ones, at most the slots of
 * a ring. A sequence that skips positions restarts.
 */
final class ContextPositions {
    /** Positions of a sequence, from {@code begin} to before {@code end}. */
    static final class PositionRange {
        private final int region;
        private int begin;
        private int end;

        private PositionRange(int region, int position) {
            this.region = region;
            begin = position;
            end = position;
        }

        int region() {
            return region;
        }

        int begin() {
            return begin;
        }

        int end() {
            return end;
        }

        int count() {
            return end - begin;
        }

        /** Drops all positions. */
        void restart(int position) {
            begin = position;
            end = position;
        }

        /** Adds a position; overwrites the oldest if the ring is full. */
        void append(int capacity) {
            end++;
            begin = Math.max(begin, end - capacity);
        }
    }

    private final Map<Long, PositionRange> rings = new HashMap<>();
    private final Deque<Integer> free = new ArrayDeque<>();

    /**
     * @param regions maximum number of sequences
     */
    ContextPositions(int regions) {
        IntStream.range(0, regions).forEach(free::add);
    }

    Optional<PositionRange> find(long sequence) {
        return Optional.ofNullable(rings.get(sequence));
    }

    /** Returns the ring of a sequence, or a new one that begins here; empty if all are used. */
    Optional<PositionRange> findOrOpen(long sequence, int position) {
        PositionRange ring = rings.get(sequence);
        if (ring == null && !free.isEmpty()) {
            ring = new PositionRange(free.pop(), position);
            rings.put(sequence, ring);
        }
        return Optional.ofNullable(ring);
    }

    /** Frees a ring; empty if there was none. */
    Optional<PositionRange> remove(long sequence) {
        Optional<PositionRange> ring = Optional.ofNullable(rings.remove(sequence));
        ring.ifPresent(gone -> free.push(gone.region()));
        return ring;
    }

    boolean isEmpty() {
        return rings.isEmpty();
    }
}
