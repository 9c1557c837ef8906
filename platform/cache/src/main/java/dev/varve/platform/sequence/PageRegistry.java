package dev.varve.platform.sequence;

import dev.varve.platform.shard.PageDrop;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Names of pages, each for one content, and which of them the shards know. Sequences that begin
 * alike share pages; the last one that lets go of a page has the shards forget it.
 */
final class PageRegistry {
    private long last;

    /** Pages of which the shards keep something. */
    private final Set<Page> atShards = new HashSet<>();

    private final List<PageDrop> drops = new ArrayList<>();

    /** The content of a page. */
    static final class Page {
        private final long name;
        private boolean onHost;
        private boolean asked;
        private int holders = 1;

        private Page(long name) {
            this.name = name;
        }

        long name() {
            return name;
        }

        /** Whether host memory has all of it. */
        boolean isOnHost() {
            return onHost;
        }
    }

    /** A page that nobody has yet. */
    Page make() {
        return new Page(++last);
    }

    /** Host memory has a page from now on. */
    void putOnHost(Page page) {
        page.onHost = true;
        atShards.add(page);
    }

    /** The shards were asked about a page, and remember what they know of it. */
    void ask(Page page) {
        page.asked = true;
        atShards.add(page);
    }

    /** One more sequence has a page. */
    void share(Page page) {
        page.holders++;
    }

    /**
     * The page for positions that are about to be written: another one where somebody knows the
     * content that it has.
     */
    Page toWrite(Page page) {
        if (page.holders == 1 && !page.onHost && !page.asked) {
            return page;
        }
        release(page);
        return make();
    }

    /** A sequence lets go of a page. */
    void release(Page page) {
        if (--page.holders == 0 && atShards.remove(page)) {
            drops.add(new PageDrop(page.name));
        }
    }

    /** Has the shards forget all pages, whoever holds them. */
    void releaseAll() {
        atShards.forEach(page -> drops.add(new PageDrop(page.name)));
        atShards.clear();
    }

    /** What the shards are to forget. */
    List<PageDrop> takeDrops() {
        List<PageDrop> taken = List.copyOf(drops);
        drops.clear();
        return taken;
    }

    /** Pages that lie in host memory. */
    long onHost() {
        return atShards.stream().filter(Page::isOnHost).count();
    }
}
