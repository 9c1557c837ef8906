package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RowLayout;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Pages of K and V rows in host memory, by name. A page is stored layer after layer, all K rows
 * before all V rows, in the format of the cache: moving it out and in restores it bit for bit.
 * Memory of dropped pages is reused.
 */
final class HostPages implements AutoCloseable {
    private final KvPool pool;
    private final HostPageAllocator memory;
    private final Map<Long, ByteBuffer> pages = new HashMap<>();

    /**
     * @param pool source and target of the rows
     */
    HostPages(KvPool pool) {
        this.pool = pool;
        long bytes = 0;
        for (KvPool.Layer layer : pool.layers().values()) {
            bytes += layer.layout().bytes(Pages.TOKENS);
        }
        memory = new HostPageAllocator(Math.toIntExact(bytes));
    }

    /** Bytes of the memory that was allocated from the system. */
    long bytes() {
        return memory.bytes();
    }

    boolean holds(long page) {
        return pages.containsKey(page);
    }

    /** Moves a page out or in, at once; does nothing in a shard without full attention layers. */
    void move(PageMove move) {
        if (pool.layers().isEmpty()) {
            return;
        }
        switch (move.direction()) {
            case OUT -> {
                ByteBuffer bytes = buffer(move.page());
                forRows(
                        bytes,
                        (tensor, part) -> tensor.readBytes(part, move.slot() * tensor.nb(1)));
            }
            case IN -> {
                ByteBuffer bytes = require(move.page());
                forRows(
                        bytes,
                        (tensor, part) -> tensor.writeBytes(part, move.slot() * tensor.nb(1)));
            }
        }
    }

    private interface RowCopier {
        void of(Tensor tensor, ByteBuffer part);
    }

    private void forRows(ByteBuffer bytes, RowCopier copy) {
        int at = 0;
        for (KvPool.Layer layer : pool.layers().values()) {
            for (Tensor tensor : layer.tensors()) {
                int count = (int) (Pages.TOKENS * tensor.nb(1));
                copy.of(tensor, bytes.slice(at, count));
                at += count;
            }
        }
    }

    /** Returns the memory of a page to write; allocates it if needed. */
    private ByteBuffer buffer(long page) {
        return pages.computeIfAbsent(page, name -> memory.acquire());
    }

    private ByteBuffer require(long page) {
        ByteBuffer bytes = pages.get(page);
        if (bytes == null) {
            throw new IllegalArgumentException("page " + page + " is not in host memory");
        }
        return bytes;
    }

    /** Drops a page, if it exists. */
    void drop(long page) {
        ByteBuffer bytes = pages.remove(page);
        if (bytes != null) {
            memory.giveBack(bytes);
        }
    }

    /**
     * Returns the rows of a layer in a page: all K rows, or all V rows, which are none if they are
     * in the K rows.
     *
     * @param keys whether to return K rows
     * @param toWrite whether the page is written and may be new; otherwise it must exist
     */
    ByteBuffer rows(long page, int layer, boolean keys, boolean toWrite) {
        ByteBuffer bytes = toWrite ? buffer(page) : require(page);
        int at = 0;
        for (Map.Entry<Integer, KvPool.Layer> each : pool.layers().entrySet()) {
            RowLayout layout = each.getValue().layout();
            int keyBytes = (int) (Pages.TOKENS * layout.keyBytes());
            int valueBytes = (int) (Pages.TOKENS * layout.valueBytes());
            if (each.getKey() == layer) {
                return keys ? bytes.slice(at, keyBytes) : bytes.slice(at + keyBytes, valueBytes);
            }
            at += keyBytes + valueBytes;
        }
        throw new IllegalArgumentException("layer " + layer + " keeps no rows in this shard");
    }

    @Override
    public void close() {
        pages.clear();
        memory.close();
    }
}
