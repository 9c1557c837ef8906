package dev.varve.platform.prefix;

import dev.varve.platform.shard.CapturedFeature;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Host memory for hidden states. Where it is short, pages lose it that were not used for the
 * longest time, whoever knows of them: states are a help for those who guess, and never needed.
 * Those of many tokens are copied by a thread of its own. Not thread-safe, but for the bytes of a
 * pinned page.
 */
final class FeatureMemory implements AutoCloseable {
    /** Bytes from which they take longer to copy than to hand over. */
    private static final long LARGE = 1 << 20;

    /** Bytes that may wait to be copied: they are on the heap meanwhile. */
    private static final long MOST_WAITING = 128L << 20;

    private final FeatureKind kind;
    private final HostMemoryPool memory;
    private final long large;
    private final AtomicLong waiting = new AtomicLong();

    /** Begins with its first task. */
    private final ExecutorService copier =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("varve-states").daemon(true).factory());

    /** The one that was used last comes last. */
    private final Set<FeaturePage> pages = new LinkedHashSet<>();

    /**
     * @param bytes most that it may hold
     */
    FeatureMemory(FeatureKind kind, long bytes) {
        this(kind, bytes, LARGE);
    }

    /**
     * @param large bytes of states from which another thread copies them
     */
    FeatureMemory(FeatureKind kind, long bytes, long large) {
        this.kind = kind;
        this.large = large;
        memory = new HostMemoryPool(bytes);
    }

    FeatureKind kind() {
        return kind;
    }

    HostMemoryPool memory() {
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
            Optional<HostAllocation> group =
                    take(page, (long) FeaturePage.GROUP * kind.bytesPerToken());
            if (group.isEmpty()) {
                release(page);
                return false;
            }
            page.add(group.get());
        }
        return !page.isGone();
    }

    /** Has a page take over columns of what was computed; there must be room in it. */
    void write(
            FeaturePage page,
            int offset,
            List<CapturedFeature> features,
            int firstColumn,
            int count) {
        long bytes = (long) count * kind.bytesPerToken();
        if (bytes < large || waiting.get() + bytes > MOST_WAITING) {
            page.write(offset, features, firstColumn, count);
            return;
        }
        waiting.addAndGet(bytes);
        page.writeLater(offset, features, firstColumn, count, copier)
                .whenComplete((nothing, failure) -> waiting.addAndGet(-bytes));
    }

    private Optional<HostAllocation> take(FeaturePage taker, long bytes) {
        Optional<HostAllocation> cells = memory.take(bytes);
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
        copier.close();
        memory.close();
    }
}
