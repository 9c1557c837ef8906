package dev.varve.platform.sequence;

import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.PageMap;
import dev.varve.platform.shard.PoolGeometry;
import dev.varve.platform.shard.RowRun;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotSpan;

import java.util.List;
import java.util.Optional;

/**
 * Tokens of a sequence with the cache that belongs to them: KV slots, current recurrent state and
 * one checkpoint. Only {@link KvCacheManager} changes it. Not thread-safe.
 */
public final class CachedSequence {
    private static final SlotSpan NO_SLOTS = new SlotSpan(0, 0);

    private final TokenList tokens;
    private final CacheScope scope;
    private final int coldTokens;
    private int computed;
    private SlotSpan span = NO_SLOTS;
    private int row = SequenceChunk.ZERO_ROW;
    private Checkpoint checkpoint = Checkpoint.NONE;
    private ChunkBoundaries cuts = new ChunkBoundaries();
    private Optional<TokenLogits> output = Optional.empty();

    /** Where its pages lie, where its span may be too small for them. */
    private Optional<PageTable> pages;

    private Optional<SequenceAttachment> companion = Optional.empty();

    /** Where the last forward was computed, if some of its tokens were guessed. */
    private Optional<ChunkPlacement> drafted = Optional.empty();

    /**
     * A recurrent state that is kept.
     *
     * @param row where it is; the zero row where nothing was computed yet
     * @param position tokens that it has seen
     */
    record Checkpoint(int row, int position) {
        /** The state of an empty sequence. */
        static final Checkpoint NONE = new Checkpoint(SequenceChunk.ZERO_ROW, 0);

        boolean exists() {
            return row != SequenceChunk.ZERO_ROW;
        }
    }

    /**
     * @param coldTokens leading tokens that it computes with the pages that a cold prefill has
     */
    CachedSequence(TokenList tokens, CacheScope scope, Optional<PageTable> pages, int coldTokens) {
        this.tokens = tokens;
        this.scope = scope;
        this.pages = pages;
        this.coldTokens = coldTokens;
    }

    /** Its tokens, those that are still to be computed included. */
    public TokenList tokens() {
        return tokens;
    }

    /** Who may continue it. */
    public CacheScope scope() {
        return scope;
    }

    /** Tokens whose K, V and recurrent state are computed, or will be by forwards under way. */
    public int computed() {
        return computed;
    }

    /** Where its K and V rows are. */
    public SlotSpan span() {
        return span;
    }

    /** Where its pages lie, where its span may be too small for them. */
    Optional<PageTable> pages() {
        return pages;
    }

    void hold(Optional<PageTable> table) {
        pages = table;
    }

    /** Which of its positions lie in which slots of its span. */
    PageMap map() {
        return pages.map(PageTable::map).orElse(PageMap.STRAIGHT);
    }

    /** Where the rows of some of its positions lie at this moment. */
    public List<RowRun> rows(int position, int count) {
        return pages.map(table -> table.rows(position, count, span.begin()))
                .orElseGet(() -> List.of(RowRun.inSlots(position, count, span.slot(position))));
    }

    /** Leading tokens that it computes with the pages that a cold prefill of them has. */
    int coldTokens() {
        return coldTokens;
    }

    /**
     * Computed tokens that others may resume from: those whose pages followed from the tokens
     * themselves, and not from what came behind them.
     */
    public int coldEnd() {
        return coldTokens >= computed ? computed : cuts.floor(coldTokens);
    }

    /** What became of its pages; nothing where its span always holds all of them. */
    public Optional<SequencePagingStatus> pageFigures() {
        return pages.map(
                table ->
                        new SequencePagingStatus(
                                table.counts(), table.residentPages(), table.hostPages()));
    }

    /** Slots at the front of its span that must go where it goes. */
    int slotsInUse() {
        return map().isStraight() ? computed : span.capacity();
    }

    /** Row of the state after {@link #computed} tokens; it may be shared with forks. */
    public int stateRow() {
        return row;
    }

    /** How the computed tokens were computed; changes with them. */
    public ChunkBoundaries cuts() {
        return cuts;
    }

    /** What the last computed token gave, where that was kept for requests of the same tokens. */
    public Optional<TokenLogits> output() {
        return output;
    }

    /** What goes with it, if anything does. */
    public Optional<SequenceAttachment> companion() {
        return companion;
    }

    /** Has something go with it from now on. */
    public void goWith(SequenceAttachment other) {
        companion = Optional.of(other);
    }

    /** The state that is kept beside the current one. */
    Checkpoint checkpoint() {
        return checkpoint;
    }

    /** Takes note of a forward that was submitted. */
    void extend(int end, ChunkKind stretch) {
        computed = end;
        cuts.add(end, stretch);
        output = Optional.empty();
    }

    /** Some tokens of the last forward were guessed. */
    void draft(ChunkPlacement place) {
        drafted = Optional.of(place);
    }

    /** It is known which of them count; gives where they were computed. */
    Optional<ChunkPlacement> settleDraft() {
        Optional<ChunkPlacement> place = drafted;
        drafted = Optional.empty();
        return place;
    }

    /** The last forward counts up to a position only. */
    void shorten(int end) {
        cuts.shorten(end);
        computed = end;
    }

    void lieIn(SlotSpan place) {
        span = place;
        pages.ifPresent(table -> table.growTo(place.capacity() / PoolGeometry.PAGE));
    }

    void enterRow(int other) {
        row = other;
    }

    void keepCheckpoint(Checkpoint kept) {
        checkpoint = kept;
    }

    void keepOutput(TokenLogits kept) {
        output = Optional.of(kept);
    }

    /**
     * Begins with the first tokens of another sequence, in rows of its; where they lie is another
     * matter.
     *
     * @param stateRow row of the state after {@code length} tokens
     */
    void beginWith(CachedSequence other, int length, int stateRow) {
        computed = length;
        cuts = other.cuts.upTo(length);
        checkpoint = other.checkpoint.position() <= length ? other.checkpoint : Checkpoint.NONE;
        row = stateRow;
        output = length == other.computed ? other.output : Optional.empty();
        companion = other.companion.map(before -> before.upTo(length));
    }

    /**
     * Begins with tokens that were computed elsewhere.
     *
     * @param how how they were computed
     * @param stateRow row that is to hold the state after them
     */
    void beginBehind(ChunkBoundaries how, int stateRow) {
        computed = how.end();
        cuts = how;
        row = stateRow;
    }

    /** Holds nothing any more. */
    void forget() {
        pages.ifPresent(PageTable::release);
        computed = 0;
        span = NO_SLOTS;
        row = SequenceChunk.ZERO_ROW;
        checkpoint = Checkpoint.NONE;
        drafted = Optional.empty();
        companion = Optional.empty();
    }
}
