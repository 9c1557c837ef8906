package dev.varve.platform.sequence;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PageResidency;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.SlotPositionMap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Page tables of sequences whose spans may be smaller than their tokens, and the positions at which
 * their pages are chosen anew. These depend on positions only, so that a sequence that is computed
 * again has the same pages at the same tokens.
 */
final class KvPageManager {
    /** Scoring reads the whole history, so a longer history is scored less often. */
    private static final int HISTORY_PER_CHOICE = 45;

    private final Optional<PagingOptions> options;
    private final Optional<PageScorer> scorer;
    private final boolean chooses;
    private final PageContentRegistry pageContents = new PageContentRegistry();

    /** Counts of dropped sequences. */
    private PagingCounts past = PagingCounts.NONE;

    KvPageManager(Optional<PagingOptions> options) {
        this.options = options;
        scorer =
                options.filter(bounded -> bounded.policy() == PagePolicy.QK)
                        .map(bounded -> new QueryScorer());
        chooses = options.filter(bounded -> bounded.policy() != PagePolicy.LRU).isPresent();
    }

    /** Policy that decides which pages stay; empty if all do. */
    Optional<PagePolicy> policy() {
        return options.map(PagingOptions::policy);
    }

    /** Creates a table for a new sequence, if it needs one. */
    Optional<PageTable> table() {
        return options.map(bounded -> new PageTable(pageContents, bounded.pageBytes()));
    }

    /** Lets the shards drop all pages, after the loss of all sequences. */
    void clear() {
        pageContents.releaseAll();
    }

    /** Whether a prompt is larger than its pool. */
    private boolean outgrows(int promptTokens) {
        return options.filter(bounded -> promptTokens > bounded.poolTokens()).isPresent();
    }

    /**
     * Leading tokens that a request computes with the pages of a cold prefill. Decode replaces
     * pages one at a time, and the last tokens of a prompt attend to pages that were chosen for
     * them.
     */
    int coldTokens(int promptTokens) {
        if (options.isEmpty()) {
            return Integer.MAX_VALUE;
        }
        return outgrows(promptTokens)
                ? Math.min(promptTokens, lastResume(promptTokens))
                : PagePoolSizing.wholeCells(options.get().poolTokens());
    }

    /**
     * Last position from which a prompt may resume, because pages are chosen for the tokens after
     * it.
     */
    int lastResume(int promptTokens) {
        return chooses && outgrows(promptTokens)
                ? Math.max(0, promptTokens - PagePoolSizing.QUESTION)
                : Integer.MAX_VALUE;
    }

    /** End of the prefill cell of a position; 0 for a prompt that fits its pool. */
    int cellEnd(int position, int promptTokens) {
        if (!outgrows(promptTokens)) {
            return 0;
        }
        int cell = PagePoolSizing.cell(options.get().poolTokens());
        return (position / cell + 1) * cell;
    }

    /** Pages that a cold prefill of a prompt has in its pool when it reaches a position. */
    PageResidency coldResidency(int position, int promptTokens) {
        if (!outgrows(promptTokens) || position == 0) {
            return PageResidency.STRAIGHT;
        }
        int runs = options.get().poolTokens() / PagePoolSizing.PAGE;
        int end = PagePoolSizing.pages(cellEnd(position - 1, promptTokens));
        int[] resident = new int[runs];
        Arrays.fill(resident, SlotPositionMap.EMPTY);
        int count = 0;
        for (int page = 0; page < PagePoolSizing.pages(position); page++) {
            if (page < PagePoolSizing.SINKS || page >= end - runs + PagePoolSizing.SINKS) {
                resident[count++] = page;
            }
        }
        return end <= runs ? PageResidency.STRAIGHT : new PageResidency(resident, new float[0], 0);
    }

    /** Takes the pages that the shards must drop. */
    List<? extends KvRowOperation> takeDrops() {
        return pageContents.takeDrops();
    }

    /** Adds the counts of a sequence that is dropped. */
    void addPastCounts(SequenceCache sequence) {
        past = past.plus(counts(sequence));
    }

    private static PagingCounts counts(SequenceCache sequence) {
        return sequence.pages().map(PageTable::counts).orElse(PagingCounts.NONE);
    }

    /** Status of all pages. */
    Optional<PagingStatus> status(Iterable<SequenceCache> present) {
        return options.map(
                bounded -> {
                    PagingCounts counts = past;
                    long resident = 0;
                    for (SequenceCache sequence : present) {
                        counts = counts.plus(counts(sequence));
                        resident += sequence.pages().map(PageTable::residentPages).orElse(0);
                    }
                    long pages = pageContents.onHost();
                    return new PagingStatus(
                            bounded, counts, pages, pages * bounded.pageBytes(), resident);
                });
    }

    /**
     * Maximum tokens of a sequence that one step may decode with the same result as one at a time:
     * none of its pages may leave in between, and pages are chosen after the last token at most.
     */
    int mostTokensOfStep(SequenceCache sequence) {
        if (sequence.pages().isEmpty()) {
            return Integer.MAX_VALUE;
        }
        PageTable table = sequence.pages().get();
        int computed = sequence.computed();
        int most = PagePoolSizing.PAGE - computed % PagePoolSizing.PAGE;
        boolean staysStraight =
                table.isStraight()
                        && computed + 2 * PagePoolSizing.PAGE <= options.get().poolTokens();
        if (staysStraight) {
            return PagePoolSizing.PAGE;
        }
        for (int tokens = 1; tokens < most; tokens++) {
            if (isDue(table, computed + tokens)) {
                return tokens;
            }
        }
        return most;
    }

    private boolean isDue(PageTable table, int position) {
        return chooses
                && position - table.scoredAt()
                        >= Math.max(options.get().tau(), position / HISTORY_PER_CHOICE);
    }

    /** Queries about the pages of the sequences whose pages are chosen after a batch. */
    List<PageQuery> queries(List<ScheduledTokens> advances) {
        List<PageQuery> queries = new ArrayList<>();
        if (scorer.filter(PageScorer::needsShardScores).isPresent()) {
            for (int i = 0; i < advances.size(); i++) {
                ScheduledTokens advance = advances.get(i);
                if (advance.kind() == ChunkKind.ROWS && selectsPagesAfter(advance)) {
                    queries.add(query(i, advance.sequence()));
                }
            }
        }
        return queries;
    }

    private boolean selectsPagesAfter(ScheduledTokens advance) {
        return isDue(advance.sequence(), advance.end());
    }

    /** Whether the pages of a sequence must be chosen anew at a position. */
    boolean isDue(SequenceCache sequence, int position) {
        return sequence.pages()
                .filter(table -> table.hostPages() > 0 && isDue(table, position))
                .isPresent();
    }

    /** Creates a query about all computed pages of a sequence. */
    PageQuery query(int chunk, SequenceCache sequence) {
        return new PageQuery(
                chunk,
                sequence.pages()
                        .orElseThrow()
                        .places(sequence.computed(), sequence.span().begin()));
    }

    /** Whether pages are chosen by scores, of any scorer. */
    boolean chooses() {
        return chooses;
    }

    /** Whether pages are scored by responses of the shards. */
    boolean needsShardScores() {
        return scorer.filter(PageScorer::needsShardScores).isPresent();
    }

    /**
     * Chooses the pages of a sequence anew.
     *
     * @param answers responses of the shards
     * @param asked number of whole pages in the query
     * @param position tokens whose queries count in the choice
     * @param moves receives the required moves
     */
    void choose(
            SequenceCache sequence,
            List<PageScores> answers,
            int asked,
            int position,
            Consumer<KvRowOperation> moves) {
        scorer.flatMap(each -> each.score(sequence.tokens(), answers, asked))
                .ifPresent(scores -> choose(sequence, scores, position, moves));
    }

    /**
     * Chooses the pages of a sequence anew by given scores.
     *
     * @param scores of the first pages; the others stay
     */
    void choose(
            SequenceCache sequence, float[] scores, int position, Consumer<KvRowOperation> moves) {
        sequence.pages().orElseThrow().reselect(scores, position, sequence.span().begin(), moves);
    }
}
