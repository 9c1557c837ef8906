package dev.varve.platform.sequence;

import dev.varve.platform.paging.PageResidency;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.sequence.PageContentRegistry.Page;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.RowRun;
import dev.varve.platform.shard.SlotPositionMap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Place of the pages of a sequence: in runs of slots of its span, in host memory, or in both. The
 * span holds its pages in the order of their numbers, from its first run on and without a gap.
 * Attention therefore sums in the order of positions, and the set of resident pages alone
 * determines the place of each. If the span is too small for all pages, one page leaves for each
 * that enters: the one with the lowest score if pages are scored, else the least recently used one;
 * never a sink, the page that is written or those shortly before it.
 *
 * <p>The table only decides and records. It passes the required moves to the maker of the next
 * batch, in order: first the pages that leave, then the shifts, then the pages that enter. Runs per
 * step.
 */
final class PageTable {
    private static final int NOWHERE = -1;

    private final PageContentRegistry pageContents;
    private final List<Page> pages = new ArrayList<>();

    /** Run of each page, by page number. */
    private int[] runs = new int[16];

    private long[] uses = new long[16];

    /** Page number of each run; ascending, and never modified in place. */
    private int[] pageOfRun = new int[0];

    /** Number of runs of the span. */
    private int capacity;

    private int head;
    private long clock;
    private long epoch;
    private PageRanking choice = new PageRanking();

    /** Map at an epoch with a number of runs; empty before its first use. */
    private Optional<CachedMap> known = Optional.empty();

    private PagingCounts counts = PagingCounts.NONE;
    private final long pageBytes;

    private record CachedMap(SlotPositionMap map, long epoch, int runs) {}

    /**
     * Creates a table of a sequence that has no span yet.
     *
     * @param pageBytes bytes of a page, over all shards
     */
    PageTable(PageContentRegistry pageContents, long pageBytes) {
        this.pageContents = pageContents;
        this.pageBytes = pageBytes;
    }

    /** Whether the pages of the first tokens are all in the span, each in the run of its number. */
    boolean isStraightUpTo(int tokens) {
        int count = PagePoolSizing.pages(tokens);
        return count == 0 || count <= pageOfRun.length && pageOfRun[count - 1] == count - 1;
    }

    /**
     * Copies the table of the first tokens for another sequence, in a span with the same
     * arrangement of pages.
     */
    PageTable copy(int tokens) {
        PageTable copy = new PageTable(pageContents, pageBytes);
        boolean straight = isStraightUpTo(tokens);
        int count = straight ? PagePoolSizing.pages(tokens) : pages.size();
        for (int page = 0; page < count; page++) {
            pageContents.share(pages.get(page));
            copy.append(pages.get(page), uses[page]);
        }
        copy.clock = clock;
        copy.growTo(straight ? count : capacity);
        copy.setResident(straight ? Arrays.copyOf(pageOfRun, count) : pageOfRun);
        if (straight) {
            copy.head = Math.max(0, count - 1);
        } else {
            copy.head = head;
            copy.choice = choice.copy();
            copy.truncate(tokens);
        }
        return copy;
    }

    /**
     * Assigns places to pages that are about to be imported: an earlier residency if it fits, else
     * the residency of a computation from the beginning.
     *
     * @param tokens number of tokens; pages outside the span go to host memory
     */
    void await(int tokens, PageResidency before) {
        int count = PagePoolSizing.pages(tokens);
        if (before.fits(capacity, count)) {
            for (int page = 0; page < count; page++) {
                append(pageContents.make(), ++clock);
            }
            head = count - 1;
            setResident(before.resident(count));
            for (int page = 0; page < count; page++) {
                if (runs[page] == NOWHERE) {
                    pageContents.putOnHost(pages.get(page));
                }
            }
            restore(before);
        } else {
            for (int first = 0; first < tokens; first += PagePoolSizing.PAGE) {
                allocate(first, Math.min(first + PagePoolSizing.PAGE, tokens), 0, move -> {});
            }
        }
        counts = PagingCounts.NONE;
    }

    private void restore(PageResidency before) {
        choice.setScores(before.scores(), before.scoredAt());
    }

    /**
     * Restores the residency that was recorded at the given number of tokens or slightly more, so
     * that the sequence continues as it did then.
     *
     * @param tokens number of tokens
     * @param before recorded residency, in a span of as many runs
     * @param spanBegin first slot of the span
     * @param moves receives the required moves
     */
    void restoreResidency(
            int tokens, PageResidency before, int spanBegin, Consumer<KvRowOperation> moves) {
        int[] wanted = before.resident(pages.size());
        if (wanted.length > capacity) {
            return;
        }
        arrange(wanted, spanBegin, moves);
        restore(before);
        // The choice may have been made for tokens that were not computed yet.
        int scoredAt = Math.min(before.scoredAt(), tokens + PagePoolSizing.PAGE);
        choice.truncate(tokens);
        choice.setPosition(scoredAt);
        forgetIfStraight();
    }

    /** Appends a page that has no run. */
    private void append(Page page, long use) {
        int number = pages.size();
        if (number == runs.length) {
            runs = Arrays.copyOf(runs, 2 * number);
            uses = Arrays.copyOf(uses, 2 * number);
        }
        pages.add(page);
        runs[number] = NOWHERE;
        uses[number] = use;
    }

    /** Increases the number of runs of the span. */
    void growTo(int newCapacity) {
        capacity = Math.max(capacity, newCapacity);
    }

    /** Statistics of its pages. */
    PagingCounts counts() {
        return counts;
    }

    /** A number that changes with every change of the arrangement. */
    long epoch() {
        return epoch;
    }

    int residentPages() {
        return pageOfRun.length;
    }

    /** Number of pages in host memory only. */
    int hostPages() {
        return pages.size() - residentPages();
    }

    /** Whether every page is in the span, in the run of its number. */
    boolean isStraight() {
        return pageOfRun.length == pages.size();
    }

    /** Current map of positions to slots. */
    SlotPositionMap map() {
        if (known.filter(each -> each.epoch() == epoch && each.runs() == capacity).isEmpty()) {
            SlotPositionMap map =
                    isStraight() ? SlotPositionMap.STRAIGHT : SlotPositionMap.of(inRuns());
            known = Optional.of(new CachedMap(map, epoch, capacity));
        }
        return known.get().map();
    }

    /** Page of each run. */
    private int[] inRuns() {
        int[] inRuns = Arrays.copyOf(pageOfRun, capacity);
        Arrays.fill(inRuns, pageOfRun.length, capacity, SlotPositionMap.EMPTY);
        return inRuns;
    }

    /** Slot of a position in the span, or a negative number. */
    int slot(int position) {
        int page = PagePoolSizing.pageOf(position);
        return isResident(page)
                ? runs[page] * PagePoolSizing.PAGE + position % PagePoolSizing.PAGE
                : NOWHERE;
    }

    private boolean isResident(int page) {
        return page < pages.size() && runs[page] != NOWHERE;
    }

    /**
     * Allocates slots for positions that are about to be written; pages leave if necessary, and
     * return if there is more room. Nothing is changed if it fails.
     *
     * @param spanBegin first slot of the span
     * @param moves receives the required moves
     * @throws IllegalStateException if no page may leave
     */
    void allocate(int first, int end, int spanBegin, Consumer<KvRowOperation> moves) {
        int firstPage = PagePoolSizing.pageOf(first);
        int endPage = PagePoolSizing.pages(end);
        BitSet wanted = new BitSet();
        for (int page : pageOfRun) {
            wanted.set(page);
        }
        fillUp(wanted, firstPage, endPage);
        evictFor(wanted, firstPage, endPage);
        head = Math.max(head, endPage - 1);
        while (pages.size() < endPage) {
            append(pageContents.make(), 0);
        }
        arrange(wanted.stream().toArray(), spanBegin, moves);
        for (int page = firstPage; page < endPage; page++) {
            uses[page] = ++clock;
            pages.set(page, pageContents.toWrite(pages.get(page)));
        }
    }

    /**
     * Brings back pages if there is room in addition to the pages that are about to be written: the
     * last ones that would leave come first. There is room if a sequence resumes from an earlier
     * position of a longer one, whose later pages had displaced them.
     */
    private void fillUp(BitSet wanted, int firstPage, int endPage) {
        int room = capacity - pageOfRun.length;
        for (int page = firstPage; page < endPage; page++) {
            room -= isResident(page) ? 0 : 1;
        }
        if (room <= 0 || hostPages() == 0) {
            return;
        }
        List<Integer> away = new ArrayList<>();
        for (int page = 0; page < pages.size(); page++) {
            if (!isResident(page) && (page < firstPage || page >= endPage)) {
                away.add(page);
            }
        }
        away.sort(this::byReturn);
        away.stream().limit(room).forEach(wanted::set);
    }

    /**
     * Orders pages by their return; without a choice, or between protected pages, the most recently
     * used one returns first.
     */
    private int byReturn(int page, int other) {
        boolean byUse = !choice.hasScores() || isProtected(page, head) && isProtected(other, head);
        return byUse ? Long.compare(uses[other], uses[page]) : choice.byRank(page, other, head);
    }

    /** Adds pages that are about to be written; another page leaves for each if necessary. */
    private void evictFor(BitSet wanted, int firstPage, int endPage) {
        BitSet others = (BitSet) wanted.clone();
        others.clear(firstPage, endPage);
        for (int page = firstPage; page < endPage; page++) {
            if (!wanted.get(page) && wanted.cardinality() == capacity) {
                int victim = victim(others, page);
                others.clear(victim);
                wanted.clear(victim);
            }
            wanted.set(page);
        }
    }

    /**
     * Selects the page that leaves next.
     *
     * @param others candidates, including protected pages
     * @param page the page that needs the room
     */
    private int victim(BitSet others, int page) {
        int last = Math.max(head, page);
        return others.stream()
                .filter(each -> !isProtected(each, last))
                .reduce((best, each) -> isEvictedBefore(each, best) ? each : best)
                .orElseThrow(() -> new IllegalStateException("no evictable page for page " + page));
    }

    /**
     * Arranges the span so that it holds exactly the given pages.
     *
     * @param wanted their numbers, ascending; at most one per run
     */
    private void arrange(int[] wanted, int spanBegin, Consumer<KvRowOperation> moves) {
        if (Arrays.equals(wanted, pageOfRun)) {
            return;
        }
        int[] stays = Arrays.stream(wanted).filter(page -> runs[page] != NOWHERE).toArray();
        for (int page : pageOfRun) {
            if (Arrays.binarySearch(stays, page) < 0) {
                pageOut(page, spanBegin, moves);
            }
        }
        shift(wanted, spanBegin, moves);
        setResident(wanted);
        for (int page : wanted) {
            // A page that is written for the first time has no content to bring in.
            if (Arrays.binarySearch(stays, page) < 0 && pages.get(page).isOnHost()) {
                pageIn(page, spanBegin, moves);
            }
        }
    }

    /**
     * Closes gaps and opens others. Rows that move down go first, from front to back, then those
     * that move up, from back to front: their order stays, so no row overwrites one that has not
     * moved yet.
     */
    private void shift(int[] wanted, int spanBegin, Consumer<KvRowOperation> moves) {
        List<KvSlotCopy> up = new ArrayList<>();
        int run = 0;
        while (run < wanted.length) {
            int from = runs[wanted[run]];
            int end = run + 1;
            if (from != NOWHERE && from != run) {
                while (end < wanted.length && runs[wanted[end]] == from + end - run) {
                    end++;
                }
                KvSlotCopy copy =
                        new KvSlotCopy(
                                spanBegin + from * PagePoolSizing.PAGE,
                                spanBegin + run * PagePoolSizing.PAGE,
                                (end - run) * PagePoolSizing.PAGE);
                if (from > run) {
                    moves.accept(copy);
                } else {
                    up.add(copy);
                }
            }
            run = end;
        }
        up.reversed().forEach(moves);
    }

    /** Records that the span holds exactly the given pages. */
    private void setResident(int[] wanted) {
        Arrays.fill(runs, 0, pages.size(), NOWHERE);
        for (int run = 0; run < wanted.length; run++) {
            runs[wanted[run]] = run;
        }
        pageOfRun = wanted;
        epoch++;
    }

    private void pageIn(int page, int spanBegin, Consumer<KvRowOperation> moves) {
        int slot = spanBegin + runs[page] * PagePoolSizing.PAGE;
        moves.accept(PageMove.in(pages.get(page).name(), slot));
        counts = counts.plus(new PagingCounts(0, 1, pageBytes, 0, 0, 0));
    }

    private void pageOut(int page, int spanBegin, Consumer<KvRowOperation> moves) {
        Page content = pages.get(page);
        boolean copies = !content.isOnHost();
        if (copies) {
            // A page that is in host memory already has not changed since.
            int slot = spanBegin + runs[page] * PagePoolSizing.PAGE;
            moves.accept(PageMove.out(content.name(), slot));
            pageContents.putOnHost(content);
        }
        counts = counts.plus(new PagingCounts(1, 0, copies ? pageBytes : 0, 0, 0, 0));
        runs[page] = NOWHERE;
    }

    /**
     * Whether a page must stay.
     *
     * @param head the last page that was ever written
     */
    static boolean isProtected(int page, int head) {
        return page < PagePoolSizing.SINKS || page > head - 1 - PagePoolSizing.TAIL;
    }

    private boolean isEvictedBefore(int page, int other) {
        return choice.hasScores()
                ? choice.score(page) < choice.score(other)
                : uses[page] < uses[other];
    }

    /**
     * Chooses the pages of the span by their scores; pages with equal scores in their order. Sinks
     * and the last pages stay.
     *
     * @param given score of each page, higher is better; may cover fewer pages, then the others
     *     stay
     * @param position computed tokens
     * @return number of pages that left or returned
     */
    int reselect(float[] given, int position, int spanBegin, Consumer<KvRowOperation> moves) {
        choice.setScores(given, position);
        Set<Integer> chosen = choice.bestPages(pages.size(), head, capacity);
        int hits = choice.hits(chosen);
        int[] wanted = chosen.stream().mapToInt(Integer::intValue).sorted().toArray();
        List<Integer> recalled =
                Arrays.stream(wanted).filter(page -> !isResident(page)).boxed().toList();
        int leave = pageOfRun.length - (wanted.length - recalled.size());
        arrange(wanted, spanBegin, moves);
        choice.recalled(recalled);
        counts = counts.plus(new PagingCounts(0, 0, 0, 1, recalled.size(), hits));
        return leave + recalled.size();
    }

    /** Skips a choice: the pages stay until the next one. */
    void skip(int position) {
        choice.setPosition(position);
    }

    /** Computed tokens at the last choice by score; 0 if there was none. */
    int scoredAt() {
        return choice.position();
    }

    /**
     * Places of the whole pages before a position, in their order, for a query.
     *
     * @param spanBegin first slot of the span
     */
    List<PageQuery.PagePlace> places(int position, int spanBegin) {
        List<PageQuery.PagePlace> places = new ArrayList<>();
        for (int page = 0; page < position / PagePoolSizing.PAGE; page++) {
            pageContents.markQueried(pages.get(page));
            places.add(
                    new PageQuery.PagePlace(
                            pages.get(page).name(),
                            runs[page] == NOWHERE
                                    ? PageQuery.PagePlace.ON_HOST
                                    : spanBegin + runs[page] * PagePoolSizing.PAGE));
        }
        return places;
    }

    /**
     * Places of the rows of some positions.
     *
     * @param spanBegin first slot of the span
     */
    List<RowRun> rows(int position, int count, int spanBegin) {
        if (isStraight()) {
            return List.of(RowRun.inSlots(position, count, spanBegin + position));
        }
        List<RowRun> rows = new ArrayList<>();
        int at = position;
        while (at < position + count) {
            int page = PagePoolSizing.pageOf(at);
            int length = Math.min((page + 1) * PagePoolSizing.PAGE, position + count) - at;
            rows.add(
                    runs[page] == NOWHERE
                            ? RowRun.onHost(at, length, pages.get(page).name())
                            : RowRun.inSlots(at, length, spanBegin + slot(at)));
            at += length;
        }
        return rows;
    }

    /** Current residency, to be recorded. */
    PageResidency residency() {
        return isStraight()
                ? PageResidency.STRAIGHT
                : new PageResidency(inRuns(), choice.scores(), choice.position());
    }

    /** Continues as the table of another sequence, which shares the first tokens. */
    void transferTo(int tokens) {
        counts = PagingCounts.NONE;
        truncate(tokens);
    }

    /** Cuts the table to the first tokens. */
    void truncate(int tokens) {
        int kept = PagePoolSizing.pages(tokens);
        while (pages.size() > kept) {
            pageContents.release(pages.removeLast());
        }
        int[] rest = Arrays.stream(pageOfRun).filter(page -> page < kept).toArray();
        if (rest.length < pageOfRun.length) {
            // Only the last ones are removed, so the others keep their runs.
            setResident(rest);
        }
        head = Math.max(0, Math.min(head, kept - 1));
        choice.truncate(tokens);
        forgetIfStraight();
    }

    private void forgetIfStraight() {
        if (isStraight()) {
            // Applies to a fork, to a takeover and to a restored sequence.
            choice = new PageRanking();
        }
    }

    /** Releases all pages. */
    void release() {
        truncate(0);
    }
}
