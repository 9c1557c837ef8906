package dev.varve.platform.remote;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RowLayout;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes parts of caches in the small fields; their bytes are a payload, see {@link
 * CachePartPayload}. The fields are i32 number of parts, and for each part i32 kind, i32 layer and
 *
 * <ul>
 *   <li>0, rows: layout, i32 slot, i32 position, i32 count;
 *   <li>1, a window: layout, i32 state row, i32 first position, i32 end position;
 *   <li>2, a state: i32 tensors, i64 elements of each, i32 state row, i32 end position;
 *   <li>3, rows of a page in host memory: layout, i64 page, i32 position, i32 count.
 * </ul>
 *
 * <p>A layout is i32 type and i64 elements of a K row, and the same of a V row.
 *
 * @param range layers that the parts may belong to
 */
record CachePartCodec(LayerRange range) {
    /** Largest number of parts in a message; they fit its small fields. */
    static final int MOST_PARTS = 1024;

    /** Most bytes of all parts of a message. */
    static final int MOST_BYTES = 64 << 20;

    private static final int ROWS = 0;
    private static final int WINDOW = 1;
    private static final int STATE = 2;
    private static final int PAGE = 3;
    private static final int MOST_TENSORS = 256;

    /** Element limit per part: within it no size computation of a part overflows. */
    private static final long MOST_ELEMENTS = MOST_BYTES;

    /** Encodes the small fields of parts. */
    ByteBuffer encode(List<CachePart> parts) {
        if (parts.size() > MOST_PARTS) {
            throw FieldReader.invalid("parts", "at most " + MOST_PARTS, parts.size());
        }
        requireBytes(parts);
        FieldWriter fields = new FieldWriter();
        fields.number(parts.size());
        parts.forEach(part -> put(fields, part));
        return fields.done();
    }

    private static void put(FieldWriter fields, CachePart part) {
        switch (part) {
            case CachePart.Rows(int layer, RowLayout layout, int slot, int position, int count) ->
                    put(fields.number(ROWS).number(layer), layout)
                            .number(slot)
                            .number(position)
                            .number(count);
            case CachePart.HostPageRows(
                            int layer,
                            RowLayout layout,
                            long page,
                            int at,
                            int count) ->
                    put(fields.number(PAGE).number(layer), layout)
                            .number(page)
                            .number(at)
                            .number(count);
            case CachePart.Window(int layer, RowLayout layout, int row, int first, int end) ->
                    put(fields.number(WINDOW).number(layer), layout)
                            .number(row)
                            .number(first)
                            .number(end);
            case CachePart.State(int layer, List<Long> elements, int row, int end) -> {
                fields.number(STATE).number(layer).number(elements.size());
                elements.forEach(fields::number);
                fields.number(row).number(end);
            }
        }
    }

    private static FieldWriter put(FieldWriter fields, RowLayout layout) {
        return fields.number(EnumCodec.ELEMENT_TYPE.number(layout.key()))
                .number(layout.keyLength())
                .number(EnumCodec.ELEMENT_TYPE.number(layout.value()))
                .number(layout.valueLength());
    }

    /**
     * Decodes the small fields of parts.
     *
     * @throws dev.varve.platform.wire.WireException if the parts are invalid, too large together,
     *     or of other layers
     */
    List<CachePart> decode(ByteBuffer meta) {
        FieldReader fields = new FieldReader(meta);
        int count = fields.number("parts", 0, MOST_PARTS);
        List<CachePart> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(part(fields));
        }
        fields.end();
        requireBytes(parts);
        return parts;
    }

    private CachePart part(FieldReader fields) {
        int kind = fields.number("kind of part", ROWS, PAGE);
        int layer = fields.number("layer", range.begin(), range.end() - 1);
        return switch (kind) {
            case ROWS -> rows(fields, layer);
            case WINDOW -> window(fields, layer);
            case PAGE -> page(fields, layer);
            default -> state(fields, layer);
        };
    }

    private static CachePart rows(FieldReader fields, int layer) {
        RowLayout layout = layout(fields);
        int slot = fields.number("slot", 0, Integer.MAX_VALUE - 1);
        int position = fields.number("position", 0, Integer.MAX_VALUE - 1);
        int count = fields.number("positions", 1, Integer.MAX_VALUE - Math.max(slot, position));
        return new CachePart.Rows(layer, layout, slot, position, count);
    }

    private static CachePart page(FieldReader fields, int layer) {
        RowLayout layout = layout(fields);
        long page = CacheChangeCodec.page(fields);
        int position = fields.number("position", 0, Integer.MAX_VALUE - Pages.TOKENS);
        int most = Pages.TOKENS - position % Pages.TOKENS;
        return new CachePart.HostPageRows(
                layer, layout, page, position, fields.number("positions", 1, most));
    }

    private static CachePart window(FieldReader fields, int layer) {
        RowLayout layout = layout(fields);
        int row = row(fields);
        int first = fields.number("first position", 0, Integer.MAX_VALUE - 1);
        if (first % KvSlotSpan.BLOCK != 0) {
            throw FieldReader.invalid(
                    "first position", "whole blocks of " + KvSlotSpan.BLOCK, first);
        }
        int end = fields.number("end position", first + 1, Integer.MAX_VALUE);
        return new CachePart.Window(layer, layout, row, first, end);
    }

    private static CachePart state(FieldReader fields, int layer) {
        int tensors = fields.number("tensors", 1, MOST_TENSORS);
        List<Long> elements = new ArrayList<>();
        for (int i = 0; i < tensors; i++) {
            elements.add(fields.number("elements", 0L, MOST_ELEMENTS));
        }
        int row = row(fields);
        return new CachePart.State(
                layer, elements, row, fields.number("end position", 1, Integer.MAX_VALUE));
    }

    private static int row(FieldReader fields) {
        return fields.number("state row", 1, 1 << 16);
    }

    private static RowLayout layout(FieldReader fields) {
        GgmlType key = EnumCodec.ELEMENT_TYPE.get(fields);
        long keyLength = length(fields, "elements of a K row", 1, key);
        GgmlType value = EnumCodec.ELEMENT_TYPE.get(fields);
        // 0 says that V rows are in the K rows, which only rows of one type can be.
        return new RowLayout(
                key,
                keyLength,
                value,
                length(fields, "elements of a V row", value == key ? 0 : 1, value));
    }

    private static long length(FieldReader fields, String field, long least, GgmlType type) {
        long length = fields.number(field, least, MOST_ELEMENTS);
        if (length % type.blockSize() != 0) {
            throw FieldReader.invalid(field, "whole blocks of " + type.blockSize(), length);
        }
        return length;
    }

    private static void requireBytes(List<CachePart> parts) {
        long room = MOST_BYTES;
        for (CachePart part : parts) {
            if (part.bytes() > room) {
                throw FieldReader.invalid(
                        "bytes of parts",
                        "at most " + MOST_BYTES,
                        MOST_BYTES - room + " and " + part.bytes() + " more");
            }
            room -= part.bytes();
        }
    }
}
