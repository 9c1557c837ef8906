package dev.varve.plugin.chronicle.map;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * All of a map's file except its entries, as it was read at one time. Chronicle Map follows the
 * positions in it without a check; a wrong one leads out of its memory and crashes the process.
 * Therefore this class checks them before a map is opened.
 */
final class Index {
    /** In the segment's header: the lock, of two words, which readers change too. */
    private static final int LOCK_BYTES = 8;

    private static final int WAITING = 4;
    private static final int ENTRIES = 8;
    private static final int FIRST_FREE = 12;
    private static final int NEXT_TIER = 16;
    private static final int DELETED = 24;

    /** A lock's word while a writer holds it. */
    private static final int WRITING = 1 << 31;

    /** The bit of a lock's word while its holder may become a writer; listing keys sets it too. */
    private static final int UPDATING = 1 << 30;

    /** Padding up to a page, of the largest size in use. */
    private static final int MOST_PADDING = 128 << 10;

    /** More than the number of threads that read at once. */
    private static final int MOST_LOCKS = 1 << 16;

    private final Path file;
    private final IndexLayout layout;
    private final ByteBuffer bytes;
    private final byte[] behind;

    private Index(Path file, IndexLayout layout, ByteBuffer bytes, byte[] behind) {
        this.file = file;
        this.layout = layout;
        this.bytes = bytes;
        this.behind = behind;
    }

    /**
     * Reads the index of a map.
     *
     * @param textBytes bytes at its beginning that are known to be valid
     * @throws IOException if its length does not match them
     */
    static Index read(Path path, int textBytes) throws IOException {
        // no channel: those are closed when their thread is interrupted
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] beginning = new byte[textBytes + IndexLayout.STATE_BYTES];
            file.readFully(beginning);
            IndexLayout layout = IndexLayout.parse(path, beginning, textBytes);
            long padding = file.length() - layout.end();
            if (layout.end() < layout.entries() || padding < 0 || padding > MOST_PADDING) {
                throw IndexLayout.damaged(path, file.length() + " bytes");
            }
            byte[] bytes = new byte[layout.entries()];
            file.seek(0);
            file.readFully(bytes);
            byte[] behind = new byte[(int) padding];
            file.seek(layout.end());
            file.readFully(behind);
            return new Index(path, layout, littleEndian(ByteBuffer.wrap(bytes)), behind);
        } catch (EOFException e) {
            throw new IOException(path + " is truncated", e);
        }
    }

    /** Chronicle Map writes numbers in this order. */
    static ByteBuffer littleEndian(ByteBuffer buffer) {
        return buffer.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A checksum of all data that is constant while there is no writer. */
    long checksum() {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.array(), 0, layout.header());
        int unlocked = layout.header() + LOCK_BYTES;
        checksum.update(bytes.array(), unlocked, layout.entries() - unlocked);
        checksum.update(behind);
        return checksum.getValue();
    }

    /** Fails if a number is out of its range, even if a writer is active or was killed. */
    void requireInRange() throws IOException {
        requireState();
        requireHeader();
        requireSlots();
    }

    /** Constant: this store has only the first tier. */
    private void requireState() throws IOException {
        ByteBuffer expected = littleEndian(ByteBuffer.allocate(IndexLayout.STATE_BYTES));
        expected.position(IndexLayout.STATE_BYTES - 12);
        expected.putInt(layout.header()).putLong(layout.mapBytes()).flip();
        if (!expected.equals(bytes.slice(layout.state(), IndexLayout.STATE_BYTES))) {
            throw IndexLayout.damaged(file, "an invalid state of the map");
        }
    }

    private void requireHeader() throws IOException {
        int header = layout.header();
        requireLess("entries", bytes.getInt(header + ENTRIES), layout.places() + 1);
        requireLess("first free position", bytes.getInt(header + FIRST_FREE), layout.places() + 1);
        requireLess("next tier", bytes.getLong(header + NEXT_TIER), 1);
        requireLess("deleted entries", bytes.getInt(header + DELETED), 1);
        for (int i = 0; i < IndexLayout.COUNTER_BYTES; i++) {
            requireLess("counter", bytes.get(layout.counters() + i), 1);
        }
    }

    /**
     * Fails if neither readers nor a writer can have caused the lock's state.
     *
     * @param written whether there may be a writer
     */
    void requireLock(boolean written) throws IOException {
        int holders = bytes.getInt(layout.header());
        if (holders != WRITING || !written) {
            requireLess("lock", holders < 0 ? holders : holders & ~UPDATING, MOST_LOCKS);
        }
        requireLess("waiting threads", bytes.getInt(layout.header() + WAITING), MOST_LOCKS);
    }

    private void requireSlots() throws IOException {
        long taken = 0;
        for (int i = 0; i < layout.slotCount(); i++) {
            long slot = slot(i);
            if (slot != 0) {
                taken++;
                requireLess("position of an entry", slot >>> layout.keyBits(), layout.places());
            }
        }
        // an entry is in two slots while the ones after a removed entry move up
        requireLess("entries in slots", taken, layout.places() + 2);
    }

    private long slot(int number) {
        int position = layout.slots() + number * layout.slotBytes();
        return layout.slotBytes() == Integer.BYTES
                ? Integer.toUnsignedLong(bytes.getInt(position))
                : bytes.getLong(position);
    }

    private void requireLess(String what, long found, long limit) throws IOException {
        if (found < 0 || found >= limit) {
            throw IndexLayout.damaged(file, what + " " + found);
        }
    }
}
