package dev.varve.plugin.chronicle.map;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * File layout of a map with one segment: a text that describes the layout, the state of the map,
 * from the next page on the segment's header, the slots of the hash lookup, counters, and bits of
 * free places; then the places of the entries.
 *
 * @param state position of the map's state
 * @param header position of the segment's header
 * @param slots position of the first slot
 * @param slotCount number of slots
 * @param slotBytes bytes of a slot, 4 or 8
 * @param keyBits lower bits of a slot, of its entry's hash
 * @param counters position of the counters, after the slots
 * @param entries position of the first place
 * @param places number of entries that fit
 * @param end position after the last place
 * @param mapBytes length of the map according to its state
 */
record IndexLayout(
        int state,
        int header,
        int slots,
        int slotCount,
        int slotBytes,
        int keyBits,
        int counters,
        int entries,
        long places,
        long end,
        long mapBytes) {
    /** Bytes of the state that are in use. */
    static final int STATE_BYTES = 33;

    /** Bytes of the counters. */
    static final int COUNTER_BYTES = 64;

    /**
     * Position, within the state, of the position of the segment's header, after a lock and tiers.
     */
    private static final int HEADER_POSITION = 21;

    private static final int MOST_INDEX_BYTES = 1 << 30;

    /**
     * Parses the layout from a map's beginning.
     *
     * @param beginning the text and the state
     * @param textBytes length of the text
     * @throws IOException if it is not that of a map with one segment
     */
    static IndexLayout parse(Path file, byte[] beginning, int textBytes) throws IOException {
        String text = new String(beginning, 0, textBytes, StandardCharsets.ISO_8859_1);
        Numbers numbers = new Numbers(file, text);
        long header =
                Index.littleEndian(ByteBuffer.wrap(beginning)).getInt(textBytes + HEADER_POSITION);
        long slots = header + numbers.of("segmentHeaderSize");
        long counters = slots + numbers.of("tierHashLookupOuterSize");
        long entries =
                counters
                        + COUNTER_BYTES
                        + numbers.of("tierFreeListOuterSize")
                        + numbers.of("tierEntrySpaceInnerOffset");
        if (header < textBytes + STATE_BYTES
                || entries > MOST_INDEX_BYTES
                || numbers.of("actualSegments") != 1
                || numbers.of("maxChunksPerEntry") != 1) {
            throw damaged(file, "segment header at position " + header);
        }
        return new IndexLayout(
                textBytes,
                (int) header,
                (int) slots,
                (int) numbers.of("tierHashLookupCapacity"),
                (int) numbers.of("tierHashLookupSlotSize"),
                (int) numbers.of("tierHashLookupKeyBits"),
                (int) counters,
                (int) entries,
                numbers.of("actualChunksPerSegmentTier"),
                entries + numbers.of("tierEntrySpaceInnerSize"),
                slots + numbers.of("tierSize"));
    }

    /** Creates an exception for content that Chronicle Map does not write. */
    static IOException damaged(Path file, String found) {
        return new IOException(String.format(Locale.ROOT, "%s is damaged: found %s", file, found));
    }

    /** Numbers in the text. */
    private record Numbers(Path file, String text) {
        long of(String name) throws IOException {
            Matcher number = Pattern.compile("\\s" + name + ": (\\d{1,15}),").matcher(text);
            if (!number.find()) {
                throw damaged(file, "no " + name);
            }
            return Long.parseLong(number.group(1));
        }
    }
}
