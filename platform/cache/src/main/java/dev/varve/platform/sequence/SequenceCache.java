package dev.varve.platform.sequence;

import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.shard.RowRun;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotPositionMap;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Tokens of a sequence with their cache: KV slots, current recurrent state and one checkpoint. Only
 * {@link KvCacheManager} changes it. Not thread-safe.
 */
public final class SequenceCache {
    private static final KvSlotSpan NO_SLOTS = new KvSlotSpan(0, 0);

    private final TokenList tokens;
    private final CacheScope scope;
    private final int coldTokens;
    private int computed;
    private KvSlotSpan span = NO_SLOTS;
    private int row = SequenceChunk.ZERO_ROW;
    private Checkpoint checkpoint = Checkpoint.NONE;
    private ChunkHistory chunkHistory = new ChunkHistory();
    private Optional<TokenLogits> output = Optional.empty();

    /** Page table, if its span may be smaller than its tokens. */
    private Optional<PageTable> pages;

    private Optional<SequenceAttachment> attachment = Optional.empty();

    /** Placement of the last forward, if it had draft tokens. */
    private Optional<ChunkPlacement> drafted = Optional.empty();

    /**
     * A kept recurrent state.
     *
     * @param row its state row; the zero row if nothing was computed yet
     * @param position number of tokens in the state
     */
    public record Checkpoint(int row, int position) {
        /** State of an empty sequence. */
        static final Checkpoint NONE = new Checkpoint(SequenceChunk.ZERO_ROW, 0);

        /** Whether anything was computed. */
        public boolean exists() {
            return row != SequenceChunk.ZERO_ROW;
        }
    }

    /**
     * @param coldTokens leading tokens that it computes with the pages of a cold prefill
     */
    SequenceCache(TokenList tokens, CacheScope scope, Optional<PageTable> pages, int coldTokens) {
        this.tokens = tokens;
        this.scope = scope;
        this.pages = pages;
        this.coldTokens = coldTokens;
    }

    /** Its tokens, including those that are not computed yet. */
    public TokenList tokens() {
        return tokens;
    }

    /** Scope of the requests that may continue it. */
    public CacheScope scope() {
        return scope;
    }

    /** Tokens whose K, V and recurrent state are computed, or will be by forwards under way. */
    public int computed() {
        return computed;
    }

    /** Slots of its K and V rows. */
    public KvSlotSpan span() {
        return span;
    }

    /** Page table, if its span may be smaller than its tokens. */
    Optional<PageTable> pages() {
        return pages;
    }

    void setPages(Optional<PageTable> table) {
        pages = table;
    }

    /** Map of its pages to the slots of its span. */
    SlotPositionMap map() {
        return pages.map(PageTable::map).orElse(SlotPositionMap.STRAIGHT);
    }

    /** Current place of the rows of some of its positions. */
    public List<RowRun> rows(int position, int count) {
        return pages.map(table -> table.rows(position, count, span.begin()))
                .orElseGet(() -> List.of(RowRun.inSlots(position, count, span.slot(position))));
    }

    /** Leading tokens that it computes with the pages of a cold prefill. */
    int coldTokens() {
        return coldTokens;
    }

    /**
     * Number of computed tokens from which other sequences may resume: their pages depended on
     * these tokens only, and not on later ones.
     */
    public int coldEnd() {
        return coldTokens >= computed ? computed : chunkHistory.floor(coldTokens);
    }

    /** Statistics of its pages; empty if its span always holds all of them. */
    public Optional<SequencePagingStatus> pagingStatus() {
        return pages.map(
                table ->
                        new SequencePagingStatus(
                                table.counts(), table.residentPages(), table.hostPages()));
    }

    /** Slots at the beginning of its span that a move must copy. */
    int slotsInUse() {
        return map().isStraight() ? computed : span.capacity();
    }

    /** Row of the state after {@link #computed} tokens; may be shared with forks. */
    public int stateRow() {
        return row;
    }

    /** Chunk boundaries of the computed tokens; changes with them. */
    public ChunkHistory chunkHistory() {
        return chunkHistory;
    }

    /** Output of the last computed token, if it was kept for requests with the same tokens. */
    public Optional<TokenLogits> output() {
        return output;
    }

    /** Attachment of the sequence, if it has one. */
    public Optional<SequenceAttachment> attachment() {
        return attachment;
    }

    /** Sets the attachment. */
    public void attach(SequenceAttachment other) {
        attachment = Optional.of(other);
    }

    /** Checkpoint in addition to the current state. */
    public Checkpoint checkpoint() {
        return checkpoint;
    }

    /** Records a forward that was submitted. */
    void extend(int end, ChunkKind kind) {
        computed = end;
        chunkHistory.add(end, kind);
        output = Optional.empty();
    }

    /** Records the placement of a forward with draft tokens. */
    void draft(ChunkPlacement place) {
        drafted = Optional.of(place);
    }

    /** Returns the rollback buffer of a forward whose accepted tokens are not known yet. */
    OptionalInt rollbackBuffer() {
        return drafted.filter(ChunkPlacement::isDrafted).isPresent()
                ? OptionalInt.of(drafted.get().rollbackBuffer())
                : OptionalInt.empty();
    }

    /**
     * Returns and clears the placement of the last forward; called when its accepted tokens are
     * known.
     */
    Optional<ChunkPlacement> takeDraftPlacement() {
        Optional<ChunkPlacement> place = drafted;
        drafted = Optional.empty();
        return place;
    }

    /** Discards the last forward after a position. */
    void shorten(int end) {
        chunkHistory.shorten(end);
        computed = end;
    }

    void setSpan(KvSlotSpan place) {
        span = place;
        pages.ifPresent(table -> table.growTo(place.capacity() / PagePoolSizing.PAGE));
    }

    void enterRow(int other) {
        row = other;
    }

    void setCheckpoint(Checkpoint kept) {
        checkpoint = kept;
    }

    void setOutput(TokenLogits kept) {
        output = Optional.of(kept);
    }

    /**
     * Begins with the first tokens of another sequence and its state rows; the span is set
     * separately.
     *
     * @param stateRow row of the state after {@code length} tokens
     */
    void beginWith(SequenceCache other, int length, int stateRow) {
        computed = length;
        chunkHistory = other.chunkHistory.cutAt(length);
        checkpoint = other.checkpoint.position() <= length ? other.checkpoint : Checkpoint.NONE;
        row = stateRow;
        output = length == other.computed ? other.output : Optional.empty();
        attachment = other.attachment.map(before -> before.upTo(length));
    }

    /**
     * Begins with tokens that are imported.
     *
     * @param how their chunk boundaries
     * @param stateRow row that will hold the state after them
     */
    void beginAfter(ChunkHistory how, int stateRow) {
        computed = how.end();
        chunkHistory = how;
        row = stateRow;
    }

    /** Forgets everything that it holds. */
    void forget() {
        pages.ifPresent(PageTable::release);
        computed = 0;
        span = NO_SLOTS;
        row = SequenceChunk.ZERO_ROW;
        checkpoint = Checkpoint.NONE;
        drafted = Optional.empty();
        attachment = Optional.empty();
    }
}
