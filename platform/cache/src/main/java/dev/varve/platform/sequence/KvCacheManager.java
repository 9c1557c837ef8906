package dev.varve.platform.sequence;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PageResidency;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.sequence.CachedSequence.Checkpoint;
import dev.varve.platform.sequence.FinishedSequences.Match;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.PoolGeometry;
import dev.varve.platform.shard.RowMove;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.TokenPath;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The KV slots and state rows of all sequences. Finished sequences stay resident here, so that a
 * request that begins like one of them need not compute that part again; the one that was used
 * longest ago gives way first. Nothing gives way for a sequence that does not get its room in the
 * end.
 *
 * <p>What changes the caches travels in the batches that {@link #advance} makes, which are to be
 * submitted in their order. Not thread-safe; runs per token.
 */
public final class KvCacheManager {
    private final CacheCapacity sizes;
    private final boolean forgets;
    private final FinishedSequences residents;
    private final EvictionListener departures;
    private KvSlotAllocator spans;
    private StateRowAllocator rows;
    private final SequencePager paged;

    /** Of guessed tokens that turned out right, for the next batch. */
    private List<StateCommit> commits = new ArrayList<>();

    /**
     * @param sizes of the caches of every shard
     * @param forgets whether the model has state that cannot be cut back
     */
    public KvCacheManager(CacheCapacity sizes, boolean forgets) {
        this(sizes, forgets, EvictionListener.UNHEARD, ResidentSequenceListener.NONE);
    }

    /**
     * Likewise.
     *
     * @param departures hears of what leaves
     */
    public KvCacheManager(CacheCapacity sizes, boolean forgets, EvictionListener departures) {
        this(sizes, forgets, departures, ResidentSequenceListener.NONE);
    }

    /**
     * Likewise.
     *
     * @param departures hears of what leaves
     * @param watcher hears what can be gone on with
     */
    public KvCacheManager(
            CacheCapacity sizes,
            boolean forgets,
            EvictionListener departures,
            ResidentSequenceListener watcher) {
        this.sizes = sizes;
        this.forgets = forgets;
        this.departures = departures;
        residents = new FinishedSequences(forgets, watcher);
        paged = new SequencePager(sizes.paging());
        spans = new KvSlotAllocator(sizes.slots());
        rows = new StateRowAllocator(sizes.stateRows(), this::freeRows);
    }

    /** Forgets all sequences, since the caches lost them. */
    public void clear() {
        spans.owners().forEach(paged::leave);
        paged.clear();
        spans = new KvSlotAllocator(sizes.slots());
        rows = new StateRowAllocator(sizes.stateRows(), this::freeRows);
        commits.clear();
        residents.clear();
    }

    /** Who holds the slots at this moment. */
    public KvSlotUsage slotUse() {
        int resident = residents.slots();
        return new KvSlotUsage(
                spans.slots(), spans.slots() - spans.freeSlots() - resident, resident);
    }

    /** Whether a sequence's computed tokens can be taken back one by one. */
    public boolean canCutBack() {
        return !forgets;
    }

    /** Most tokens that may be guessed of a sequence in a batch. */
    public int mostGuesses(CachedSequence sequence) {
        int guesses = forgets ? Math.max(0, sizes.stashes().tokens() - 1) : Integer.MAX_VALUE;
        return Math.min(guesses, mostCertain(sequence));
    }

    /** Most tokens behind the next one that a batch of decode may compute if none is guessed. */
    public int mostCertain(CachedSequence sequence) {
        return paged.mostTokensOfStep(sequence) - 1;
    }

    /** What became of the pages of all sequences; empty where spans hold all of them. */
    public Optional<PagingStatus> paging() {
        return paged.status(spans.owners());
    }

    /** What decides which pages of a sequence stay in its span; empty where all do. */
    public Optional<PagePolicy> pagePolicy() {
        return paged.policy();
    }

    /** Whether the pages of a sequence of some tokens are chosen by what they are worth. */
    public boolean choosesPages(int tokens) {
        return paged.chooses() && sizes.mostSlots(tokens) < tokens;
    }

    /** Whether that is what the model's own queries look for. */
    public boolean asksShards() {
        return paged.asksShards();
    }

    /** Whether the pages of a sequence are to be chosen anew behind what is computed of it. */
    public boolean isChoiceDue(CachedSequence sequence) {
        return paged.isDue(sequence, sequence.computed());
    }

    /**
     * Chooses anew which pages of a sequence lie in its span, by the scores of all of its pages;
     * the next batch moves them.
     */
    public void choosePages(CachedSequence sequence, float[] scores) {
        paged.choose(
                sequence,
                Arrays.copyOf(scores, sequence.computed() / PoolGeometry.PAGE),
                sequence.computed(),
                spans::add);
    }

    /**
     * Likewise, for the last tokens of a prompt before they are computed.
     *
     * @param end position behind the prompt
     */
    public void choosePagesFor(CachedSequence sequence, float[] scores, int end) {
        PageTable table = sequence.pages().orElseThrow();
        table.cut(sequence.computed());
        int whole = sequence.computed() / PoolGeometry.PAGE;
        // Their places first, or what comes back now would leave for them.
        table.allocate(sequence.computed(), end, sequence.span().begin(), spans::add);
        paged.choose(sequence, Arrays.copyOf(scores, whole), end, spans::add);
    }

    /**
     * Leaves the pages of a sequence as they are, though they were to be chosen anew.
     *
     * @param position tokens that would have counted in it
     */
    public void skipChoice(CachedSequence sequence, int position) {
        sequence.pages().ifPresent(table -> table.skip(position));
    }

    /**
     * Chooses anew which pages of a sequence lie in its span; the next batch moves them.
     *
     * @param answers of the shards to the batch that was computed last for it
     * @param asked pages that they were asked for
     * @param position tokens whose queries count in that
     */
    public void choosePages(
            CachedSequence sequence, List<PageScores> answers, int asked, int position) {
        paged.choose(sequence, answers, asked, position, spans::add);
    }

    /**
     * The batch that computes a sequence's next tokens only to learn what they look for. It leaves
     * the sequence as it is: what it writes is written again by whatever computes them for good.
     *
     * @param id what the shards call the sequence
     * @param windowEnd position up to which slots are seen to
     */
    public Batch tryOut(CachedSequence sequence, long id, int[] tokens, int windowEnd) {
        int row = rows.takeOther();
        // Pages that the cell of prefill had reserved behind them would take the place of others.
        sequence.pages().ifPresent(table -> table.cut(sequence.computed()));
        ChunkPlacement place = place(sequence, windowEnd, row, ChunkPlacement.NO_STASH);
        // Batches are computed in their order: whoever takes the row next writes it after this one.
        rows.release(row);
        SequenceChunk slice =
                new SequenceChunk(id, tokens, place, OutputRows.NONE, ChunkComputeMode.CHUNK);
        PageQuery query = paged.query(0, sequence);
        return new Batch(takeChanges(), List.of(slice), Phase.PREFILL, List.of(), List.of(query));
    }

    /** Slots that are free, or would be without residents. */
    private int obtainableSlots() {
        return spans.freeSlots() + residents.slots();
    }

    /**
     * Position up to which a chunk of a prompt reserves slots, so that the pages beside it follow
     * from its position alone, however the prompt is cut.
     */
    public int reservedEnd(CachedSequence sequence, int promptTokens, int end) {
        int begin = sequence.computed();
        return end <= paged.coldTokens(promptTokens)
                ? Math.max(end, paged.cellEnd(begin, promptTokens))
                : end;
    }

    /** Last position from which a prompt may resume: behind it pages follow from its own end. */
    public int lastResume(int promptTokens) {
        return paged.lastResume(promptTokens);
    }

    /** Most slots that a sequence of some tokens may have. */
    public int mostSlots(int tokens) {
        return sizes.mostSlots(tokens);
    }

    /** Leading tokens of a request that a resident has computed; 0 for none. */
    public int find(CacheRequest request) {
        return match(request).map(Match::length).orElse(0);
    }

    /**
     * A sequence with room for a prompt and the token after it, the first tokens of which count as
     * computed: whoever calls this brings their rows and the state behind them before anything is
     * computed. Residents are not touched, but may give way.
     *
     * @param cuts how these tokens were computed
     * @param spareSlots slots that must remain for others
     * @return empty, and nothing is changed, if there is not enough room
     */
    public Optional<CachedSequence> beginBehind(
            CacheRequest request, ChunkBoundaries cuts, int spareSlots) {
        int capacity = sizes.mostSlots(request.tokens().size() + 1);
        if (obtainableSlots() < capacity + spareSlots) {
            return Optional.empty();
        }
        CachedSequence sequence = make(request);
        spans.add(sequence);
        if (!ensure(sequence, request.tokens().size() + 1)) {
            throw new IllegalStateException("room for " + capacity + " slots was promised");
        }
        PageResidency cold = paged.coldResidency(cuts.end(), request.promptTokens());
        sequence.pages().ifPresent(table -> table.await(cuts.end(), cold));
        sequence.beginBehind(cuts, rows.next(sequence));
        return Optional.of(sequence);
    }

    /**
     * A sequence with room for a prompt and the token after it, beginning with what a resident has
     * computed of it already.
     *
     * @param spareSlots slots that must remain for others
     * @return empty, and nothing is changed, if there is not enough room
     */
    public Optional<CachedSequence> begin(CacheRequest request, int spareSlots) {
        int capacity = sizes.mostSlots(request.tokens().size() + 1);
        if (obtainableSlots() < capacity + spareSlots) {
            return Optional.empty();
        }
        CachedSequence sequence = make(request);
        Optional<Match> found = match(request);
        if (found.isEmpty()) {
            spans.add(sequence);
        } else if (mayFork(found.get(), forkSlots(found.get(), capacity))) {
            fork(sequence, found.get(), request, forkSlots(found.get(), capacity));
        } else {
            takeOver(sequence, found.get(), request);
        }
        if (!ensure(sequence, request.tokens().size() + 1)) {
            throw new IllegalStateException("room for " + capacity + " slots was promised");
        }
        return Optional.of(sequence);
    }

    private Optional<Match> match(CacheRequest request) {
        return residents.find(request, lastResume(request.promptTokens()));
    }

    /** A sequence of which nothing is computed. */
    private CachedSequence make(CacheRequest request) {
        return new CachedSequence(
                request.tokens(),
                request.scope(),
                paged.table(),
                paged.coldTokens(request.promptTokens()));
    }

    /** Slots of a fork: as many as the resident has, if its pages are in no order. */
    private static int forkSlots(Match match, int wanted) {
        CachedSequence resident = match.resident();
        boolean straight =
                resident.pages().filter(table -> !table.isStraightUpTo(match.length())).isEmpty();
        return straight ? wanted : Math.max(wanted, resident.span().capacity());
    }

    /**
     * Whether a resident can stay as it is: others may go on from it. One that is extended goes
     * over where it is kept elsewhere, or the copy would cost another resident; and any makes room
     * where its own is needed.
     */
    private boolean mayFork(Match match, int capacity) {
        if (match.extendsResident()) {
            return spans.freeSlots() >= capacity
                    && rows.hasFree()
                    && !departures.keeps(match.resident());
        }
        return obtainableSlots() - match.resident().span().capacity() >= capacity
                && hasRowForFork(Optional.of(match.resident()));
    }

    /**
     * Whether a fork will find a row to write to, without the eviction of what it is forked from.
     */
    private boolean hasRowForFork(Optional<CachedSequence> source) {
        return rows.hasFree()
                || residents.stream()
                        .filter(resident -> source.isEmpty() || resident != source.get())
                        .anyMatch(rows::holdsAlone);
    }

    private void fork(CachedSequence sequence, Match match, CacheRequest request, int capacity) {
        CachedSequence resident = match.resident();
        // It gives way last, and not at all here.
        residents.setAside(resident);
        evictUntilFree(capacity);
        residents.putBack(resident);
        sequence.hold(resident.pages().map(table -> table.copy(pageTokens(match, request))));
        spans.placeCopy(resident, sequence, capacity, match.length());
        lieAsCold(sequence, match, request);
        adopt(sequence, match);
        rows.share(sequence);
    }

    private void takeOver(CachedSequence sequence, Match match, CacheRequest request) {
        CachedSequence resident = match.resident();
        residents.remove(resident);
        // Before its pages and rows behind the shared tokens are given up.
        departures.handedOver(resident, sequence, match.length());
        paged.leave(resident);
        sequence.hold(resident.pages());
        sequence.pages().ifPresent(table -> table.handOver(pageTokens(match, request)));
        spans.handOver(resident, sequence);
        lieAsCold(sequence, match, request);
        adopt(sequence, match);
        rows.releaseOthers(resident, sequence);
    }

    /**
     * Tokens whose pages a sequence takes over: all that there are for the same prompt with its
     * output, also those that are reserved behind it, so that decode begins with the same pages.
     */
    private static int pageTokens(Match match, CacheRequest request) {
        return match.isWhole(request) ? pageTokens(match.resident()) : match.length();
    }

    private static int pageTokens(CachedSequence sequence) {
        return sequence.map().isStraight() ? sequence.computed() : Integer.MAX_VALUE;
    }

    /**
     * Arranges the pages of a sequence as a cold prefill of its prompt has them at that position;
     * the same prompt with its output continues with the pages that it has.
     */
    private void lieAsCold(CachedSequence sequence, Match match, CacheRequest request) {
        if (!match.isWhole(request)) {
            PageResidency cold = paged.coldResidency(match.length(), request.promptTokens());
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

    /** Lets a sequence begin with what a resident holds. */
    private void adopt(CachedSequence sequence, Match match) {
        CachedSequence resident = match.resident();
        boolean whole = match.length() == resident.computed();
        sequence.beginWith(
                resident,
                match.length(),
                whole || !forgets ? resident.stateRow() : resident.checkpoint().row());
    }

    /**
     * Keeps a copy of a sequence as it is, with what its last token gave, for requests of the same
     * prompt. Does nothing where there is no room for it.
     *
     * @param output valid for good
     */
    public void keepCopy(CachedSequence sequence, TokenLogits output) {
        int wanted = sizes.mostSlots(sequence.computed());
        int capacity = sequence.map().isStraight() ? wanted : sequence.span().capacity();
        if (obtainableSlots() < capacity || !hasRowForFork(Optional.empty())) {
            return;
        }
        evictUntilFree(capacity);
        CachedSequence copy =
                new CachedSequence(
                        sequence.tokens().first(sequence.computed()),
                        sequence.scope(),
                        sequence.pages().map(table -> table.copy(pageTokens(sequence))),
                        sequence.coldTokens());
        spans.placeCopy(sequence, copy, capacity, sequence.computed());
        copy.beginWith(sequence, sequence.computed(), sequence.stateRow());
        rows.share(copy);
        copy.keepOutput(output);
        residents.add(copy);
    }

    /**
     * Makes room for {@code tokens} tokens of a sequence, moving it or evicting residents if need
     * be.
     *
     * @return whether there is room now; nothing changed if not
     */
    public boolean ensure(CachedSequence sequence, int tokens) {
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
                throw new IllegalStateException("no gap for " + capacity + " slots");
            }
        }
        return true;
    }

    /**
     * Makes the batch that computes the next tokens of sequences, each at most once; there is room
     * for them. It is of decode if all of them are rows. What it will write counts as written at
     * once: the shards work in order, and if it fails, its sequences have lost their state anyway.
     *
     * @param captures layers whose input is wanted
     */
    public Batch advance(List<ScheduledTokens> advances, List<Integer> captures) {
        rows.makeRoom(advances);
        // All rows before any is entered: one that a sequence leaves is still read in this batch.
        List<SequenceChunk> slices = new ArrayList<>(advances.size());
        int stashes = 0;
        for (ScheduledTokens advance : advances) {
            boolean drafted = forgets && advance.guessed() > 0;
            slices.add(slice(advance, drafted ? stashes++ : ChunkPlacement.NO_STASH));
        }
        List<PageQuery> queries = paged.queries(advances);
        Batch batch =
                new Batch(takeChanges(), slices, ChunkKind.phaseOf(advances), captures, queries);
        for (int i = 0; i < slices.size(); i++) {
            ScheduledTokens advance = advances.get(i);
            CachedSequence sequence = advance.sequence();
            sequence.extend(advance.end(), advance.stretch());
            if (advance.guessed() > 0) {
                sequence.draft(slices.get(i).place());
            }
            rows.enter(sequence, slices.get(i).writeRow());
            if (advance.keepState()) {
                sequence.keepCheckpoint(new Checkpoint(sequence.stateRow(), sequence.computed()));
            }
        }
        return batch;
    }

    /** Changes that the next batch would make, for whoever reads or writes caches before it. */
    public CacheChanges takeChanges() {
        List<RowMove> moves = new ArrayList<>(spans.takeMoves());
        moves.addAll(paged.takeDrops());
        if (commits.isEmpty() && moves.isEmpty()) {
            return CacheChanges.NONE;
        }
        CacheChanges changes = new CacheChanges(commits, moves);
        commits.clear();
        return changes;
    }

    /** Where the next tokens go; their pages come to lie in the span. */
    private ChunkPlacement place(CachedSequence sequence, int end, int writeRow, int stash) {
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
                stash,
                sequence.map());
    }

    private SequenceChunk slice(ScheduledTokens advance, int stash) {
        CachedSequence sequence = advance.sequence();
        int target = advance.keepState() ? rows.takeOther() : rows.next(sequence);
        return new SequenceChunk(
                advance.id(),
                advance.tokens(),
                place(sequence, advance.reserved(), target, stash),
                advance.outputs(),
                advance.stretch().kind(),
                advance.tree());
    }

    /**
     * Takes back the end of a sequence's last forward: tokens that were guessed and are not its
     * own. State that cannot be cut back takes in the others with the next batch.
     *
     * @param computed tokens that remain computed, at least one of that forward
     * @throws IllegalStateException if there are fewer of a forward of which none was guessed, and
     *     the state cannot be cut back
     */
    public void accept(CachedSequence sequence, int computed) {
        Optional<ChunkPlacement> drafted = sequence.settleDraft();
        if (drafted.isPresent()) {
            int first = drafted.get().firstPosition();
            accept(sequence, drafted.get(), TokenPath.first(computed - first));
            return;
        }
        if (forgets && computed < sequence.computed()) {
            throw new IllegalStateException(
                    "the state after "
                            + sequence.computed()
                            + " tokens cannot be cut back to "
                            + computed);
        }
        if (computed < sequence.computed()) {
            sequence.shorten(computed);
        }
    }

    /**
     * Takes back all of a sequence's last forward, some of which was guessed, but a path through
     * it, the tokens of which follow one another from now on.
     *
     * @throws IllegalStateException if nothing of that forward was guessed
     */
    public void accept(CachedSequence sequence, TokenPath path) {
        accept(
                sequence,
                sequence.settleDraft()
                        .orElseThrow(() -> new IllegalStateException("nothing was guessed")),
                path);
    }

    private void accept(CachedSequence sequence, ChunkPlacement place, TokenPath path) {
        if (place.isDrafted()) {
            commits.add(
                    new StateCommit(
                            place.stash(),
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

    /** Lets somebody give way who may hold rows; says whether there was one. */
    private boolean freeRows() {
        return departures.releaseRows() || evict();
    }

    /** Keeps a finished sequence until its room is needed. */
    public void keep(CachedSequence sequence) {
        if (sequence.computed() == 0) {
            drop(sequence);
        } else {
            residents.add(sequence);
        }
    }

    /**
     * Keeps a state row as it is until {@link #release}, whatever becomes of its sequence. Held
     * rows are given back when {@link EvictionListener#releaseRows} asks for them.
     */
    public void hold(int row) {
        rows.hold(row);
    }

    /** Ends a {@link #hold}. */
    public void release(int row) {
        rows.release(row);
    }

    /** Lets all residents go. */
    public void evictAll() {
        while (evict()) {
            // One after the other.
        }
    }

    /** Frees a sequence's slots and rows; what it had computed is gone. */
    public void drop(CachedSequence sequence) {
        spans.remove(sequence);
        paged.leave(sequence);
        rows.drop(sequence);
        sequence.forget();
    }

    private void evictUntilFree(int capacity) {
        while (spans.freeSlots() < capacity) {
            if (!evict()) {
                throw new IllegalStateException("room for " + capacity + " slots was promised");
            }
        }
    }

    private boolean evict() {
        Optional<CachedSequence> oldest = residents.pollOldest();
        oldest.ifPresent(departures::leaves);
        oldest.ifPresent(this::drop);
        return oldest.isPresent();
    }
}
