package dev.varve.platform.remote;

import dev.varve.platform.shard.SlotCopy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Copies of rows on the wire, in the small fields: i32 their number, and of each three i32. */
final class CopyCodec {
    private static final int MOST = 1 << 14;

    private CopyCodec() {}

    static void put(FieldWriter fields, List<SlotCopy> copies) {
        fields.number(copies.size());
        for (SlotCopy copy : copies) {
            fields.number(copy.from()).number(copy.to()).number(copy.count());
        }
    }

    static List<SlotCopy> get(FieldReader fields) {
        int count = fields.number("copies", 0, MOST);
        List<SlotCopy> copies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int from = fields.number("copy from", 0, Integer.MAX_VALUE - 1);
            int to = fields.number("copy to", 0, Integer.MAX_VALUE - 1);
            int slots = fields.number("copy count", 1, Integer.MAX_VALUE - Math.max(from, to));
            copies.add(new SlotCopy(from, to, slots));
        }
        return copies;
    }

    /** A message of copies alone. */
    static ByteBuffer encode(List<SlotCopy> copies) {
        FieldWriter fields = new FieldWriter();
        put(fields, copies);
        return fields.done();
    }

    static List<SlotCopy> decode(ByteBuffer meta) {
        FieldReader fields = new FieldReader(meta);
        List<SlotCopy> copies = get(fields);
        fields.end();
        return copies;
    }
}
