package dev.varve.platform.sequence;

import dev.varve.platform.paging.PageCounts;
import dev.varve.platform.paging.PoolGeometry;
import dev.varve.platform.paging.Residency;
import dev.varve.platform.sequence.PageNames.Page;
import dev.varve.platform.shard.CacheMove;
import dev.varve.platform.shard.PageMap;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.RowRun;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Where the pages of a sequence lie: in runs of slots of its span, in host memory, or in both. As
 * long as the span has room, page n lies in run n. Then a page leaves for each that comes: the one
 * with the lowest score where pages are scored, else the one that was used longest ago; never a
 * sink, nor the page that is written and those shortly before it.
 *
 * <p>Decides and takes note; what is to be moved is told to whoever makes the next batch, in order.
 * Runs per step.
 */
final class PageTable {
    private static final int NOWHERE = -1;

    private final PageNames names;
    private final List<Page> pages = new ArrayList<>();

    /** By page number the run where it lies. */
    private int[] runs = new int[16];

    private long[] uses = new long[16];

    /** By run the number of the page that lies there. */
    private int[] held;

    /** Runs that were left, the latest first. */
    private final Deque<Integer> left = new ArrayDeque<>();

    /** Runs from here on were never used. */
    private int fresh;

    /** Runs of the span. */
    private int capacity;

    private int head;
    private long clock;
    private long epoch;
    private PageChoice choice = new PageChoice();

    /** As it is at an epoch with some runs; empty before it was asked for. */
    private Optional<KnownMap> known = Optional.empty();

    private PageCounts counts = PageCounts.NONE;
    private final long pageBytes;

    private record KnownMap(PageMap map, long epoch, int runs) {}

    /**
     * A table of a sequence that has no span yet.
     *
     * @param pageBytes bytes of a page, over all shards
     */
    PageTable(PageNames names, long pageBytes) {
        this.names = names;
        this.pageBytes = pageBytes;
        held = new int[0];
    }

    /** Whether the first tokens lie in the order of their positions. */
    boolean isStraightUpTo(int tokens) {
        int count = PoolGeometry.pages(tokens);
        if (count > capacity) {
            return false;
        }
        for (int page = 0; page < count; page++) {
            if (runs[page] != page) {
                return false;
            }
        }
        return true;
    }

    /**
     * The first tokens for another sequence, in a span in which pages lie as they do in its own.
     */
    PageTable copy(int tokens) {
        PageTable copy = new PageTable(names, pageBytes);
        copy.clock = clock;
        if (isStraightUpTo(tokens)) {
            for (int page = 0; page < PoolGeometry.pages(tokens); page++) {
                names.share(pages.get(page));
                copy.append(pages.get(page), page, uses[page]);
            }
            copy.fresh = copy.pages.size();
            copy.head = Math.max(0, copy.pages.size() - 1);
            copy.growTo(copy.fresh);
            for (int run = 0; run < copy.fresh; run++) {
                copy.held[run] = run;
            }
            return copy;
        }
        copy.growTo(capacity);
        copy.fresh = fresh;
        copy.left.addAll(left);
        copy.head = head;
        copy.choice = choice.copy();
        System.arraycopy(held, 0, copy.held, 0, held.length);
        for (int page = 0; page < pages.size(); page++) {
            names.share(pages.get(page));
            copy.append(pages.get(page), runs[page], uses[page]);
        }
        copy.cut(tokens);
        return copy;
    }

    /**
     * Gives pages that are to come from elsewhere their places: as they lay when they were written
     * down, if that fits, else as if they had been computed one after the other.
     *
     * @param tokens how many are to come, of which those outside the span go to host memory
     */
    void await(int tokens, Residency before) {
        if (before.fits(capacity, PoolGeometry.pages(tokens))) {
            for (int page = 0; page < PoolGeometry.pages(tokens); page++) {
                append(names.make(), NOWHERE, ++clock);
            }
            head = pages.size() - 1;
            for (int run = 0; run < capacity; run++) {
                int page = before.page(run);
                if (page == PageMap.EMPTY) {
                    left.addLast(run);
                } else {
                    settle(page, run);
                }
            }
            for (int page = 0; page < pages.size(); page++) {
                if (runs[page] == NOWHERE) {
                    names.putOnHost(pages.get(page));
                }
            }
            fresh = capacity;
            take(before);
        } else {
            allocate(0, tokens, 0, move -> {});
        }
        counts = PageCounts.NONE;
    }

    private void take(Residency before) {
        choice.take(before.scores(), before.scoredAt());
        choice.isFor(before.question());
    }

    /**
     * Has the pages lie again as they lay when there were so many tokens or somewhat more, so that
     * the sequence goes on as it did then.
     *
     * @param tokens how many there are
     * @param before as it was written down, in a span of as many runs
     * @param spanBegin first slot of the span
     * @param moves hears what is to be moved
     */
    void lieAs(int tokens, Residency before, int spanBegin, Consumer<CacheMove> moves) {
        int[] wanted = before.runs(pages.size());
        if (IntStream.of(wanted).anyMatch(run -> run >= capacity)) {
            return;
        }
        for (int page = 0; page < wanted.length; page++) {
            if (runs[page] != NOWHERE && runs[page] != wanted[page]) {
                int run = runs[page];
                sendOut(page, spanBegin, moves);
                left.push(run);
            }
        }
        for (int page = 0; page < wanted.length; page++) {
            if (wanted[page] != runs[page]) {
                while (fresh <= wanted[page]) {
                    left.addLast(fresh++);
                }
                settle(page, wanted[page]);
                bringIn(page, spanBegin, moves);
            }
        }
        take(before);
        // It may have been made for tokens that were to come.
        int scoredAt = Math.min(before.scoredAt(), tokens + PoolGeometry.PAGE);
        choice.cut(tokens);
        choice.isMadeAt(scoredAt);
        forgetIfStraight();
    }

    private void append(Page page, int run, long use) {
        int number = pages.size();
        if (number == runs.length) {
            runs = Arrays.copyOf(runs, 2 * number);
            uses = Arrays.copyOf(uses, 2 * number);
        }
        pages.add(page);
        runs[number] = run;
        uses[number] = use;
    }

    /** The span has more runs from now on. */
    void growTo(int newCapacity) {
        if (newCapacity <= capacity) {
            return;
        }
        int before = held.length;
        held = Arrays.copyOf(held, newCapacity);
        Arrays.fill(held, Math.min(before, newCapacity), newCapacity, PageMap.EMPTY);
        capacity = newCapacity;
    }

    /** What became of its pages. */
    PageCounts counts() {
        return counts;
    }

    /** A number that changes with what lies where. */
    long epoch() {
        return epoch;
    }

    int residentPages() {
        int count = 0;
        for (int page : held) {
            count += page == PageMap.EMPTY ? 0 : 1;
        }
        return count;
    }

    /** Pages that lie in host memory alone. */
    int hostPages() {
        return pages.size() - residentPages();
    }

    /** Whether every page lies in the run of its number. */
    boolean isStraight() {
        return isStraightUpTo(pages.size() * PoolGeometry.PAGE);
    }

    /** Which positions lie in the slots at this moment. */
    PageMap map() {
        if (known.filter(each -> each.epoch() == epoch && each.runs() == capacity).isEmpty()) {
            PageMap map = isStraight() ? PageMap.STRAIGHT : PageMap.of(held);
            known = Optional.of(new KnownMap(map, epoch, capacity));
        }
        return known.get().map();
    }

    /** The slot of a position in the span, or a negative number. */
    int slot(int position) {
        int page = PoolGeometry.pageOf(position);
        boolean resident = page < pages.size() && runs[page] != NOWHERE;
        return resident ? runs[page] * PoolGeometry.PAGE + position % PoolGeometry.PAGE : NOWHERE;
    }

    /**
     * Sees that positions which are about to be written have slots; others leave if need be, and
     * come back where there is room for more.
     *
     * @param spanBegin first slot of the span
     * @param moves hears what is to be moved
     * @throws IllegalStateException if nothing may leave
     */
    void allocate(int first, int end, int spanBegin, Consumer<CacheMove> moves) {
        fillUp(first, end, spanBegin, moves);
        for (int page = PoolGeometry.pageOf(first); page < PoolGeometry.pages(end); page++) {
            allocate(page, spanBegin, moves);
        }
    }

    /**
     * Brings back pages for which there is room beside those that are about to be written: the last
     * ones that would leave come first. There is room where a sequence goes on from an earlier
     * position of a longer one, whose later pages had driven them out.
     */
    private void fillUp(int first, int end, int spanBegin, Consumer<CacheMove> moves) {
        int room = left.size() + capacity - fresh;
        if (room == 0 || hostPages() == 0) {
            return;
        }
        int firstPage = PoolGeometry.pageOf(first);
        int endPage = PoolGeometry.pages(end);
        for (int page = firstPage; page < endPage; page++) {
            room -= page < pages.size() && runs[page] != NOWHERE ? 0 : 1;
        }
        List<Integer> away = new ArrayList<>();
        for (int page = 0; page < pages.size(); page++) {
            if (runs[page] == NOWHERE && (page < firstPage || page >= endPage)) {
                away.add(page);
            }
        }
        away.sort(this::byReturn);
        for (int page : away.subList(0, Math.clamp(room, 0, away.size()))) {
            settle(page, takeRun(spanBegin, moves));
            bringIn(page, spanBegin, moves);
        }
    }

    /** The page first that comes back before another one: of those that must stay, the later. */
    private int byReturn(int page, int other) {
        boolean byUse = !choice.isMade() || isProtected(page) && isProtected(other);
        return byUse ? Long.compare(uses[other], uses[page]) : choice.byRank(page, other, head);
    }

    private void allocate(int page, int spanBegin, Consumer<CacheMove> moves) {
        int headBefore = head;
        int pagesBefore = pages.size();
        head = Math.max(head, page);
        while (pages.size() <= page) {
            append(names.make(), NOWHERE, 0);
        }
        if (runs[page] == NOWHERE) {
            int run = takeRun(spanBegin, moves);
            if (run == NOWHERE) {
                head = headBefore;
                while (pages.size() > pagesBefore) {
                    names.release(pages.removeLast());
                }
                throw new IllegalStateException("no evictable page for page " + page);
            }
            settle(page, run);
            if (pages.get(page).isOnHost()) {
                bringIn(page, spanBegin, moves);
            }
        }
        uses[page] = ++clock;
        pages.set(page, names.toWrite(pages.get(page)));
    }

    private void settle(int page, int run) {
        runs[page] = run;
        held[run] = page;
        left.remove(run);
        epoch++;
    }

    private void bringIn(int page, int spanBegin, Consumer<CacheMove> moves) {
        int slot = spanBegin + runs[page] * PoolGeometry.PAGE;
        moves.accept(PageMove.in(pages.get(page).name(), slot));
        counts = counts.plus(new PageCounts(0, 1, pageBytes, 0, 0, 0));
    }

    private int takeRun(int spanBegin, Consumer<CacheMove> moves) {
        if (!left.isEmpty()) {
            return left.pop();
        }
        if (fresh < capacity) {
            return fresh++;
        }
        int victim = victim();
        if (victim == NOWHERE) {
            return NOWHERE;
        }
        int run = runs[victim];
        sendOut(victim, spanBegin, moves);
        return run;
    }

    private void sendOut(int page, int spanBegin, Consumer<CacheMove> moves) {
        Page content = pages.get(page);
        boolean copies = !content.isOnHost();
        if (copies) {
            // What lies there already has not changed since.
            int slot = spanBegin + runs[page] * PoolGeometry.PAGE;
            moves.accept(PageMove.out(content.name(), slot));
            names.putOnHost(content);
        }
        counts = counts.plus(new PageCounts(1, 0, copies ? pageBytes : 0, 0, 0, 0));
        held[runs[page]] = PageMap.EMPTY;
        runs[page] = NOWHERE;
        epoch++;
    }

    private boolean isProtected(int page) {
        return isProtected(page, head);
    }

    /**
     * Whether a page must stay.
     *
     * @param head the last page that was ever written
     */
    static boolean isProtected(int page, int head) {
        return page < PoolGeometry.SINKS || page > head - 1 - PoolGeometry.TAIL;
    }

    /** The resident page that leaves next. */
    private int victim() {
        int best = NOWHERE;
        for (int page = 0; page < pages.size(); page++) {
            if (runs[page] != NOWHERE && !isProtected(page)) {
                best = best == NOWHERE || leavesBefore(page, best) ? page : best;
            }
        }
        return best;
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
    int reselect(float[] given, int position, int spanBegin, Consumer<CacheMove> moves) {
        choice.take(given, position);
        Set<Integer> wanted = choice.wanted(pages.size(), head, capacity);
        int hits = choice.hits(wanted);
        int events = 0;
        for (int page = 0; page < pages.size(); page++) {
            if (runs[page] != NOWHERE && !wanted.contains(page)) {
                int run = runs[page];
                sendOut(page, spanBegin, moves);
                left.push(run);
                events++;
            }
        }
        List<Integer> recalled = new ArrayList<>();
        for (int page = 0; page < pages.size(); page++) {
            if (runs[page] == NOWHERE && wanted.contains(page)) {
                settle(page, takeRun(spanBegin, moves));
                bringIn(page, spanBegin, moves);
                recalled.add(page);
                events++;
            }
        }
        choice.recalled(recalled);
        counts = counts.plus(new PageCounts(0, 0, 0, 1, recalled.size(), hits));
        return events;
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
    Residency residency() {
        return isStraight()
                ? Residency.STRAIGHT
                : new Residency(held, choice.scores(), choice.position(), choice.question());
    }

    /** The latest choice was made for what the last tokens of a prompt look for. */
    void isChosenFor(long question) {
        choice.isFor(question);
    }

    /** The prompt for which the latest choice was made; 0 if for none in particular. */
    long question() {
        return choice.question();
    }

    /** Goes on as the table of another sequence, which begins with the first tokens. */
    void handOver(int tokens) {
        counts = PageCounts.NONE;
        cut(tokens);
    }

    /** Holds the first tokens only from now on. */
    void cut(int tokens) {
        int kept = PoolGeometry.pages(tokens);
        for (int page = pages.size() - 1; page >= kept; page--) {
            names.release(pages.removeLast());
            if (runs[page] != NOWHERE) {
                held[runs[page]] = PageMap.EMPTY;
                left.push(runs[page]);
                epoch++;
            }
        }
        head = Math.max(0, Math.min(head, kept - 1));
        choice.cut(tokens);
        forgetIfStraight();
    }

    private void forgetIfStraight() {
        if (isStraight()) {
            // However it came to be so: a fork, a sequence that went over, one that was restored.
            choice = new PageChoice();
        }
    }

    /** Lets go of all pages. */
    void release() {
        cut(0);
    }
}
