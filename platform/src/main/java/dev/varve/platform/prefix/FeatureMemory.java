package dev.varve.platform.prefix;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Host memory for hidden states. Where it is short, pages lose it that were not used for the
 * longest time, whoever knows of them: states are a help for those who guess, and never needed. Not
 * thread-safe, but for the bytes of a pinned page.
 */
final class FeatureMemory implements AutoCloseable {
    private final FeatureKind kind;
    private final CellMemory memory;

    /** The one that was used last comes last. */
    private final Set<FeaturePage> pages = new LinkedHashSet<>();

    /**
     * @param bytes most that it may hold
     */
    FeatureMemory(FeatureKind kind, long bytes) {
        this.kind = kind;
        memory = new CellMemory(bytes);
    }

    FeatureKind kind() {
        return kind;
    }

    CellMemory memory() {
        return memory;
    }

    /** A page without room. */
    FeaturePage open(int begin) {
        FeaturePage page = new FeaturePage(kind, begin);
        pages.add(page);
        return page;
    }

    /** Room in a page for positions up to one; says whether there is any. */
    boolean extend(FeaturePage page, int end) {
        touch(page);
        while (!page.isGone() && page.room() < end) {
            Optional<Cells> group = take(page, (long) FeaturePage.GROUP * kind.bytesPerToken());
            if (group.isEmpty()) {
                release(page);
                return false;
            }
            page.add(group.get());
        }
        return !page.isGone();
    }

    private Optional<Cells> take(FeaturePage taker, long bytes) {
        Optional<Cells> cells = memory.take(bytes);
        while (cells.isEmpty()) {
            Optional<FeaturePage> eldest =
                    pages.stream().filter(page -> page != taker && !page.isPinned()).findFirst();
            if (eldest.isEmpty()) {
                return cells;
            }
            release(eldest.get());
            cells = memory.take(bytes);
        }
        return cells;
    }

    /** Takes note of a use. */
    void touch(FeaturePage page) {
        if (pages.remove(page)) {
            pages.add(page);
        }
    }

    /** Takes the memory from a page. */
    void release(FeaturePage page) {
        if (pages.remove(page)) {
            page.release();
        }
    }

    /** Takes it from all that are not in use. */
    void clear() {
        Set.copyOf(pages).stream().filter(page -> !page.isPinned()).forEach(this::release);
        memory.shrink();
    }

    @Override
    public void close() {
        memory.close();
    }
}
