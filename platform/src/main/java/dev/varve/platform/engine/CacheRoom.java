package dev.varve.platform.engine;

import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotSpan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * Hands out KV slots and state rows. Finished sequences stay resident here, so that a request that
 * begins like one of them need not compute that part again; the one that was used longest ago gives
 * way first.
 */
final class CacheRoom {
    private final ShardPipeline pipeline;
    private final EngineOptions options;
    private final boolean forgets;
    private SlotPool slots;
    private StateRowPool rows;

    /** Owners of spans; compaction moves them. */
    private final List<SequenceState> owners = new ArrayList<>();

    /** Finished sequences, least recently used first. */
    private final Deque<SequenceState> residents = new ArrayDeque<>();

    CacheRoom(ShardPipeline pipeline, EngineOptions options, boolean forgets) {
        this.pipeline = pipeline;
        this.options = options;
        this.forgets = forgets;
        clear();
    }

    /** Forgets all sequences, since the caches lost them. */
    final void clear() {
        slots = new SlotPool(options.slots());
        rows = new StateRowPool(options.stateRows());
        owners.clear();
        residents.clear();
    }

    int totalSlots() {
        return slots.slots();
    }

    int residentSlots() {
        int sum = 0;
        for (SequenceState resident : residents) {
            sum += resident.span.capacity();
        }
        return sum;
    }

    int usedSlots() {
        return slots.slots() - slots.freeSlots() - residentSlots();
    }

    /**
     * A state for these tokens: a resident that begins like them, else an empty one.
     *
     * @param replay how the tokens were computed before, if they were: only a resident that was
     *     computed in the same way will do then
     */
    SequenceState begin(TokenList tokens, CutList replay) {
        SequenceState best = null;
        int bestLength = 0;
        for (SequenceState resident : residents) {
            int length = reusable(resident, tokens);
            int replayed = Math.min(length, replay.end());
            if (length > bestLength && resident.cuts.agrees(replay, replayed)) {
                best = resident;
                bestLength = length;
            }
        }
        SequenceState state = new SequenceState(tokens);
        if (best != null) {
            residents.remove(best);
            owners.remove(best);
            takeOver(state, best, bestLength);
        }
        owners.add(state);
        return state;
    }

    /**
     * Leading tokens that need no computing; at least one token is left, whose logits are wanted.
     */
    private int reusable(SequenceState resident, TokenList tokens) {
        int limit = tokens.size() - 1;
        int common = Math.min(resident.tokens.commonPrefix(tokens), limit);
        if (!forgets) {
            return Math.min(common, resident.computed);
        }
        if (resident.computed <= common) {
            return resident.computed;
        }
        return resident.checkpointRow != Slice.ZERO_ROW && resident.checkpoint <= common
                ? resident.checkpoint
                : 0;
    }

    private void takeOver(SequenceState state, SequenceState from, int length) {
        state.span = from.span;
        state.computed = length;
        state.cuts = from.cuts.upTo(length);
        state.row = from.row;
        state.checkpointRow = from.checkpointRow;
        state.checkpoint = from.checkpoint;
        if (forgets && length != from.computed) {
            if (from.row != from.checkpointRow) {
                rows.release(from.row);
            }
            state.row = from.checkpointRow;
        }
        if (state.checkpoint > length) {
            dropCheckpoint(state);
        }
    }

    /**
     * Makes room for {@code tokens} tokens of a sequence, moving it or evicting residents if need
     * be.
     *
     * @return whether there is room now; nothing changed for the sequence if not
     */
    boolean ensure(SequenceState state, int tokens) {
        int capacity = SlotSpan.roundUp(tokens);
        if (capacity <= state.span.capacity()) {
            return true;
        }
        do {
            Optional<SlotSpan> larger = grow(state, capacity);
            if (larger.isPresent()) {
                state.span = larger.get();
                return true;
            }
        } while (evict());
        return false;
    }

    private Optional<SlotSpan> grow(SequenceState state, int capacity) {
        Optional<SlotSpan> inPlace =
                state.span.capacity() > 0 ? slots.extend(state.span, capacity) : Optional.empty();
        if (inPlace.isPresent()) {
            return inPlace;
        }
        Optional<SlotSpan> elsewhere = slots.take(capacity);
        if (elsewhere.isPresent()) {
            if (state.computed > 0) {
                pipeline.moveSlots(state.span.begin(), elsewhere.get().begin(), state.computed);
            }
            slots.release(state.span);
            return elsewhere;
        }
        if (slots.freeSlots() >= capacity - state.span.capacity()) {
            compact(state);
            return state.span.capacity() > 0
                    ? slots.extend(state.span, capacity)
                    : slots.take(capacity);
        }
        return Optional.empty();
    }

    /**
     * Moves all spans up to that of {@code growing} to the front and the others to the end; one gap
     * remains.
     */
    private void compact(SequenceState growing) {
        List<SequenceState> order = new ArrayList<>(owners);
        order.removeIf(owner -> owner.span.capacity() == 0);
        order.sort(Comparator.comparingInt((SequenceState owner) -> owner.span.begin()));
        int split = order.contains(growing) ? order.indexOf(growing) + 1 : order.size();
        int next = 0;
        for (SequenceState owner : order.subList(0, split)) {
            move(owner, next);
            next = owner.span.end();
        }
        int end = slots.slots();
        for (SequenceState owner : order.subList(split, order.size()).reversed()) {
            move(owner, end - owner.span.capacity());
            end = owner.span.begin();
        }
    }

    private void move(SequenceState owner, int begin) {
        if (owner.span.begin() == begin || owner.span.capacity() == 0) {
            return;
        }
        pipeline.moveSlots(owner.span.begin(), begin, owner.computed);
        int capacity = owner.span.capacity();
        slots.release(owner.span);
        owner.span = slots.takeAt(begin, capacity);
    }

    /** A free row for a current state; residents give way. */
    int takeRow() {
        return takeRow(rows::takeLow);
    }

    /** A free row for a checkpoint; residents give way. */
    int takeCheckpointRow() {
        return takeRow(rows::takeHigh);
    }

    private int takeRow(Supplier<OptionalInt> take) {
        OptionalInt row = take.get();
        while (row.isEmpty() && evict()) {
            row = take.get();
        }
        return row.orElseThrow(
                () ->
                        new IllegalStateException(
                                "running sequences hold more rows than were planned"));
    }

    void releaseRow(int row) {
        rows.release(row);
    }

    void dropCheckpoint(SequenceState state) {
        if (state.checkpointRow != Slice.ZERO_ROW && state.checkpointRow != state.row) {
            rows.release(state.checkpointRow);
        }
        state.checkpointRow = Slice.ZERO_ROW;
        state.checkpoint = 0;
    }

    /** Keeps a finished sequence until its room is needed. */
    void keep(SequenceState state) {
        if (state.computed == 0) {
            drop(state);
        } else {
            residents.addLast(state);
        }
    }

    /** Frees a sequence's slots and rows. */
    void drop(SequenceState state) {
        owners.remove(state);
        slots.release(state.span);
        state.span = new SlotSpan(0, 0);
        dropCheckpoint(state);
        rows.release(state.row);
        state.row = Slice.ZERO_ROW;
        state.computed = 0;
    }

    private boolean evict() {
        SequenceState oldest = residents.pollFirst();
        if (oldest == null) {
            return false;
        }
        drop(oldest);
        return true;
    }
}
