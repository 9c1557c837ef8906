package dev.varve.platform.shard;

import dev.varve.api.VarveException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Pages in host memory of a {@link PlainShard}: rows by layer, and which positions they are of. */
final class PlainPages {
    private static final int HEAD = PlainModel.HEAD;

    private final Map<Long, Page> pages = new HashMap<>();

    /**
     * A page.
     *
     * @param held per row the position plus 1
     */
    record Page(int[] held, Map<Integer, float[]> keys, Map<Integer, float[]> values) {
        private Page() {
            this(new int[Pages.TOKENS], new TreeMap<>(), new TreeMap<>());
        }
    }

    void clear() {
        pages.clear();
    }

    int count() {
        return pages.size();
    }

    /** A page that is written anew. */
    Page make(long name) {
        Page page = new Page();
        pages.put(name, page);
        return page;
    }

    Page require(long name) {
        Page page = pages.get(name);
        if (page == null) {
            throw new IllegalArgumentException("page " + name + " is not in host memory");
        }
        return page;
    }

    boolean holds(long name) {
        return pages.containsKey(name);
    }

    void drop(long name) {
        pages.remove(name);
    }

    void export(CachePart.HostPageRows part, ByteBuffer bytes) {
        if (!holds(part.page())) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST, part + " is not in host memory");
        }
        Page page = require(part.page());
        put(bytes, page.keys().get(part.layer()), part);
        put(bytes, page.values().get(part.layer()), part);
        for (int i = 0; i < part.count(); i++) {
            if (page.held()[part.first() + i] != part.position() + i + 1) {
                throw new IllegalArgumentException(part + " holds other positions");
            }
        }
    }

    private static void put(ByteBuffer bytes, float[] rows, CachePart.HostPageRows part) {
        for (int i = part.first() * HEAD; i < (part.first() + part.count()) * HEAD; i++) {
            bytes.putFloat(rows[i]);
        }
    }

    void adopt(CachePart.HostPageRows part, ByteBuffer source) {
        Page page = pages.computeIfAbsent(part.page(), name -> new Page());
        ByteBuffer bytes = source.order(ByteOrder.LITTLE_ENDIAN);
        get(bytes, page.keys(), part);
        get(bytes, page.values(), part);
        for (int i = 0; i < part.count(); i++) {
            page.held()[part.first() + i] = part.position() + i + 1;
        }
    }

    private static void get(
            ByteBuffer bytes, Map<Integer, float[]> layers, CachePart.HostPageRows part) {
        float[] rows =
                layers.computeIfAbsent(part.layer(), layer -> new float[Pages.TOKENS * HEAD]);
        for (int i = part.first() * HEAD; i < (part.first() + part.count()) * HEAD; i++) {
            rows[i] = bytes.getFloat();
        }
    }
}
