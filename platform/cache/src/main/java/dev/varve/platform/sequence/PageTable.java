package dev.varve.platform.sequence;

import dev.varve.platform.paging.PageResidency;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.sequence.PageRegistry.Page;
import dev.varve.platform.shard.PageMap;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PoolGeometry;
import dev.varve.platform.shard.RowMove;
import dev.varve.platform.shard.RowRun;
import dev.varve.platform.shard.SlotCopy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Where the pages of a sequence lie: in runs of slots of its span, in host memory, or in both. The
 * span holds its pages in the order of their numbers, from its first run on and without a gap, so
 * that attention adds up in the order of positions and what lies where follows from the set of
 * resident pages alone. Where the span is too small for all of them, a page leaves for each that
 * comes: the one with the lowest score where pages are scored, else the one that was used longest
 * ago; never a sink, nor the page that is written and those shortly before it.
 *
 * <p>Decides and takes note; what is to be moved is told to whoever makes the next batch, in order:
 * first what leaves, then what is shifted, then what comes. Runs per step.
 */
final class PageTable {
    private static final int NOWHERE = -1;

    private final PageRegistry names;
    private final List<Page> pages = new ArrayList<>();

    /** By page number the run where it lies. */
    private int[] runs = new int[16];

    private long[] uses = new long[16];

    /** By run the number of the page that lies there; ascending, and never changed in place. */
    private int[] held = new int[0];

    /** Runs of the span. */
    private int capacity;

    private int head;
    private long clock;
    private long epoch;
    private PageRanking choice = new PageRanking();

    /** As it is at an epoch with some runs; empty before it was asked for. */
    private Optional<KnownMap> known = Optional.empty();

    private PagingCounts counts = PagingCounts.NONE;
    private final long pageBytes;

    private record KnownMap(PageMap map, long epoch, int runs) {}

    /**
     * A table of a sequence that has no span yet.
     *
     * @param pageBytes bytes of a page, over all shards
     */
    PageTable(PageRegistry names, long pageBytes) {
        this.names = names;
        this.pageBytes = pageBytes;
    }

    /** Whether all of the first tokens lie in the span. */
    boolean isStraightUpTo(int tokens) {
        int count = PoolGeometry.pages(tokens);
        return count == 0 || count <= held.length && held[count - 1] == count - 1;
    }

    /**
     * The first tokens for another sequence, in a span in which pages lie as they do in its own.
     */
    PageTable copy(int tokens) {
        PageTable copy = new PageTable(names, pageBytes);
        boolean straight = isStraightUpTo(tokens);
        int count = straight ? PoolGeometry.pages(tokens) : pages.size();
        for (int page = 0; page < count; page++) {
            names.share(pages.get(page));
            copy.append(pages.get(page), uses[page]);
        }
        copy.clock = clock;
        copy.growTo(straight ? count : capacity);
        copy.hold(straight ? Arrays.copyOf(held, count) : held);
        if (straight) {
            copy.head = Math.max(0, count - 1);
        } else {
            copy.head = head;
            copy.choice = choice.copy();
            copy.cut(tokens);
        }
        return copy;
    }

    /**
     * Gives pages that are to come from elsewhere their places: those that lay in the span when
     * that was written down lie there again, if that fits, else those that would if they had been
     * computed one after the other.
     *
     * @param tokens how many are to come, of which those outside the span go to host memory
     */
    void await(int tokens, PageResidency before) {
        int count = PoolGeometry.pages(tokens);
        if (before.fits(capacity, count)) {
            for (int page = 0; page < count; page++) {
                append(names.make(), ++clock);
            }
            head = count - 1;
            hold(before.resident(count));
            for (int page = 0; page < count; page++) {
                if (runs[page] == NOWHERE) {
                    names.putOnHost(pages.get(page));
                }
            }
            take(before);
        } else {
            for (int first = 0; first < tokens; first += PoolGeometry.PAGE) {
                allocate(first, Math.min(first + PoolGeometry.PAGE, tokens), 0, move -> {});
            }
        }
        counts = PagingCounts.NONE;
    }

    private void take(PageResidency before) {
        choice.take(before.scores(), before.scoredAt());
    }

    /**
     * Has those pages lie in the span again that lay there when there were so many tokens or
     * somewhat more, so that the sequence goes on as it did then.
     *
     * @param tokens how many there are
     * @param before as it was written down, in a span of as many runs
     * @param spanBegin first slot of the span
     * @param moves hears what is to be moved
     */
    void restoreResidency(
            int tokens, PageResidency before, int spanBegin, Consumer<RowMove> moves) {
        int[] wanted = before.resident(pages.size());
        if (wanted.length > capacity) {
            return;
        }
        arrange(wanted, spanBegin, moves);
        take(before);
        // It may have been made for tokens that were to come.
        int scoredAt = Math.min(before.scoredAt(), tokens + PoolGeometry.PAGE);
        choice.cut(tokens);
        choice.isMadeAt(scoredAt);
        forgetIfStraight();
    }

    /** One more page, which lies in no run. */
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

    /** The span has more runs from now on. */
    void growTo(int newCapacity) {
        capacity = Math.max(capacity, newCapacity);
    }

    /** What became of its pages. */
    PagingCounts counts() {
        return counts;
    }

    /** A number that changes with what lies where. */
    long epoch() {
        return epoch;
    }

    int residentPages() {
        return held.length;
    }

    /** Pages that lie in host memory alone. */
    int hostPages() {
        return pages.size() - residentPages();
    }

    /** Whether every page lies in the span, which then is the run of its number. */
    boolean isStraight() {
        return held.length == pages.size();
    }

    /** Which positions lie in the slots at this moment. */
    PageMap map() {
        if (known.filter(each -> each.epoch() == epoch && each.runs() == capacity).isEmpty()) {
            PageMap map = isStraight() ? PageMap.STRAIGHT : PageMap.of(inRuns());
            known = Optional.of(new KnownMap(map, epoch, capacity));
        }
        return known.get().map();
    }

    /** By run the page that lies there. */
    private int[] inRuns() {
        int[] inRuns = Arrays.copyOf(held, capacity);
        Arrays.fill(inRuns, held.length, capacity, PageMap.EMPTY);
        return inRuns;
    }

    /** The slot of a position in the span, or a negative number. */
    int slot(int position) {
        int page = PoolGeometry.pageOf(position);
        return isResident(page)
                ? runs[page] * PoolGeometry.PAGE + position % PoolGeometry.PAGE
                : NOWHERE;
    }

    private boolean isResident(int page) {
        return page < pages.size() && runs[page] != NOWHERE;
    }

    /**
     * Sees that positions which are about to be written have slots; others leave if need be, and
     * come back where there is room for more. If it fails nothing is changed.
     *
     * @param spanBegin first slot of the span
     * @param moves hears what is to be moved
     * @throws IllegalStateException if nothing may leave
     */
    void allocate(int first, int end, int spanBegin, Consumer<RowMove> moves) {
        int firstPage = PoolGeometry.pageOf(first);
        int endPage = PoolGeometry.pages(end);
        BitSet wanted = new BitSet();
        for (int page : held) {
            wanted.set(page);
        }
        fillUp(wanted, firstPage, endPage);
        makeRoom(wanted, firstPage, endPage);
        head = Math.max(head, endPage - 1);
        while (pages.size() < endPage) {
            append(names.make(), 0);
        }
        arrange(wanted.stream().toArray(), spanBegin, moves);
        for (int page = firstPage; page < endPage; page++) {
            uses[page] = ++clock;
            pages.set(page, names.toWrite(pages.get(page)));
        }
    }

    /**
     * Brings back pages for which there is room beside those that are about to be written: the last
     * ones that would leave come first. There is room where a sequence goes on from an earlier
     * position of a longer one, whose later pages had driven them out.
     */
    private void fillUp(BitSet wanted, int firstPage, int endPage) {
        int room = capacity - held.length;
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

    /** The page first that comes back before another one: of those that must stay, the later. */
    private int byReturn(int page, int other) {
        boolean byUse = !choice.isMade() || isProtected(page, head) && isProtected(other, head);
        return byUse ? Long.compare(uses[other], uses[page]) : choice.byRank(page, other, head);
    }

    /** Adds pages that are about to be written, for each of which another one leaves if need be. */
    private void makeRoom(BitSet wanted, int firstPage, int endPage) {
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
     * The page that leaves next.
     *
     * @param others those that may leave, but for those that must stay
     * @param page the one for which it leaves
     */
    private int victim(BitSet others, int page) {
        int last = Math.max(head, page);
        return others.stream()
                .filter(each -> !isProtected(each, last))
                .reduce((best, each) -> leavesBefore(each, best) ? each : best)
                .orElseThrow(() -> new IllegalStateException("no evictable page for page " + page));
    }

    /**
     * Has exactly some pages lie in the span.
     *
     * @param wanted their numbers, ascending; no more than there are runs
     */
    private void arrange(int[] wanted, int spanBegin, Consumer<RowMove> moves) {
        if (Arrays.equals(wanted, held)) {
            return;
        }
        int[] stays = Arrays.stream(wanted).filter(page -> runs[page] != NOWHERE).toArray();
        for (int page : held) {
            if (Arrays.binarySearch(stays, page) < 0) {
                pageOut(page, spanBegin, moves);
            }
        }
        shift(wanted, spanBegin, moves);
        hold(wanted);
        for (int page : wanted) {
            // What is to be written for the first time comes from nowhere.
            if (Arrays.binarySearch(stays, page) < 0 && pages.get(page).isOnHost()) {
                pageIn(page, spanBegin, moves);
            }
        }
    }

    /**
     * Closes gaps and makes others. Rows that go down move first, from the front to the back, and
     * then those that go up, from the back to the front: as they stay in their order, none comes to
     * lie where another one has still to leave.
     */
    private void shift(int[] wanted, int spanBegin, Consumer<RowMove> moves) {
        List<SlotCopy> up = new ArrayList<>();
        int run = 0;
        while (run < wanted.length) {
            int from = runs[wanted[run]];
            int end = run + 1;
            if (from != NOWHERE && from != run) {
                while (end < wanted.length && runs[wanted[end]] == from + end - run) {
                    end++;
                }
                SlotCopy copy =
                        new SlotCopy(
                                spanBegin + from * PoolGeometry.PAGE,
                                spanBegin + run * PoolGeometry.PAGE,
                                (end - run) * PoolGeometry.PAGE);
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

    /** Takes note that exactly some pages lie in the span. */
    private void hold(int[] wanted) {
        Arrays.fill(runs, 0, pages.size(), NOWHERE);
        for (int run = 0; run < wanted.length; run++) {
            runs[wanted[run]] = run;
        }
        held = wanted;
        epoch++;
    }

    private void pageIn(int page, int spanBegin, Consumer<RowMove> moves) {
        int slot = spanBegin + runs[page] * PoolGeometry.PAGE;
        moves.accept(PageMove.in(pages.get(page).name(), slot));
        counts = counts.plus(new PagingCounts(0, 1, pageBytes, 0, 0, 0));
    }

    private void pageOut(int page, int spanBegin, Consumer<RowMove> moves) {
        Page content = pages.get(page);
        boolean copies = !content.isOnHost();
        if (copies) {
            // What lies there already has not changed since.
            int slot = spanBegin + runs[page] * PoolGeometry.PAGE;
            moves.accept(PageMove.out(content.name(), slot));
            names.putOnHost(content);
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
        return page < PoolGeometry.SINKS || page > head - 1 - PoolGeometry.TAIL;
    }

    private boolean leavesBefore(int page, int other) {
        return choice.isMade()
                ? choice.score(page) < choice.score(other)
                : uses[page] < uses[other];
    }

    /**
     * Chooses which pages lie in the span, by their scores; equal ones in their order. Sinks and
     * the last pages stay.
     *
     * @param given score of each page, higher is better; of fewer pages than there are, if the
     *     others stay
     * @param position computed tokens
     * @return pages that left or came back
     */
    int reselect(float[] given, int position, int spanBegin, Consumer<RowMove> moves) {
        choice.take(given, position);
        Set<Integer> chosen = choice.wanted(pages.size(), head, capacity);
        int hits = choice.hits(chosen);
        int[] wanted = chosen.stream().mapToInt(Integer::intValue).sorted().toArray();
        List<Integer> recalled =
                Arrays.stream(wanted).filter(page -> !isResident(page)).boxed().toList();
        int leave = held.length - (wanted.length - recalled.size());
        arrange(wanted, spanBegin, moves);
        choice.recalled(recalled);
        counts = counts.plus(new PagingCounts(0, 0, 0, 1, recalled.size(), hits));
        return leave + recalled.size();
    }

    /** Pages are not chosen anew this time, and stay as they are until the next one. */
    void skip(int position) {
        choice.isMadeAt(position);
    }

    /** Computed tokens when pages were last chosen by score; 0 if they never were. */
    int scoredAt() {
        return choice.position();
    }

    /**
     * The whole pages before a position, in their order, for a question about them.
     *
     * @param spanBegin first slot of the span
     */
    List<PageQuery.PagePlace> places(int position, int spanBegin) {
        List<PageQuery.PagePlace> places = new ArrayList<>();
        for (int page = 0; page < position / PoolGeometry.PAGE; page++) {
            names.ask(pages.get(page));
            places.add(
                    new PageQuery.PagePlace(
                            pages.get(page).name(),
                            runs[page] == NOWHERE
                                    ? PageQuery.PagePlace.ON_HOST
                                    : spanBegin + runs[page] * PoolGeometry.PAGE));
        }
        return places;
    }

    /**
     * Where the rows of some positions lie.
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
            int page = PoolGeometry.pageOf(at);
            int length = Math.min((page + 1) * PoolGeometry.PAGE, position + count) - at;
            rows.add(
                    runs[page] == NOWHERE
                            ? RowRun.onHost(at, length, pages.get(page).name())
                            : RowRun.inSlots(at, length, spanBegin + slot(at)));
            at += length;
        }
        return rows;
    }

    /** What lies where, to be written down. */
    PageResidency residency() {
        return isStraight()
                ? PageResidency.STRAIGHT
                : new PageResidency(inRuns(), choice.scores(), choice.position());
    }

    /** Goes on as the table of another sequence, which begins with the first tokens. */
    void handOver(int tokens) {
        counts = PagingCounts.NONE;
        cut(tokens);
    }

    /** Holds the first tokens only from now on. */
    void cut(int tokens) {
        int kept = PoolGeometry.pages(tokens);
        while (pages.size() > kept) {
            names.release(pages.removeLast());
        }
        int[] rest = Arrays.stream(held).filter(page -> page < kept).toArray();
        if (rest.length < held.length) {
            // The last ones go, so the others lie where they lay.
            hold(rest);
        }
        head = Math.max(0, Math.min(head, kept - 1));
        choice.cut(tokens);
        forgetIfStraight();
    }

    private void forgetIfStraight() {
        if (isStraight()) {
            // However it came to be so: a fork, a sequence that went over, one that was restored.
            choice = new PageRanking();
        }
    }

    /** Lets go of all pages. */
    void release() {
        cut(0);
    }
}
