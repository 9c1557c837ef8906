package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.Pages;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Pages of K and V rows in host memory, under their names. A page is layer after layer, all K rows
 * before all V rows, as they lie in the cache: what comes back is what went, bit for bit. Memory of
 * pages that were dropped is used for others.
 */
final class HostPages implements AutoCloseable {
    private final KvPool pool;
    private final PageMemory memory;
    private final Map<Long, ByteBuffer> pages = new HashMap<>();

    /**
     * @param pool where rows come from
     */
    HostPages(KvPool pool) {
        this.pool = pool;
        long bytes = 0;
        for (KvPool.Layer layer : pool.layers().values()) {
            bytes += Pages.TOKENS * (layer.keys().nb(1) + layer.values().nb(1));
        }
        memory = new PageMemory(Math.toIntExact(bytes));
    }

    /** Bytes of the memory that was taken from the system. */
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
                ByteBuffer bytes = room(move.page());
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

    private interface Copy {
        void of(Tensor tensor, ByteBuffer part);
    }

    private void forRows(ByteBuffer bytes, Copy copy) {
        int at = 0;
        for (KvPool.Layer layer : pool.layers().values()) {
            for (Tensor tensor : new Tensor[] {layer.keys(), layer.values()}) {
                int count = (int) (Pages.TOKENS * tensor.nb(1));
                copy.of(tensor, bytes.slice(at, count));
                at += count;
            }
        }
    }

    /** The bytes of a page that is to be written, which need not be there yet. */
    private ByteBuffer room(long page) {
        return pages.computeIfAbsent(page, name -> memory.take());
    }

    private ByteBuffer require(long page) {
        ByteBuffer bytes = pages.get(page);
        if (bytes == null) {
            throw new IllegalArgumentException("page " + page + " is not in host memory");
        }
        return bytes;
    }

    /** Forgets a page, if it is there. */
    void drop(long page) {
        ByteBuffer bytes = pages.remove(page);
        if (bytes != null) {
            memory.giveBack(bytes);
        }
    }

    /**
     * Rows of a layer in a page that is there, or that is to be written: all K rows, or all V rows.
     *
     * @param keys whether K rows are meant
     */
    ByteBuffer rows(long page, int layer, boolean keys, boolean toWrite) {
        ByteBuffer bytes = toWrite ? room(page) : require(page);
        int at = 0;
        for (Map.Entry<Integer, KvPool.Layer> each : pool.layers().entrySet()) {
            int keyBytes = (int) (Pages.TOKENS * each.getValue().keys().nb(1));
            int valueBytes = (int) (Pages.TOKENS * each.getValue().values().nb(1));
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
