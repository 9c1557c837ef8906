package dev.varve.platform.sequence;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PageResidency;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.sequence.FinishedSequences.Match;
import dev.varve.platform.sequence.SequenceCache.Checkpoint;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.StateCommit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Manages the KV slots and state rows of all sequences. Finished sequences stay resident, so that a
 * request with a common prefix skips that part of its prefill. The least recently used resident is
 * evicted first. Evicts only if the allocation then succeeds.
 *
 * <p>The batches that {@link #advance} creates carry the changes of the caches, and must be
 * submitted in their order. Not thread-safe; runs per token.
 */
public final class KvCacheManager {
    private final KvCacheConfig sizes;
    private final boolean forgets;
    private final FinishedSequences residents;
    private final SequenceEvictionHandler evictionHandler;
    private KvSlotAllocator spans;
    private StateRowAllocator rows;
    private final KvPageManager pagingPolicy;

    /** Accepted draft tokens, for the next batch. */
    private List<StateCommit> commits = new ArrayList<>();

    /**
     * @param sizes of the caches of every shard
     * @param forgets whether the model has state that cannot be cut back
     */
    public KvCacheManager(KvCacheConfig sizes, boolean forgets) {
        this(sizes, forgets, SequenceEvictionHandler.NONE, FinishedSequenceListener.NONE);
    }

    /**
     * Like {@link #KvCacheManager(KvCacheConfig, boolean)}, with a listener for evictions.
     *
     * @param evictionHandler is notified of evicted sequences
     */
    public KvCacheManager(
            KvCacheConfig sizes, boolean forgets, SequenceEvictionHandler evictionHandler) {
        this(sizes, forgets, evictionHandler, FinishedSequenceListener.NONE);
    }

    /**
     * Like {@link #KvCacheManager(KvCacheConfig, boolean)}, with listeners.
     *
     * @param evictionHandler is notified of evicted sequences
     * @param listener is notified of sequences that become available or unavailable to requests
     */
    public KvCacheManager(
            KvCacheConfig sizes,
            boolean forgets,
            SequenceEvictionHandler evictionHandler,
            FinishedSequenceListener listener) {
        this.sizes = sizes;
        this.forgets = forgets;
        this.evictionHandler = evictionHandler;
        residents = new FinishedSequences(forgets, listener);
        pagingPolicy = new KvPageManager(sizes.paging());
        spans = new KvSlotAllocator(sizes.slots());
        rows = new StateRowAllocator(sizes.stateRows(), this::freeRows);
    }

    /** Forgets all sequences, after the caches lost them. */
    public void clear() {
        spans.owners().forEach(pagingPolicy::addPastCounts);
        pagingPolicy.clear();
        spans = new KvSlotAllocator(sizes.slots());
        rows = new StateRowAllocator(sizes.stateRows(), this::freeRows);
        commits.clear();
        residents.clear();
    }

    /** Current usage of the slots. */
    public KvSlotUsage slotUse() {
        int resident = residents.slots();
        return new KvSlotUsage(
                spans.slots(), spans.slots() - spans.freeSlots() - resident, resident);
    }

    /** Whether the computed tokens of a sequence can be cut back one by one. */
    public boolean canRollBack() {
        return !forgets;
    }

    /**
     * Maximum draft tokens of a sequence in a batch. None, if draft tokens leave its state to a
     * later commit, and another sequence may write to that state before.
     */
    public int mostDraftTokens(SequenceCache sequence) {
        if (forgets && rows.mayBeOverwritten(sequence)) {
            return 0;
        }
        int draftTokens =
                forgets ? Math.max(0, sizes.rollbackBuffers().tokens() - 1) : Integer.MAX_VALUE;
        return Math.min(draftTokens, mostForcedTokens(sequence));
    }

    /**
     * Maximum tokens after the next one that a decode batch may compute if none is a draft token.
     */
    public int mostForcedTokens(SequenceCache sequence) {
        return pagingPolicy.mostTokensOfStep(sequence) - 1;
    }

    /** Statistics of the pages of all sequences; empty if spans hold all of them. */
    public Optional<PagingStatus> paging() {
        return pagingPolicy.status(spans.owners());
    }

    /** Policy that decides which pages of a sequence stay in its span; empty if all do. */
    public Optional<PagePolicy> pagePolicy() {
        return pagingPolicy.policy();
    }

    /** Whether the pages of a sequence of some tokens are chosen by scores. */
    public boolean choosesPages(int tokens) {
        return pagingPolicy.chooses() && sizes.mostSlots(tokens) < tokens;
    }

    /** Whether these scores come from the model's own queries. */
    public boolean needsShardScores() {
        return pagingPolicy.needsShardScores();
    }

    /** Whether the pages of a sequence must be chosen anew after its computed tokens. */
    public boolean isChoiceDue(SequenceCache sequence) {
        return pagingPolicy.isDue(sequence, sequence.computed());
    }

    /**
     * Chooses the pages in the span of a sequence anew, by the scores of all of its pages; the next
     * batch moves them.
     */
    public void choosePages(SequenceCache sequence, float[] scores) {
        pagingPolicy.choose(
                sequence,
                Arrays.copyOf(scores, sequence.computed() / PagePoolSizing.PAGE),
                sequence.computed(),
                spans::add);
    }

    /**
     * Chooses the pages anew for the last tokens of a prompt, before they are computed.
     *
     * @param end position after the prompt
     */
    public void choosePagesFor(SequenceCache sequence, float[] scores, int end) {
        PageTable table = sequence.pages().orElseThrow();
        table.truncate(sequence.computed());
        int whole = sequence.computed() / PagePoolSizing.PAGE;
        // Runs are allocated first; otherwise pages that return now would leave for them.
        table.allocate(sequence.computed(), end, sequence.span().begin(), spans::add);
        pagingPolicy.choose(sequence, Arrays.copyOf(scores, whole), end, spans::add);
    }

    /**
     * Keeps the pages of a sequence, although a new choice was due.
     *
     * @param position tokens whose queries would have counted in the choice
     */
    public void skipChoice(SequenceCache sequence, int position) {
        sequence.pages().ifPresent(table -> table.skip(position));
    }

    /**
     * Chooses the pages in the span of a sequence anew; the next batch moves them.
     *
     * @param answers responses of the shards to the last batch of the sequence
     * @param asked number of pages in the query
     * @param position tokens whose queries count in the choice
     */
    public void choosePages(
            SequenceCache sequence, List<PageScores> answers, int asked, int position) {
        pagingPolicy.choose(sequence, answers, asked, position, spans::add);
    }

    /**
     * Creates a batch that computes a sequence's next tokens only for their queries. It leaves the
     * sequence unchanged: the final computation of the tokens overwrites the rows that it writes.
     *
     * @param id identifier of the sequence at the shards
     * @param windowEnd position up to which slots are reserved
     */
    public Batch pageScoringBatch(SequenceCache sequence, long id, int[] tokens, int windowEnd) {
        int row = rows.allocateOther();
        // Pages that the prefill cell has reserved after the computed tokens would occupy the runs
        // of other pages.
        sequence.pages().ifPresent(table -> table.truncate(sequence.computed()));
        ChunkPlacement place = place(sequence, windowEnd, row, ChunkPlacement.NO_ROLLBACK_BUFFER);
        // Batches run in order: the next owner of the row writes it after this batch.
        rows.release(row);
        SequenceChunk chunk =
                new SequenceChunk(id, tokens, place, RequestedOutput.NONE, ChunkComputeMode.CHUNK)
                        .with(sequence.tokens().images())
                        .with(sequence.scope().lora());
        PageQuery query = pagingPolicy.query(0, sequence);
        return new Batch(takeChanges(), List.of(chunk), Phase.PREFILL, List.of(), List.of(query));
    }

    /** Slots that are free, or would be after the eviction of all residents. */
    private int obtainableSlots() {
        return spans.freeSlots() + residents.slots();
    }

    /**
     * Position up to which a chunk of a prompt reserves slots, so that its resident pages depend on
     * its position only, and not on the chunk boundaries of the prompt.
     */
    public int reservedEnd(SequenceCache sequence, int promptTokens, int end) {
        int begin = sequence.computed();
        return end <= pagingPolicy.coldTokens(promptTokens)
                ? Math.max(end, pagingPolicy.cellEnd(begin, promptTokens))
                : end;
    }

    /**
     * Last position from which a prompt may resume: after it, the pages depend on the end of the
     * prompt.
     */
    public int lastResume(int promptTokens) {
        return pagingPolicy.lastResume(promptTokens);
    }

    /** Maximum slots of a sequence of some tokens. */
    public int mostSlots(int tokens) {
        return sizes.mostSlots(tokens);
    }

    /** Leading tokens of a request that a resident has computed; 0 for none. */
    public int find(PrefixQuery request) {
        return match(request).map(Match::length).orElse(0);
    }

    /**
     * Creates a sequence with slots for a prompt and the token after it, whose first tokens count
     * as computed: the caller must import their rows and the state after them before anything is
     * computed. Does not reuse residents, but may evict them.
     *
     * @param chunkHistory chunk boundaries of these tokens
     * @param spareSlots slots that must remain free
     * @return empty, and nothing is changed, if there is not enough room
     */
    public Optional<SequenceCache> beginAfter(
            PrefixQuery request, ChunkHistory chunkHistory, int spareSlots) {
        int capacity = sizes.mostSlots(request.tokens().size() + 1);
        if (obtainableSlots() < capacity + spareSlots) {
            return Optional.empty();
        }
        SequenceCache sequence = make(request);
        spans.add(sequence);
        if (!ensure(sequence, request.tokens().size() + 1)) {
            throw new IllegalStateException("expected room for " + capacity + " slots, found less");
        }
        PageResidency cold = pagingPolicy.coldResidency(chunkHistory.end(), request.promptTokens());
        sequence.pages().ifPresent(table -> table.await(chunkHistory.end(), cold));
        sequence.beginAfter(chunkHistory, rows.next(sequence));
        return Optional.of(sequence);
    }

    /**
     * Creates a sequence with slots for a prompt and the token after it, beginning with the longest
     * prefix that a resident has computed.
     *
     * @param spareSlots slots that must remain free
     * @return empty, and nothing is changed, if there is not enough room
     */
    public Optional<SequenceCache> begin(PrefixQuery request, int spareSlots) {
        int capacity = sizes.mostSlots(request.tokens().size() + 1);
        if (obtainableSlots() < capacity + spareSlots) {
            return Optional.empty();
        }
        SequenceCache sequence = make(request);
        Optional<Match> found = match(request);
        if (found.isEmpty()) {
            spans.add(sequence);
        } else if (mayFork(found.get(), forkSlots(found.get(), capacity))) {
            fork(sequence, found.get(), request, forkSlots(found.get(), capacity));
        } else {
            reuse(sequence, found.get(), request);
        }
        if (!ensure(sequence, request.tokens().size() + 1)) {
            throw new IllegalStateException("expected room for " + capacity + " slots, found less");
        }
        return Optional.of(sequence);
    }

    private Optional<Match> match(PrefixQuery request) {
        return residents.find(request, lastResume(request.promptTokens()));
    }

    /** Creates a sequence without computed tokens. */
    private SequenceCache make(PrefixQuery request) {
        return new SequenceCache(
                request.tokens(),
                request.scope(),
                pagingPolicy.table(),
                pagingPolicy.coldTokens(request.promptTokens()));
    }

    /** Slots of a fork: at least as many as the resident has, if its pages are not in order. */
    private static int forkSlots(Match match, int wanted) {
        SequenceCache resident = match.resident();
        boolean straight =
                resident.pages().filter(table -> !table.isStraightUpTo(match.length())).isEmpty();
        return straight ? wanted : Math.max(wanted, resident.span().capacity());
    }

    /**
     * Whether the request can fork a resident, which then stays for other requests. A resident that
     * the request extends is taken over instead if another tier has it, or if the copy would evict
     * a resident. Every resident is taken over if the request needs its slots or row.
     */
    private boolean mayFork(Match match, int capacity) {
        if (match.extendsResident()) {
            return spans.freeSlots() >= capacity
                    && rows.hasFree()
                    && !evictionHandler.isStored(match.resident());
        }
        return obtainableSlots() - match.resident().span().capacity() >= capacity
                && hasRowForFork(Optional.of(match.resident()));
    }

    /** Whether a fork will find a row to write, without the eviction of its source. */
    private boolean hasRowForFork(Optional<SequenceCache> source) {
        return rows.hasFree()
                || residents.stream()
                        .filter(resident -> source.isEmpty() || resident != source.get())
                        .anyMatch(rows::holdsAlone);
    }

    private void fork(SequenceCache sequence, Match match, PrefixQuery request, int capacity) {
        SequenceCache resident = match.resident();
        // It becomes the most recently used one, and must not be evicted here.
        residents.protect(resident);
        evictUntilFree(capacity);
        residents.putBack(resident);
        sequence.setPages(resident.pages().map(table -> table.copy(pageTokens(match, request))));
        spans.placeCopy(resident, sequence, capacity, match.length());
        restoreColdResidency(sequence, match, request);
        adopt(sequence, match);
        rows.share(sequence);
    }

    private void reuse(SequenceCache sequence, Match match, PrefixQuery request) {
        SequenceCache resident = match.resident();
        residents.remove(resident);
        // Before its pages and rows after the shared tokens are released.
        evictionHandler.onHandOver(resident, sequence, match.length());
        pagingPolicy.addPastCounts(resident);
        sequence.setPages(resident.pages());
        sequence.pages().ifPresent(table -> table.transferTo(pageTokens(match, request)));
        spans.handOver(resident, sequence);
        restoreColdResidency(sequence, match, request);
        adopt(sequence, match);
        rows.releaseOthers(resident, sequence);
    }

    /**
     * Tokens whose pages a sequence takes over. For the same prompt with its output these are all
     * pages, including those reserved after it, so that decode begins with the same pages.
     */
    private static int pageTokens(Match match, PrefixQuery request) {
        return match.isWhole(request) ? pageTokens(match.resident()) : match.length();
    }

    private static int pageTokens(SequenceCache sequence) {
        return sequence.map().isStraight() ? sequence.computed() : Integer.MAX_VALUE;
    }

    /**
     * Arranges the pages of a sequence as a cold prefill of its prompt has them at that position;
     * the same prompt with its output continues with the pages that it has.
     */
    private void restoreColdResidency(SequenceCache sequence, Match match, PrefixQuery request) {
        if (!match.isWhole(request)) {
            PageResidency cold = pagingPolicy.coldResidency(match.length(), request.promptTokens());
            sequence.pages()
                    .ifPresent(
                            table ->
                                    table.restoreResidency(
                                            match.length(),
                                            cold,
                                            sequence.span().begin(),
                                            spans::add));
        }
    }

    /** Lets a sequence begin with the tokens of a resident. */
    private void adopt(SequenceCache sequence, Match match) {
        SequenceCache resident = match.resident();
        boolean whole = match.length() == resident.computed();
        sequence.beginWith(
                resident,
                match.length(),
                whole || !forgets ? resident.stateRow() : resident.checkpoint().row());
    }

    /**
     * Keeps a copy of a sequence and the output of its last token, for requests with the same
     * prompt. Does nothing if there is no room for it.
     *
     * @param output output that stays valid
     */
    public void retainCopy(SequenceCache sequence, TokenLogits output) {
        int wanted = sizes.mostSlots(sequence.computed());
        int capacity = sequence.map().isStraight() ? wanted : sequence.span().capacity();
        if (obtainableSlots() < capacity || !hasRowForFork(Optional.empty())) {
            return;
        }
        evictUntilFree(capacity);
        SequenceCache copy =
                new SequenceCache(
                        sequence.tokens().first(sequence.computed()),
                        sequence.scope(),
                        sequence.pages().map(table -> table.copy(pageTokens(sequence))),
                        sequence.coldTokens());
        spans.placeCopy(sequence, copy, capacity, sequence.computed());
        copy.beginWith(sequence, sequence.computed(), sequence.stateRow());
        rows.share(copy);
        copy.setOutput(output);
        residents.add(copy);
    }

    /**
     * Makes room for {@code tokens} tokens of a sequence; moves it or evicts residents if
     * necessary.
     *
     * @return whether there is room now; nothing changed if not
     */
    public boolean ensure(SequenceCache sequence, int tokens) {
        int capacity = sizes.mostSlots(tokens);
        int more = capacity - sequence.span().capacity();
        if (more <= 0) {
            return true;
        }
        if (obtainableSlots() < more) {
            return false;
        }
        while (!spans.grow(sequence, capacity)) {
            if (!evict()) {
                throw new IllegalStateException(
                        "expected " + capacity + " contiguous free slots, found fewer");
            }
        }
        return true;
    }

    /**
     * Creates the batch that computes the next tokens of sequences; their room must be allocated.
     * It is a decode batch if all chunks are rows. Its tokens count as computed at once: the shards
     * work in order, and after a failure the sequences have lost their state anyway.
     *
     * @param advances each sequence once; or twice in succession, if the first tokens end at a
     *     checkpoint and the second ones do not, are no draft tokens, and the span of the sequence
     *     holds all of its pages
     * @param captures layers whose input is captured
     * @throws IllegalArgumentException if a sequence may not have two entries
     */
    public Batch advance(List<ScheduledTokens> advances, List<Integer> captures) {
        rows.evictFor(advances);
        // Takes all rows before entering any: a row that a sequence leaves is still read in this
        // batch.
        List<SequenceChunk> chunks = new ArrayList<>(advances.size());
        BitSet rollbackBuffers = usedRollbackBuffers();
        for (int i = 0; i < advances.size(); i++) {
            ScheduledTokens advance = advances.get(i);
            chunks.add(
                    i > 0 && advances.get(i - 1).sequence() == advance.sequence()
                            ? afterCheckpoint(advances.get(i - 1), chunks.getLast(), advance)
                            : chunk(advance, rollbackBuffers));
        }
        List<PageQuery> queries = pagingPolicy.queries(advances);
        Batch batch =
                new Batch(takeChanges(), chunks, ChunkKind.phaseOf(advances), captures, queries);
        for (int i = 0; i < chunks.size(); i++) {
            ScheduledTokens advance = advances.get(i);
            SequenceCache sequence = advance.sequence();
            sequence.extend(advance.end(), advance.kind());
            if (advance.draftTokens() > 0) {
                sequence.draft(chunks.get(i).place());
            }
            rows.enter(sequence, chunks.get(i).writeRow());
            if (advance.savesCheckpoint()) {
                sequence.setCheckpoint(new Checkpoint(sequence.stateRow(), sequence.computed()));
            }
        }
        return batch;
    }

    /** Returns the rollback buffers of draft tokens in flight, which no other batch may write. */
    private BitSet usedRollbackBuffers() {
        BitSet used = new BitSet();
        if (forgets) {
            spans.owners().forEach(owner -> owner.rollbackBuffer().ifPresent(used::set));
        }
        return used;
    }

    /**
     * Takes the changes that the next batch would make, for callers that read or write caches
     * before it.
     */
    public CacheChanges takeChanges() {
        List<KvRowOperation> moves = new ArrayList<>(spans.takeMoves());
        moves.addAll(pagingPolicy.takeDrops());
        if (commits.isEmpty() && moves.isEmpty()) {
            return CacheChanges.NONE;
        }
        CacheChanges changes = new CacheChanges(commits, moves);
        commits.clear();
        return changes;
    }

    /** Placement of the next tokens; allocates their pages in the span. */
    private ChunkPlacement place(
            SequenceCache sequence, int end, int writeRow, int rollbackBuffer) {
        sequence.pages()
                .ifPresent(
                        table ->
                                table.allocate(
                                        sequence.computed(),
                                        end,
                                        sequence.span().begin(),
                                        spans::add));
        return new ChunkPlacement(
                sequence.computed(),
                sequence.span(),
                sequence.stateRow(),
                writeRow,
                rollbackBuffer,
                sequence.map());
    }

    /**
     * @param rollbackBuffers those in use; one for draft tokens is added
     */
    private SequenceChunk chunk(ScheduledTokens advance, BitSet rollbackBuffers) {
        int buffer = ChunkPlacement.NO_ROLLBACK_BUFFER;
        if (forgets && advance.draftTokens() > 0) {
            buffer = rollbackBuffers.nextClearBit(0);
            rollbackBuffers.set(buffer);
        }
        SequenceCache sequence = advance.sequence();
        int target = advance.savesCheckpoint() ? rows.allocateOther() : rows.next(sequence);
        return chunk(advance, place(sequence, advance.reserved(), target, buffer));
    }

    private static SequenceChunk chunk(ScheduledTokens advance, ChunkPlacement place) {
        return new SequenceChunk(
                advance.id(),
                advance.tokens(),
                place,
                advance.outputs(),
                advance.kind().computeMode(),
                advance.tree(),
                advance.sequence().tokens().images(),
                advance.sequence().scope().lora());
    }

    /**
     * Chunk after another one of its sequence in the same batch: it reads the checkpoint that the
     * other one writes.
     */
    private SequenceChunk afterCheckpoint(
            ScheduledTokens before, SequenceChunk chunk, ScheduledTokens advance) {
        SequenceCache sequence = advance.sequence();
        if (!before.savesCheckpoint()
                || advance.savesCheckpoint()
                || before.draftTokens() + advance.draftTokens() > 0
                || sequence.pages().isPresent()) {
            throw new IllegalArgumentException(
                    "sequence "
                            + advance.id()
                            + " is twice in a batch, but not to continue after a checkpoint");
        }
        return chunk(
                advance,
                new ChunkPlacement(
                        chunk.firstPosition() + chunk.tokens().length,
                        sequence.span(),
                        chunk.writeRow(),
                        rows.nextAfterCheckpoint(sequence),
                        ChunkPlacement.NO_ROLLBACK_BUFFER,
                        sequence.map()));
    }

    /**
     * Rejects the end of a sequence's last forward: the draft tokens that are not accepted. A state
     * that cannot be cut back advances over the accepted ones with the next batch.
     *
     * @param computed tokens that remain computed, at least one of that forward
     * @throws IllegalStateException if fewer tokens remain of a forward without draft tokens, and
     *     the state cannot be cut back
     */
    public void accept(SequenceCache sequence, int computed) {
        Optional<ChunkPlacement> drafted = sequence.takeDraftPlacement();
        if (drafted.isPresent()) {
            int first = drafted.get().firstPosition();
            accept(sequence, drafted.get(), AcceptedPath.first(computed - first));
            return;
        }
        if (forgets && computed < sequence.computed()) {
            throw new IllegalStateException(
                    "the state after "
                            + sequence.computed()
                            + " tokens cannot be rolled back to "
                            + computed);
        }
        if (computed < sequence.computed()) {
            sequence.shorten(computed);
        }
    }

    /**
     * Rejects the last forward of a sequence, which had draft tokens, except for a path of accepted
     * tokens, which become consecutive.
     *
     * @throws IllegalStateException if that forward had no draft tokens
     */
    public void accept(SequenceCache sequence, AcceptedPath path) {
        accept(
                sequence,
                sequence.takeDraftPlacement()
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "the sequence has no draft tokens in flight")),
                path);
    }

    private void accept(SequenceCache sequence, ChunkPlacement place, AcceptedPath path) {
        if (place.isDrafted()) {
            commits.add(
                    new StateCommit(
                            place.rollbackBuffer(),
                            place.readRow(),
                            place.writeRow(),
                            place.firstPosition(),
                            path));
        }
        spans.gather(sequence, place.firstPosition(), path);
        int computed = place.firstPosition() + path.length();
        if (computed < sequence.computed()) {
            sequence.shorten(computed);
        }
    }

    /** Frees state rows by an export or an eviction; returns whether there was a holder to free. */
    private boolean freeRows() {
        return evictionHandler.releaseRows() || evict();
    }

    /** Keeps a finished sequence until its room is needed. */
    public void retain(SequenceCache sequence) {
        if (sequence.computed() == 0) {
            drop(sequence);
        } else {
            residents.add(sequence);
        }
    }

    /**
     * Keeps a state row unchanged until {@link #release}, even if its sequence is dropped. {@link
     * SequenceEvictionHandler#releaseRows} requests the release of held rows.
     */
    public void retainRow(int row) {
        rows.retain(row);
    }

    /** Ends a {@link #retainRow}. */
    public void release(int row) {
        rows.release(row);
    }

    /** Evicts all residents. */
    public void evictAll() {
        while (evict()) {
            // One after the other.
        }
    }

    /** Frees a sequence's slots and rows; its computed tokens are lost. */
    public void drop(SequenceCache sequence) {
        spans.remove(sequence);
        pagingPolicy.addPastCounts(sequence);
        rows.drop(sequence);
        sequence.forget();
    }

    private void evictUntilFree(int capacity) {
        while (spans.freeSlots() < capacity) {
            if (!evict()) {
                throw new IllegalStateException(
                        "expected room for " + capacity + " slots, found less");
            }
        }
    }

    private boolean evict() {
        Optional<SequenceCache> oldest = residents.pollOldest();
        oldest.ifPresent(evictionHandler::onEvict);
        oldest.ifPresent(this::drop);
        return oldest.isPresent();
    }
}
