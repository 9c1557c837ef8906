package dev.varve.platform.sequence;

import dev.varve.platform.paging.PagingCounts;

import java.util.ArrayList;
import java.util.List;

/**
 * A pager after its description, by lists that are searched from end to end: which pages of a
 * sequence lie in its pool, where they fill the first blocks in the order of their numbers. A page
 * is a content that several sequences may hold; a content that somebody else may look at is not
 * written to, but takes another one's place.
 */
final class PlainPager {
    private static final int SINKS = 1;
    private static final int TAIL = 4;
    private static final int TOKENS = 64;
    private static final long PAGE_BYTES = 1000;

    /** The content of a page, in a slot or on the host. */
    static final class Content {
        /** Host memory has it. */
        boolean onHost;

        /** A query asked the shards about the page, so they know it. */
        boolean asked;

        boolean isKnown() {
            return onHost || asked;
        }
    }

    /** A page of the sequence. */
    private static final class Page {
        Content content;
        boolean lies;
        long use;

        Page(Content content) {
            this.content = content;
        }
    }

    /** All pagers whose sequences are there. */
    private final List<PlainPager> all;

    private final List<Page> pages = new ArrayList<>();

    private int blocks;
    private int current;
    private long clock;
    private List<Float> scores = List.of();
    private int scoredAt;
    private List<Integer> recalled = new ArrayList<>();
    private PagingCounts counts = PagingCounts.NONE;
    private boolean changed;

    PlainPager(List<PlainPager> all) {
        this.all = all;
        all.add(this);
    }

    void growTo(int more) {
        blocks = Math.max(blocks, more);
    }

    // Accessors.

    int pageCount() {
        return pages.size();
    }

    PagingCounts counts() {
        return counts;
    }

    int scoredAt() {
        return scoredAt;
    }

    /** The block of a page, or -1. */
    int block(int page) {
        if (page >= pages.size() || !pages.get(page).lies) {
            return -1;
        }
        return (int) pages.subList(0, page).stream().filter(each -> each.lies).count();
    }

    private int free() {
        return blocks - (int) pages.stream().filter(page -> page.lies).count();
    }

    Content content(int page) {
        return pages.get(page).content;
    }

    /** The page in a block, or -1. */
    int pageIn(int block) {
        for (int page = 0; page < pages.size(); page++) {
            if (block(page) == block) {
                return page;
            }
        }
        return -1;
    }

    /** The pages in the blocks; none if each lies in the block of its number. */
    List<Integer> pagesInBlocks() {
        List<Integer> found = new ArrayList<>();
        for (int block = 0; block < blocks; block++) {
            found.add(pageIn(block));
        }
        return isStraightUpTo(pages.size() * TOKENS) ? List.of() : found;
    }

    List<Float> scores() {
        return scores;
    }

    /** Whether what lies where has changed since this was asked last. */
    boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }

    boolean holds(Content content) {
        return pages.stream().anyMatch(page -> page.content == content);
    }

    // Changes of the state.

    void allocate(int first, int end) {
        int room = free();
        for (int number = first / TOKENS; number * TOKENS < end; number++) {
            room -= block(number) < 0 ? 1 : 0;
        }
        for (; room > 0; room--) {
            comeBack(first / TOKENS, (end + TOKENS - 1) / TOKENS);
        }
        for (int number = first / TOKENS; number * TOKENS < end; number++) {
            slotsFor(number);
        }
    }

    /** The best page that is away, but for some, lies in a block again. */
    private void comeBack(int butFirst, int butEnd) {
        int best = -1;
        for (int page = 0; page < pages.size(); page++) {
            boolean away = block(page) < 0 && (page < butFirst || page >= butEnd);
            boolean byUse =
                    best >= 0 && (scores.isEmpty() || isProtected(page) && isProtected(best));
            boolean better =
                    best < 0
                            || (byUse
                                    ? pages.get(page).use > pages.get(best).use
                                    : rank(page) > rank(best));
            best = away && better ? page : best;
        }
        if (best >= 0) {
            pageIn(pages.get(best));
        }
    }

    private void slotsFor(int number) {
        current = Math.max(current, number);
        while (pages.size() <= number) {
            pages.add(new Page(new Content()));
        }
        Page page = pages.get(number);
        if (!page.lies) {
            if (free() == 0) {
                pageOut(victim());
            }
            pageIn(page);
        }
        page.use = ++clock;
        boolean shared = all.stream().anyMatch(other -> other != this && other.holds(page.content));
        if (shared || page.content.isKnown()) {
            page.content = new Content();
        }
    }

    private boolean isProtected(int page) {
        return page < SINKS || page > current - 1 - TAIL;
    }

    private Page victim() {
        Page victim = null;
        for (int number = 0; number < pages.size(); number++) {
            Page page = pages.get(number);
            if (!page.lies || isProtected(number)) {
                continue;
            }
            boolean less =
                    victim == null
                            || (scores.isEmpty()
                                    ? page.use < victim.use
                                    : score(number) < score(pages.indexOf(victim)));
            victim = less ? page : victim;
        }
        return victim;
    }

    private float score(int page) {
        return page < scores.size() ? scores.get(page) : 1e30f;
    }

    private void pageOut(Page page) {
        page.lies = false;
        count(1, 0, page.content.onHost ? 0 : PAGE_BYTES);
        page.content.onHost = true;
        changed = true;
    }

    private void pageIn(Page page) {
        page.lies = true;
        if (page.content.onHost) {
            count(0, 1, PAGE_BYTES);
        }
        changed = true;
    }

    private void count(long outs, long ins, long bytes) {
        counts = counts.plus(new PagingCounts(outs, ins, bytes, 0, 0, 0));
    }

    /** Gives the number of page-outs and page-ins. */
    int reselect(List<Float> given, int position) {
        scores = List.copyOf(given);
        scoredAt = position;
        List<Integer> keep = new ArrayList<>();
        while (keep.size() < Math.min(blocks, pages.size())) {
            int best = -1;
            for (int page = 0; page < pages.size(); page++) {
                boolean better = best < 0 || rank(page) > rank(best);
                best = !keep.contains(page) && better ? page : best;
            }
            keep.add(best);
        }
        int hits = (int) recalled.stream().filter(keep::contains).count();
        int events = 0;
        for (int page = 0; page < pages.size(); page++) {
            if (pages.get(page).lies && !keep.contains(page)) {
                pageOut(pages.get(page));
                events++;
            }
        }
        recalled = new ArrayList<>();
        for (int page = 0; page < pages.size(); page++) {
            if (!pages.get(page).lies && keep.contains(page)) {
                pageIn(pages.get(page));
                recalled.add(page);
                events++;
            }
        }
        counts = counts.plus(new PagingCounts(0, 0, 0, 1, recalled.size(), hits));
        return events;
    }

    private float rank(int page) {
        return isProtected(page) ? 3.4e38f : score(page);
    }

    /** The shards are asked about all whole pages before a position. */
    void ask(int position) {
        for (int page = 0; page < position / TOKENS; page++) {
            content(page).asked = true;
        }
    }

    boolean isStraightUpTo(int tokens) {
        for (int page = 0; page * TOKENS < tokens; page++) {
            if (block(page) != page) {
                return false;
            }
        }
        return true;
    }

    /** A pager of a sequence that begins with the first tokens of this one. */
    PlainPager fork(int tokens) {
        PlainPager fork = new PlainPager(all);
        fork.clock = clock;
        fork.current = current;
        int first = (tokens + TOKENS - 1) / TOKENS;
        boolean straight = isStraightUpTo(tokens);
        for (Page page : straight ? pages.subList(0, first) : pages) {
            Page other = new Page(page.content);
            other.lies = page.lies;
            other.use = page.use;
            fork.pages.add(other);
        }
        if (straight) {
            // It is as if it had never been longer.
            fork.blocks = first;
        } else {
            fork.blocks = blocks;
            fork.scores = scores;
            fork.scoredAt = scoredAt;
        }
        fork.cut(tokens);
        fork.changed = false;
        return fork;
    }

    void handOver(int tokens) {
        counts = PagingCounts.NONE;
        cut(tokens);
    }

    private void cut(int tokens) {
        int kept = (tokens + TOKENS - 1) / TOKENS;
        while (pages.size() > kept) {
            changed |= pages.removeLast().lies;
        }
        current = Math.max(0, Math.min(current, kept - 1));
        scores = scores.subList(0, Math.min(scores.size(), tokens / TOKENS));
        scoredAt = Math.min(scoredAt, tokens);
        recalled.removeIf(page -> page >= kept);
        forgetIfStraight();
    }

    private void forgetIfStraight() {
        if (isStraightUpTo(pages.size() * TOKENS)) {
            // As a fork, which is as if it had never been longer.
            scores = List.of();
            scoredAt = 0;
            recalled.clear();
        }
    }

    /** The pages lie again as they lay. */
    void restoreResidency(int tokens, List<Integer> inBlocks, List<Float> withScores, int at) {
        List<Page> wanted = new ArrayList<>();
        for (int page = 0; page < pages.size(); page++) {
            if (inBlocks.isEmpty() || inBlocks.contains(page)) {
                wanted.add(pages.get(page));
            }
        }
        if (wanted.size() > blocks) {
            return;
        }
        pages.stream().filter(page -> page.lies && !wanted.contains(page)).forEach(this::pageOut);
        wanted.stream().filter(page -> !page.lies).forEach(this::pageIn);
        int whole = tokens / TOKENS;
        scores = List.copyOf(withScores.subList(0, Math.min(withScores.size(), whole)));
        scoredAt = Math.min(at, tokens + TOKENS);
        forgetIfStraight();
    }

    void release() {
        cut(0);
        all.remove(this);
    }

    /** Tokens that come from elsewhere, with the pages that lay in the blocks, if they fit. */
    void await(int tokens, List<Integer> inBlocks, List<Float> withScores, int at) {
        int count = (tokens + TOKENS - 1) / TOKENS;
        boolean fits =
                inBlocks.size() == blocks
                        && withScores.size() <= count
                        && inBlocks.contains(count - 1);
        for (int page : inBlocks) {
            fits &=
                    page < count
                            && (page < 0 || inBlocks.indexOf(page) == inBlocks.lastIndexOf(page));
        }
        if (!fits) {
            allocate(0, tokens);
            counts = PagingCounts.NONE;
            return;
        }
        for (int page = 0; page < count; page++) {
            pages.add(new Page(new Content()));
            pages.get(page).use = ++clock;
            pages.get(page).content.onHost = true;
        }
        current = count - 1;
        for (int number : inBlocks) {
            if (number >= 0) {
                pages.get(number).lies = true;
                pages.get(number).content.onHost = false;
            }
        }
        scores = List.copyOf(withScores);
        scoredAt = at;
        changed = true;
    }
}
