package dev.varve.platform.sequence;

import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.SlotPositionMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Allocates the spans of sequences in the KV pool, and records the copies that moves require. The
 * next batch makes the copies.
 */
final class KvSlotAllocator {
    private final KvSlotPool slots;

    /** Owners of spans; compaction moves them. */
    private final List<SequenceCache> owners = new ArrayList<>();

    /** Moves for the next batch, in this order. */
    private final List<KvRowOperation> moves = new ArrayList<>();

    KvSlotAllocator(int slots) {
        this.slots = new KvSlotPool(slots);
    }

    int slots() {
        return slots.slots();
    }

    /** Sequences that have a span. */
    List<SequenceCache> owners() {
        return owners;
    }

    int freeSlots() {
        return slots.freeSlots();
    }

    /** Takes the moves that must precede the next computation. */
    List<KvRowOperation> takeMoves() {
        List<KvRowOperation> result = List.copyOf(moves);
        moves.clear();
        return result;
    }

    /** Appends a move. */
    void add(KvRowOperation move) {
        moves.add(move);
    }

    /** Adds a sequence, which has no span yet. */
    void add(SequenceCache owner) {
        owners.add(owner);
    }

    /** Frees a sequence's span. */
    void remove(SequenceCache owner) {
        owners.remove(owner);
        slots.release(owner.span());
    }

    /** Gives the span of a sequence to another one, which has none; the first one leaves. */
    void handOver(SequenceCache from, SequenceCache to) {
        owners.remove(from);
        to.setSpan(from.span());
        owners.add(to);
    }

    /**
     * Gives a sequence its own span, with copies of the first rows of another one.
     *
     * @param capacity number of slots; as many must be free
     * @param count number of rows; all slots of the other one are copied if its pages are not in
     *     order
     */
    void placeCopy(SequenceCache from, SequenceCache to, int capacity, int count) {
        to.setSpan(place(capacity).orElseThrow());
        int slots = to.map().isStraight() ? count : from.span().capacity();
        moves.add(new KvSlotCopy(from.span().begin(), to.span().begin(), slots));
        owners.add(to);
    }

    /**
     * Moves the rows of a path to the slots of the first tokens.
     *
     * @param position of the first token
     */
    void gather(SequenceCache owner, int position, AcceptedPath path) {
        SlotPositionMap map = owner.map();
        for (AcceptedPath.Move move : path.moves()) {
            int done = 0;
            while (done < move.count()) {
                int from = map.offset(position + move.from() + done);
                int to = map.offset(position + move.to() + done);
                int most = map.isStraight() ? move.count() : Math.min(inRun(from), inRun(to));
                int count = Math.min(move.count() - done, most);
                int first = owner.span().begin();
                moves.add(new KvSlotCopy(first + from, first + to, count));
                done += count;
            }
        }
    }

    /** Number of slots from an offset to the end of its page. */
    private static int inRun(int offset) {
        return Pages.TOKENS - offset % Pages.TOKENS;
    }

    /** Enlarges a span, in place or by a move; returns whether that was possible. */
    boolean grow(SequenceCache owner, int capacity) {
        Optional<KvSlotSpan> larger =
                owner.span().capacity() == 0 ? place(capacity) : extend(owner, capacity);
        larger.ifPresent(owner::setSpan);
        return larger.isPresent();
    }

    private Optional<KvSlotSpan> extend(SequenceCache owner, int capacity) {
        Optional<KvSlotSpan> inPlace = slots.extend(owner.span(), capacity);
        if (inPlace.isPresent()) {
            return inPlace;
        }
        Optional<KvSlotSpan> elsewhere = slots.allocate(capacity);
        if (elsewhere.isPresent()) {
            copyRows(owner, elsewhere.get().begin());
            slots.release(owner.span());
            return elsewhere;
        }
        if (slots.freeSlots() >= capacity - owner.span().capacity()) {
            compact(Optional.of(owner));
            return slots.extend(owner.span(), capacity);
        }
        return Optional.empty();
    }

    private void copyRows(SequenceCache owner, int begin) {
        if (owner.computed() > 0) {
            moves.add(new KvSlotCopy(owner.span().begin(), begin, owner.slotsInUse()));
        }
    }

    /** Takes a new span; moves the others if no gap is large enough. */
    private Optional<KvSlotSpan> place(int capacity) {
        Optional<KvSlotSpan> span = slots.allocate(capacity);
        if (span.isEmpty() && slots.freeSlots() >= capacity) {
            compact(Optional.empty());
            span = slots.allocate(capacity);
        }
        return span;
    }

    /**
     * Moves all spans up to that of {@code growing} to the front and the others to the end; one gap
     * remains.
     */
    private void compact(Optional<SequenceCache> growing) {
        List<SequenceCache> order = new ArrayList<>(owners);
        order.removeIf(owner -> owner.span().capacity() == 0);
        order.sort(Comparator.comparingInt((SequenceCache owner) -> owner.span().begin()));
        int split = growing.map(owner -> order.indexOf(owner) + 1).orElse(order.size());
        int next = 0;
        for (SequenceCache owner : order.subList(0, split)) {
            move(owner, next);
            next = owner.span().end();
        }
        int end = slots.slots();
        for (SequenceCache owner : order.subList(split, order.size()).reversed()) {
            move(owner, end - owner.span().capacity());
            end = owner.span().begin();
        }
    }

    private void move(SequenceCache owner, int begin) {
        if (owner.span().begin() == begin) {
            return;
        }
        copyRows(owner, begin);
        int capacity = owner.span().capacity();
        slots.release(owner.span());
        owner.setSpan(slots.allocateAt(begin, capacity));
    }
}
