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
 * Host memory for hidden states. If memory is short, the least recently used pages that are not
 * pinned lose theirs, even while sequences refer to them: only speculation reads hidden states, and
 * it works without them. A thread of its own copies large batches of states. Not thread-safe,
 * except for the bytes of a pinned page.
 */
final class FeaturePagePool implements AutoCloseable {
    /** Minimum bytes for which a copy takes longer than passing it to the other thread. */
    private static final long LARGE = 1 << 20;

    /** Maximum bytes waiting to be copied: they are on the heap meanwhile. */
    private static final long MOST_WAITING = 128L << 20;

    private final FeatureKind kind;
    private final HostMemoryPool memory;
    private final long large;
    private final AtomicLong waiting = new AtomicLong();

    /** Its thread starts with the first task. */
    private final ExecutorService copier =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("varve-states").daemon(true).factory());

    /** In order of last use, the most recent page last. */
    private final Set<FeaturePage> pages = new LinkedHashSet<>();

    /**
     * @param bytes maximum size
     */
    FeaturePagePool(FeatureKind kind, long bytes) {
        this(kind, bytes, LARGE);
    }

    /**
     * @param large minimum bytes of states that the other thread copies
     */
    FeaturePagePool(FeatureKind kind, long bytes, long large) {
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

    /** Creates a page without memory. */
    FeaturePage open(int begin) {
        FeaturePage page = new FeaturePage(kind, begin);
        pages.add(page);
        return page;
    }

    /** Allocates memory in a page up to a position; returns whether the page has it. */
    boolean extend(FeaturePage page, int end) {
        touch(page);
        while (!page.isFreed() && page.capacityEnd() < end) {
            Optional<HostAllocation> group =
                    allocate(page, (long) FeaturePage.GROUP * kind.bytesPerToken());
            if (group.isEmpty()) {
                release(page);
                return false;
            }
            page.add(group.get());
        }
        return !page.isFreed();
    }

    /**
     * Copies columns of computed hidden states into a page, which must have the memory for them.
     */
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

    private Optional<HostAllocation> allocate(FeaturePage taker, long bytes) {
        Optional<HostAllocation> cells = memory.allocate(bytes);
        while (cells.isEmpty()) {
            Optional<FeaturePage> eldest =
                    pages.stream().filter(page -> page != taker && !page.isPinned()).findFirst();
            if (eldest.isEmpty()) {
                return cells;
            }
            release(eldest.get());
            cells = memory.allocate(bytes);
        }
        return cells;
    }

    /** Records a use of a page. */
    void touch(FeaturePage page) {
        if (pages.remove(page)) {
            pages.add(page);
        }
    }

    /** Frees the memory of a page. */
    void release(FeaturePage page) {
        if (pages.remove(page)) {
            page.release();
        }
    }

    /** Frees the memory of all pages that are not pinned. */
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
