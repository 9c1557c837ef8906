package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The caches of a {@link PlainShard}, all of them F32: a K and a V row per slot and layer, and per
 * state row the rows of a window or a recurrent state. Slots and state rows record the positions
 * that they hold. The caches refuse to read any other position instead of returning wrong numbers.
 */
final class PlainCaches {
    private static final int HEAD = PlainModel.HEAD;
    private static final int CONVOLUTION = (PlainModel.TAPS - 1) * PlainModel.WIDTH;

    /** Rows of the positions that are kept, oldest first. */
    record Window(List<float[]> keys, List<float[]> values) {
        static final Window EMPTY = new Window(List.of(), List.of());
    }

    /**
     * A recurrent state; never changed.
     *
     * @param inputs the last inputs of the convolution, oldest first
     * @param matrix {@code [HEAD, HEAD]}
     */
    record State(float[] inputs, float[] matrix) {
        static final State EMPTY = new State(new float[CONVOLUTION], new float[HEAD * HEAD]);
    }

    private static final RowLayout LAYOUT = new RowLayout(GgmlType.F32, HEAD, GgmlType.F32, HEAD);

    /** Ends of a state row that nobody may read before it is settled what counts of it. */
    static final int UNSETTLED = -1;

    /** Rollback data of a layer for a drafted chunk: a state or a window after each token. */
    private record RollbackEntry(ChunkPlacement place, List<Object> afterEach) {}

    private final int slots;
    private final int stateRows;
    private final PlainPages pages = new PlainPages();

    /** Per slot, the position that it holds plus 1; 0 where nothing was written. */
    private final int[] held;

    /** Per state row, the positions that went into it; 0 where nothing was written. */
    private final int[] ends;

    private final Map<Integer, float[]> keys = new TreeMap<>();
    private final Map<Integer, float[]> values = new TreeMap<>();
    private final Map<Integer, Window[]> windows = new TreeMap<>();
    private final Map<Integer, State[]> states = new TreeMap<>();
    private final Map<Integer, Integer> windowRows = new HashMap<>();

    /** By layer and number of the stash. */
    private final Map<Integer, Map<Integer, RollbackEntry>> rollbackEntries = new TreeMap<>();

    PlainCaches(List<LayerState> layers, LayerRange range, int slots, int stateRows) {
        this.slots = slots;
        this.stateRows = stateRows;
        held = new int[slots];
        ends = new int[stateRows];
        for (int layer = range.begin(); layer < range.end(); layer++) {
            switch (layers.get(layer)) {
                case LayerState.FullAttention full -> {
                    keys.put(layer, new float[slots * HEAD]);
                    values.put(layer, new float[slots * HEAD]);
                }
                case LayerState.SlidingAttention sliding -> {
                    windowRows.put(layer, sliding.window() - 1);
                    windows.put(layer, new Window[stateRows]);
                }
                case LayerState.Recurrent recurrent -> states.put(layer, new State[stateRows]);
                case LayerState other ->
                        throw new IllegalArgumentException(
                                "layer " + layer + " is no plain one: " + other);
            }
        }
    }

    /** Bytes of full caches. */
    long bytes() {
        long rows = 0;
        for (int kept : windowRows.values()) {
            rows += (long) kept * stateRows;
        }
        return Float.BYTES
                * (2L * HEAD * ((long) slots * keys.size() + rows)
                        + (long) stateRows * states.size() * (CONVOLUTION + HEAD * HEAD));
    }

    /** Whether state rows hold anything. */
    boolean keepsState() {
        return !windows.isEmpty() || !states.isEmpty();
    }

    /** Forgets everything. */
    void clear() {
        Arrays.fill(held, 0);
        Arrays.fill(ends, 0);
        rollbackEntries.clear();
        pages.clear();
    }

    /** Pages in host memory. */
    PlainPages pages() {
        return pages;
    }

    /** Does what a change of the caches asks for. */
    void make(KvRowOperation move) {
        switch (move) {
            case KvSlotCopy copy -> copy(copy);
            case PageMove(long page, int slot, PageMove.Direction direction) -> {
                requireSlots(slot, Pages.TOKENS);
                if (keys.isEmpty()) {
                    return;
                }
                if (direction == PageMove.Direction.OUT) {
                    moveOut(pages.make(page), slot);
                } else {
                    moveIn(pages.require(page), slot);
                }
            }
            case HostPageFree(long page) -> pages.drop(page);
        }
    }

    private void moveOut(PlainPages.Page page, int slot) {
        System.arraycopy(held, slot, page.held(), 0, Pages.TOKENS);
        int from = slot * HEAD;
        int to = from + Pages.TOKENS * HEAD;
        keys.forEach((layer, rows) -> page.keys().put(layer, Arrays.copyOfRange(rows, from, to)));
        values.forEach(
                (layer, rows) -> page.values().put(layer, Arrays.copyOfRange(rows, from, to)));
    }

    private void moveIn(PlainPages.Page page, int slot) {
        System.arraycopy(page.held(), 0, held, slot, Pages.TOKENS);
        int count = Pages.TOKENS * HEAD;
        page.keys()
                .forEach(
                        (layer, rows) ->
                                System.arraycopy(rows, 0, keys.get(layer), slot * HEAD, count));
        page.values()
                .forEach(
                        (layer, rows) ->
                                System.arraycopy(rows, 0, values.get(layer), slot * HEAD, count));
    }

    /** Begins to keep what a layer is after each token of a chunk, if that is drafted. */
    void beginRollback(int layer, ChunkPlacement place) {
        if (place.isDrafted()) {
            rollbackEntries
                    .computeIfAbsent(layer, key -> new TreeMap<>())
                    .put(place.rollbackBuffer(), new RollbackEntry(place, new ArrayList<>()));
        }
    }

    /** Keeps a state or a window after the next token. */
    void recordRollback(int layer, ChunkPlacement place, Object after) {
        if (place.isDrafted()) {
            rollbackEntries.get(layer).get(place.rollbackBuffer()).afterEach().add(after);
        }
    }

    /** Settles how many tokens of a drafted chunk count; each is settled once. */
    void commit(StateCommit commit) {
        requireRow(commit.writeRow());
        if (keepsState() && ends[commit.writeRow()] != UNSETTLED) {
            throw new IllegalArgumentException(commit + " of a row that is settled");
        }
        rollbackEntries.forEach(
                (layer, own) -> {
                    RollbackEntry entry = own.remove(commit.rollbackBuffer());
                    if (entry == null
                            || entry.place().readRow() != commit.readRow()
                            || entry.place().writeRow() != commit.writeRow()
                            || entry.place().firstPosition() != commit.firstPosition()) {
                        throw new IllegalArgumentException(commit + " of " + entry);
                    }
                    switch (entry.afterEach().get(commit.tokens() - 1)) {
                        case State state -> state(layer, commit.writeRow(), state);
                        case Window all -> window(layer, commit.writeRow(), all);
                        default -> throw new IllegalStateException();
                    }
                });
        stateEnds(commit.writeRow(), commit.end());
    }

    /** Copies rows; those of slots that were never written stay unreadable. */
    void copy(KvSlotCopy copy) {
        requireSlots(copy.to(), copy.count());
        requireSlots(copy.from(), copy.count());
        System.arraycopy(held, copy.from(), held, copy.to(), copy.count());
        for (Map<Integer, float[]> rows : List.of(keys, values)) {
            for (float[] layer : rows.values()) {
                System.arraycopy(
                        layer, copy.from() * HEAD, layer, copy.to() * HEAD, copy.count() * HEAD);
            }
        }
    }

    private void requireSlots(int begin, int count) {
        if (begin < 0 || count > slots - begin) {
            throw new IllegalArgumentException(
                    "slots " + begin + " to " + (begin + count) + " of a pool of " + slots);
        }
    }

    /**
     * Checks that the positions before {@code end} lie where they are looked for.
     *
     * @param begin slot of position 0
     */
    void requireHeld(int begin, int end) {
        requireSlots(begin, end);
        for (int position = 0; position < end && !keys.isEmpty(); position++) {
            if (held[begin + position] != position + 1) {
                throw new IllegalArgumentException(
                        "slot "
                                + (begin + position)
                                + " is read for position "
                                + position
                                + " and holds "
                                + (held[begin + position] == 0
                                        ? "none"
                                        : "position " + (held[begin + position] - 1)));
            }
        }
    }

    /** Checks that the slots of a span hold the positions that a map says, before {@code end}. */
    void requireHeld(int begin, SlotPositionMap map, int end) {
        if (map.isStraight()) {
            requireHeld(begin, end);
            return;
        }
        for (int run = 0; run < map.size() && !keys.isEmpty(); run++) {
            for (int i = 0; i < Pages.TOKENS && map.page(run) != SlotPositionMap.EMPTY; i++) {
                int position = map.page(run) * Pages.TOKENS + i;
                int slot = begin + run * Pages.TOKENS + i;
                if (position < end && held[slot] != position + 1) {
                    throw new IllegalArgumentException(
                            "slot "
                                    + slot
                                    + " is read for position "
                                    + position
                                    + " and holds position "
                                    + (held[slot] - 1));
                }
            }
        }
    }

    /** The rows of a sequence's positions up to one that lie in its span, in their order. */
    Window rows(int layer, int begin, SlotPositionMap map, int last) {
        if (map.isStraight()) {
            return rows(layer, begin, last + 1);
        }
        List<float[]> keyRows = new ArrayList<>();
        List<float[]> valueRows = new ArrayList<>();
        for (int position = 0; position <= last; position++) {
            if (map.holds(position)) {
                int slot = begin + map.offset(position);
                keyRows.add(row(keys.get(layer), slot));
                valueRows.add(row(values.get(layer), slot));
            }
        }
        return new Window(keyRows, valueRows);
    }

    /** Key rows of a page, in slots or in host memory. */
    float[] pageKeys(int layer, PageQuery.PagePlace place) {
        return place.isResident()
                ? Arrays.copyOfRange(
                        keys.get(layer), place.slot() * HEAD, (place.slot() + Pages.TOKENS) * HEAD)
                : pages.require(place.page()).keys().get(layer);
    }

    /** Checks that a state row is the state after so many positions. */
    void requireState(int row, int tokens) {
        requireRow(row);
        int found = row == SequenceChunk.ZERO_ROW ? 0 : ends[row];
        boolean empty = tokens == 0 && row == SequenceChunk.ZERO_ROW;
        if (keepsState() && !empty && (tokens == 0 || found != tokens)) {
            throw new IllegalArgumentException(
                    "state row "
                            + row
                            + " is read after "
                            + tokens
                            + " positions and holds "
                            + found);
        }
    }

    /** Checks that there is such a row. */
    void requireRow(int row) {
        if (row < 0 || row >= stateRows) {
            throw new IllegalArgumentException("state row " + row + " of " + stateRows);
        }
    }

    /** Puts K and V of a position into a slot of a full layer. */
    void write(int layer, int slot, int position, float[] key, float[] value) {
        System.arraycopy(key, 0, keys.get(layer), slot * HEAD, HEAD);
        System.arraycopy(value, 0, values.get(layer), slot * HEAD, HEAD);
        held[slot] = position + 1;
    }

    /** The rows of a sequence in a full layer, from position 0 on. */
    Window rows(int layer, int begin, int count) {
        List<float[]> keyRows = new ArrayList<>();
        List<float[]> valueRows = new ArrayList<>();
        for (int slot = begin; slot < begin + count; slot++) {
            keyRows.add(row(keys.get(layer), slot));
            valueRows.add(row(values.get(layer), slot));
        }
        return new Window(keyRows, valueRows);
    }

    private static float[] row(float[] rows, int slot) {
        return Arrays.copyOfRange(rows, slot * HEAD, (slot + 1) * HEAD);
    }

    Window window(int layer, int row) {
        return row == SequenceChunk.ZERO_ROW ? Window.EMPTY : windows.get(layer)[row];
    }

    /** Keeps the last rows of a window, as many as the next token will see. */
    void window(int layer, int row, Window all) {
        int count = all.keys().size();
        int first = Math.max(0, count - windowRows.get(layer));
        windows.get(layer)[row] =
                new Window(
                        List.copyOf(all.keys().subList(first, count)),
                        List.copyOf(all.values().subList(first, count)));
    }

    State state(int layer, int row) {
        return row == SequenceChunk.ZERO_ROW ? State.EMPTY : states.get(layer)[row];
    }

    void state(int layer, int row, State state) {
        states.get(layer)[row] = state;
    }

    /** Takes note of how many positions went into a state row. */
    void stateEnds(int row, int end) {
        ends[row] = end;
    }

    /** Copies a part of a sequence out; rows that a window has dropped are zeros. */
    ByteBuffer export(CachePart part) {
        ByteBuffer bytes = ByteBuffer.allocate((int) part.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        switch (part) {
            case CachePart.Rows rows -> {
                for (int i = 0; i < rows.count(); i++) {
                    if (held[rows.slot() + i] != rows.position() + i + 1) {
                        throw new IllegalArgumentException(rows + " holds other positions");
                    }
                }
                Window all = rows(rows.layer(), rows.slot(), rows.count());
                put(bytes, all.keys());
                put(bytes, all.values());
            }
            case CachePart.HostPageRows page -> pages.export(page, bytes);
            case CachePart.Window window -> {
                requireState(window.row(), window.end());
                Window all = window(window.layer(), window.row());
                int dropped = window.end() - window.first() - all.keys().size();
                List<float[]> zeros = Collections.nCopies(dropped, new float[HEAD]);
                put(bytes, zeros);
                put(bytes, all.keys());
                put(bytes, zeros);
                put(bytes, all.values());
            }
            case CachePart.State state -> {
                requireState(state.row(), state.end());
                State all = state(state.layer(), state.row());
                put(bytes, List.of(all.inputs(), all.matrix()));
            }
        }
        return bytes.flip();
    }

    private static void put(ByteBuffer bytes, List<float[]> rows) {
        for (float[] row : rows) {
            for (float value : row) {
                bytes.putFloat(value);
            }
        }
    }

    /** Checks that a part could be copied in. */
    void requireFits(CachePart part) {
        boolean fits =
                switch (part) {
                    case CachePart.Rows rows ->
                            keys.containsKey(rows.layer())
                                    && rows.layout().equals(LAYOUT)
                                    && rows.slot() + rows.count() <= slots;
                    case CachePart.HostPageRows page ->
                            keys.containsKey(page.layer()) && page.layout().equals(LAYOUT);
                    case CachePart.Window window ->
                            windows.containsKey(window.layer())
                                    && window.layout().equals(LAYOUT)
                                    && window.row() < stateRows
                                    && window.end() - window.first() >= rowsLeft(window);
                    case CachePart.State state ->
                            states.containsKey(state.layer())
                                    && state.elements()
                                            .equals(List.of((long) CONVOLUTION, (long) HEAD * HEAD))
                                    && state.row() < stateRows;
                };
        if (!fits) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST, part + " does not fit plain caches");
        }
    }

    /** Rows that the next token will see. */
    private int rowsLeft(CachePart.Window window) {
        return Math.min(window.end(), windowRows.get(window.layer()));
    }

    /** Copies a part of a sequence in. */
    void adopt(CachePart part, ByteBuffer source) {
        ByteBuffer bytes = source.order(ByteOrder.LITTLE_ENDIAN);
        switch (part) {
            case CachePart.Rows rows -> {
                List<float[]> k = get(bytes, rows.count(), HEAD);
                List<float[]> v = get(bytes, rows.count(), HEAD);
                for (int i = 0; i < rows.count(); i++) {
                    write(rows.layer(), rows.slot() + i, rows.position() + i, k.get(i), v.get(i));
                }
            }
            case CachePart.HostPageRows page -> pages.adopt(page, bytes);
            case CachePart.Window window -> {
                int count = window.end() - window.first();
                Window all = new Window(get(bytes, count, HEAD), get(bytes, count, HEAD));
                window(window.layer(), window.row(), all);
                stateEnds(window.row(), window.end());
            }
            case CachePart.State state -> {
                state(
                        state.layer(),
                        state.row(),
                        new State(
                                get(bytes, 1, CONVOLUTION).getFirst(),
                                get(bytes, 1, HEAD * HEAD).getFirst()));
                stateEnds(state.row(), state.end());
            }
        }
    }

    private static List<float[]> get(ByteBuffer bytes, int rows, int length) {
        List<float[]> taken = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            float[] values = new float[length];
            for (int i = 0; i < length; i++) {
                values[i] = bytes.getFloat();
            }
            taken.add(values);
        }
        return taken;
    }
}
