package dev.varve.platform.engine;

import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotCopy;
import dev.varve.platform.shard.SlotSpan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Hands out KV slots and state rows. Finished sequences stay resident here, so that a request that
 * begins like one of them need not compute that part again; the one that was used longest ago gives
 * way first. Nothing gives way for a sequence that does not get its room in the end.
 *
 * <p>Rows that must move are only noted: {@link #takeCopies} gives them to the next batch.
 */
final class CacheRoom {
    private final EngineOptions options;
    private final boolean forgets;
    private SlotPool slots;
    private StateRowPool rows;

    /** Owners of spans; compaction moves them. */
    private final List<SequenceState> owners = new ArrayList<>();

    /** Finished sequences, least recently used first. */
    private final Deque<SequenceState> residents = new ArrayDeque<>();

    /** Copies that the next batch has to make, in this order. */
    private final List<SlotCopy> copies = new ArrayList<>();

    CacheRoom(EngineOptions options, boolean forgets) {
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
        copies.clear();
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

    /** Slots that are free, or would be without residents. */
    private int obtainableSlots() {
        return slots.freeSlots() + residentSlots();
    }

    /** What must be copied before anything is computed. */
    List<SlotCopy> takeCopies() {
        List<SlotCopy> result = List.copyOf(copies);
        copies.clear();
        return result;
    }

    /**
     * A sequence with room for a prompt and the token after it, beginning with what a resident has
     * computed of it already.
     *
     * @param spareSlots slots that must remain for others
     * @return empty, and nothing is changed, if there is not enough room
     */
    Optional<SequenceState> begin(CacheRequest request, int spareSlots) {
        int capacity = SlotSpan.roundUp(request.tokens().size() + 1);
        if (obtainableSlots() < capacity + spareSlots) {
            return Optional.empty();
        }
        SequenceState state = new SequenceState(request.tokens(), request.scope());
        Optional<Match> found = find(request);
        if (found.isPresent()) {
            Match match = found.get();
            if (mayFork(match, capacity)) {
                fork(state, match, capacity);
            } else {
                takeOver(state, match);
            }
        }
        owners.add(state);
        if (!ensure(state, request.tokens().size() + 1)) {
            throw new IllegalStateException("room for " + capacity + " slots was promised");
        }
        return Optional.of(state);
    }

    /** A resident that begins like a request, and how far. */
    private record Match(SequenceState resident, int length) {
        /** Whether nothing is lost if the request goes on where the resident ends. */
        boolean extendsResident() {
            return length == resident.computed && resident.output.isEmpty();
        }
    }

    private Optional<Match> find(CacheRequest request) {
        Optional<Match> best = Optional.empty();
        for (SequenceState resident : residents) {
            int length = resident.scope.equals(request.scope()) ? reusable(resident, request) : 0;
            if (length > best.map(Match::length).orElse(0)) {
                best = Optional.of(new Match(resident, length));
            }
        }
        return best;
    }

    /** Leading tokens that need no computing, up to a position at which a forward ended. */
    private int reusable(SequenceState resident, CacheRequest request) {
        int common = resident.tokens.commonPrefix(request.tokens());
        if (common == request.tokens().size()
                && common == resident.computed
                && request.mayTakeOutput(resident)) {
            return common;
        }
        // One token is left, whose logits are wanted.
        int limit = Math.min(common, request.tokens().size() - 1);
        return forgets ? kept(resident, request, limit) : rewound(resident, request, limit);
    }

    /** For state that cannot be cut back: the resident's end or its checkpoint. */
    private static int kept(SequenceState resident, CacheRequest request, int limit) {
        if (resident.computed <= limit && request.agrees(resident, resident.computed)) {
            return resident.computed;
        }
        boolean usable =
                resident.checkpointRow != Slice.ZERO_ROW
                        && resident.checkpoint <= limit
                        && request.agrees(resident, resident.checkpoint);
        return usable ? resident.checkpoint : 0;
    }

    private static int rewound(SequenceState resident, CacheRequest request, int limit) {
        int length = resident.cuts.floor(Math.min(limit, resident.computed));
        return request.agrees(resident, length)
                ? length
                : resident.cuts.agreement(request.replay(), length);
    }

    /**
     * Whether a resident can stay as it is. It is not worth a copy where it is only extended, and
     * makes room where its own is needed.
     */
    private boolean mayFork(Match match, int capacity) {
        return !match.extendsResident()
                && obtainableSlots() - match.resident().span.capacity() >= capacity
                && hasRowForFork(Optional.of(match.resident()));
    }

    /**
     * Whether a fork will find a row to write to, without the eviction of what it is forked from.
     */
    private boolean hasRowForFork(Optional<SequenceState> source) {
        return rows.freeRows() > 0
                || residents.stream()
                        .filter(resident -> source.isEmpty() || resident != source.get())
                        .anyMatch(this::holdsRowAlone);
    }

    private boolean holdsRowAlone(SequenceState resident) {
        return IntStream.of(resident.row, resident.checkpointRow)
                .anyMatch(row -> row != Slice.ZERO_ROW && !rows.isShared(row));
    }

    private void fork(SequenceState state, Match match, int capacity) {
        SequenceState resident = match.resident();
        // It gives way last, and not at all here.
        residents.remove(resident);
        while (slots.freeSlots() < capacity) {
            evict();
        }
        residents.addLast(resident);
        state.span = place(capacity).orElseThrow();
        copies.add(new SlotCopy(resident.span.begin(), state.span.begin(), match.length()));
        adopt(state, match);
        shareRows(state);
    }

    /** One more holder of a state's rows, each of which counts once. */
    private void shareRows(SequenceState state) {
        rows.share(state.row);
        if (state.checkpointRow != state.row) {
            rows.share(state.checkpointRow);
        }
    }

    private void takeOver(SequenceState state, Match match) {
        SequenceState resident = match.resident();
        residents.remove(resident);
        owners.remove(resident);
        state.span = resident.span;
        adopt(state, match);
        IntStream.of(resident.row, resident.checkpointRow)
                .distinct()
                .filter(row -> row != state.row && row != state.checkpointRow)
                .forEach(rows::release);
    }

    /** Lets a sequence begin with what a resident holds. */
    private void adopt(SequenceState state, Match match) {
        SequenceState resident = match.resident();
        state.computed = match.length();
        state.cuts = resident.cuts.upTo(match.length());
        if (resident.checkpoint <= match.length()) {
            state.checkpointRow = resident.checkpointRow;
            state.checkpoint = resident.checkpoint;
        }
        boolean whole = match.length() == resident.computed;
        state.row = whole || !forgets ? resident.row : resident.checkpointRow;
        state.output = whole ? resident.output : Optional.empty();
    }

    /**
     * Keeps a copy of a sequence as it is, with what its last token gave, for requests of the same
     * prompt. Does nothing where there is no room for it.
     */
    void keepCopy(SequenceState state, TokenOutput output) {
        int capacity = SlotSpan.roundUp(state.computed);
        if (obtainableSlots() < capacity || !hasRowForFork(Optional.empty())) {
            return;
        }
        while (slots.freeSlots() < capacity) {
            evict();
        }
        SlotSpan span = place(capacity).orElseThrow();
        SequenceState copy = new SequenceState(state.tokens.first(state.computed), state.scope);
        copy.span = span;
        copies.add(new SlotCopy(state.span.begin(), copy.span.begin(), state.computed));
        copy.computed = state.computed;
        copy.cuts = state.cuts.upTo(state.computed);
        copy.row = state.row;
        copy.checkpointRow = state.checkpointRow;
        copy.checkpoint = state.checkpoint;
        shareRows(copy);
        copy.output = Optional.of(output);
        owners.add(copy);
        residents.addLast(copy);
    }

    /**
     * Makes room for {@code tokens} tokens of a sequence, moving it or evicting residents if need
     * be.
     *
     * @return whether there is room now; nothing changed if not
     */
    boolean ensure(SequenceState state, int tokens) {
        int capacity = SlotSpan.roundUp(tokens);
        int more = capacity - state.span.capacity();
        if (more <= 0) {
            return true;
        }
        if (obtainableSlots() < more) {
            return false;
        }
        Optional<SlotSpan> larger = grow(state, capacity);
        while (larger.isEmpty() && evict()) {
            larger = grow(state, capacity);
        }
        state.span = larger.orElseThrow();
        return true;
    }

    private Optional<SlotSpan> grow(SequenceState state, int capacity) {
        if (state.span.capacity() == 0) {
            return place(capacity);
        }
        Optional<SlotSpan> inPlace = slots.extend(state.span, capacity);
        if (inPlace.isPresent()) {
            return inPlace;
        }
        Optional<SlotSpan> elsewhere = slots.take(capacity);
        if (elsewhere.isPresent()) {
            if (state.computed > 0) {
                copies.add(
                        new SlotCopy(state.span.begin(), elsewhere.get().begin(), state.computed));
            }
            slots.release(state.span);
            return elsewhere;
        }
        if (slots.freeSlots() >= capacity - state.span.capacity()) {
            compact(Optional.of(state));
            return slots.extend(state.span, capacity);
        }
        return Optional.empty();
    }

    /** A new span; the others move if no gap is large enough. */
    private Optional<SlotSpan> place(int capacity) {
        Optional<SlotSpan> span = slots.take(capacity);
        if (span.isEmpty() && slots.freeSlots() >= capacity) {
            compact(Optional.empty());
            span = slots.take(capacity);
        }
        return span;
    }

    /**
     * Moves all spans up to that of {@code growing} to the front and the others to the end; one gap
     * remains.
     */
    private void compact(Optional<SequenceState> growing) {
        List<SequenceState> order = new ArrayList<>(owners);
        order.removeIf(owner -> owner.span.capacity() == 0);
        order.sort(Comparator.comparingInt((SequenceState owner) -> owner.span.begin()));
        int split = growing.map(state -> order.indexOf(state) + 1).orElse(order.size());
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
        if (owner.span.begin() == begin) {
            return;
        }
        if (owner.computed > 0) {
            copies.add(new SlotCopy(owner.span.begin(), begin, owner.computed));
        }
        int capacity = owner.span.capacity();
        slots.release(owner.span);
        owner.span = slots.takeAt(begin, capacity);
    }

    /**
     * The row that the next forward of a sequence writes: its own, unless that is the zero row, its
     * checkpoint or shared with forks. Residents give way.
     */
    int nextRow(SequenceState state) {
        OptionalInt row = mustKeepRow(state) ? rows.takeLow() : OptionalInt.of(state.row);
        while (row.isEmpty() && evict()) {
            // The resident may have been the one that shared it.
            row = mustKeepRow(state) ? rows.takeLow() : OptionalInt.of(state.row);
        }
        return row.orElseThrow(CacheRoom::tooManyRows);
    }

    private boolean mustKeepRow(SequenceState state) {
        return state.row == Slice.ZERO_ROW
                || state.row == state.checkpointRow
                || rows.isShared(state.row);
    }

    /** A free row for a checkpoint; residents give way. */
    int takeCheckpointRow() {
        OptionalInt row = rows.takeHigh();
        while (row.isEmpty() && evict()) {
            row = rows.takeHigh();
        }
        return row.orElseThrow(CacheRoom::tooManyRows);
    }

    private static IllegalStateException tooManyRows() {
        return new IllegalStateException("running sequences hold more rows than were planned");
    }

    /** A sequence's state is in another row from now on. */
    void enterRow(SequenceState state, int row) {
        if (row != state.row) {
            if (state.row != state.checkpointRow) {
                rows.release(state.row);
            }
            state.row = row;
        }
    }

    void dropCheckpoint(SequenceState state) {
        if (state.checkpointRow != state.row) {
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
