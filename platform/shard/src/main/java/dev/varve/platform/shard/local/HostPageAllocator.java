package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.HostMemory;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Host memory for pages of one size, allocated from the system in slabs. The system provides memory
 * when it is first touched, which takes as long as a copy; so a separate thread touches the next
 * slab while pages of the one before are left. Not thread-safe.
 */
final class HostPageAllocator implements AutoCloseable {
    /** Approximate size of a slab. */
    private static final int SLAB_BYTES = 16 << 20;

    private static final int SYSTEM_PAGE = 4 << 10;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final int pageBytes;
    private final int pagesPerSlab;
    private final List<HostMemory> slabs = new ArrayList<>();
    private final Deque<ByteBuffer> free = new ArrayDeque<>();
    private Optional<CompletableFuture<HostMemory>> coming = Optional.empty();

    /**
     * @param pageBytes bytes of a page; 0 in a shard without full attention, which has pages
     *     without content
     */
    HostPageAllocator(int pageBytes) {
        this.pageBytes = pageBytes;
        pagesPerSlab = pageBytes == 0 ? 0 : Math.max(1, SLAB_BYTES / pageBytes);
    }

    /** Bytes that were allocated from the system. */
    long bytes() {
        return (long) slabs.size() * pagesPerSlab * pageBytes;
    }

    /**
     * Returns memory for a page, with undefined content.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if the system has no more
     */
    ByteBuffer acquire() {
        if (pageBytes == 0) {
            return NOTHING;
        }
        if (free.isEmpty()) {
            add(coming.isPresent() ? join(coming.get()) : allocate());
            coming = Optional.empty();
        }
        if (free.size() <= pagesPerSlab / 2 && coming.isEmpty() && !slabs.isEmpty()) {
            coming = Optional.of(begin());
        }
        return free.pop();
    }

    /** Releases the memory of a page for reuse. */
    void giveBack(ByteBuffer page) {
        if (pageBytes > 0) {
            free.push(page);
        }
    }

    private CompletableFuture<HostMemory> begin() {
        CompletableFuture<HostMemory> slab = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name("varve-pages")
                .start(
                        () -> {
                            try {
                                slab.complete(touched(allocate()));
                            } catch (RuntimeException | Error e) {
                                slab.completeExceptionally(e);
                            }
                        });
        return slab;
    }

    private static HostMemory touched(HostMemory memory) {
        ByteBuffer bytes = memory.bytes();
        for (int at = 0; at < bytes.capacity(); at += SYSTEM_PAGE) {
            bytes.put(at, (byte) 0);
        }
        return memory;
    }

    private static HostMemory join(CompletableFuture<HostMemory> slab) {
        try {
            return slab.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof VarveException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private HostMemory allocate() {
        try {
            return HostMemory.reserve(pagesPerSlab * pageBytes);
        } catch (OutOfMemoryError e) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    "host memory for KV pages: expected "
                            + (long) pagesPerSlab * pageBytes
                            + " more bytes, found fewer",
                    e);
        }
    }

    private void add(HostMemory slab) {
        slabs.add(slab);
        ByteBuffer bytes = slab.bytes();
        for (int page = pagesPerSlab - 1; page >= 0; page--) {
            free.push(bytes.slice(page * pageBytes, pageBytes));
        }
    }

    @Override
    public void close() {
        coming.ifPresent(
                slab -> slab.thenAccept(HostMemory::close).exceptionally(e -> null).join());
        coming = Optional.empty();
        slabs.forEach(HostMemory::close);
        slabs.clear();
        free.clear();
    }
}
