package dev.varve.platform.sequence;

import dev.varve.platform.shard.HostPageFree;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Names of pages, one for each content, and the pages that the shards know. Sequences with a common
 * prefix share pages; when the last holder releases a page, the shards drop it.
 */
final class PageContentRegistry {
    private long last;

    /** Pages of which the shards keep data. */
    private final Set<Page> atShards = new HashSet<>();

    private final List<HostPageFree> drops = new ArrayList<>();

    /** The content of a page. */
    static final class Page {
        private final long name;
        private boolean onHost;
        private boolean queried;
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

    /** Creates a page without content. */
    Page make() {
        return new Page(++last);
    }

    /** Marks a page as stored in host memory. */
    void putOnHost(Page page) {
        page.onHost = true;
        atShards.add(page);
    }

    /** Marks a page as queried: the shards keep what they computed for it. */
    void markQueried(Page page) {
        page.queried = true;
        atShards.add(page);
    }

    /** Adds a holder of a page. */
    void share(Page page) {
        page.holders++;
    }

    /**
     * Returns the page for positions that are about to be written: a new page if another sequence,
     * host memory or the shards refer to the present content.
     */
    Page toWrite(Page page) {
        if (page.holders == 1 && !page.onHost && !page.queried) {
            return page;
        }
        release(page);
        return make();
    }

    /** Removes a holder of a page. */
    void release(Page page) {
        if (--page.holders == 0 && atShards.remove(page)) {
            drops.add(new HostPageFree(page.name));
        }
    }

    /** Lets the shards drop all pages, regardless of their holders. */
    void releaseAll() {
        atShards.forEach(page -> drops.add(new HostPageFree(page.name)));
        atShards.clear();
    }

    /** Takes the pages that the shards must drop. */
    List<HostPageFree> takeDrops() {
        List<HostPageFree> taken = List.copyOf(drops);
        drops.clear();
        return taken;
    }

    /** Number of pages in host memory. */
    long onHost() {
        return atShards.stream().filter(Page::isOnHost).count();
    }
}
