package dev.varve.plugin.chronicle.map;

import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The description of a store: version, size, length of the map's file, and a checksum of its
 * beginning. It ensures that no other file is opened as a map: Chronicle Map would wait a minute
 * for one that begins with zeros, and a truncated one would end the process.
 */
final class StoreHeader {
    private static final int MOST_BYTES = 300;
    private static final Pattern CHECKSUM = Pattern.compile(", (\\d{1,7}) of them with checksum ");

    /** Position at which a map records, by the highest bit, that it is being repaired. */
    private static final int REPAIRED = 11;

    private StoreHeader() {}

    /**
     * The text of a store.
     *
     * @param values the map
     * @param fixedBytes bytes of the map's beginning that never change
     */
    static String text(StoreSize size, Path values, int fixedBytes) throws IOException {
        return String.format(
                Locale.ROOT,
                "varve chronicle store 1: %d values of %d bytes, keys of %d, %d bytes in all, %d of"
                        + " them with checksum %08x\n",
                size.values(),
                size.valueBytes(),
                size.keyBytes(),
                Files.size(values),
                fixedBytes,
                checksum(values, fixedBytes));
    }

    /**
     * Fails if a header is not that of a map, or the map is of another size or in another state.
     *
     * @return number of bytes at the map's beginning that the checksum covers
     */
    static int require(Path header, StoreSize size, Path values, StoreAccess access)
            throws IOException {
        String found = Files.size(header) > MOST_BYTES ? "" : Files.readString(header);
        Matcher checksum = CHECKSUM.matcher(found);
        int fixedBytes = checksum.find() ? Integer.parseInt(checksum.group(1)) : 0;
        String expected = text(size, values, fixedBytes);
        if (!found.equals(expected)) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "%s: expected \"%s\", found \"%s\"",
                            header,
                            expected.strip(),
                            found.strip()));
        }
        if (access != StoreAccess.RECOVER && beginning(values, REPAIRED + 1)[REPAIRED] < 0) {
            throw new IOException(values + ": a repair is running or was not completed");
        }
        return fixedBytes;
    }

    /**
     * Clears the mark of an unfinished repair, so that the map can be repaired. Chronicle Map would
     * wait a minute for its end, but the holder of the write lock knows that no other process
     * repairs it.
     */
    static void clearRepair(Path values) throws IOException {
        byte state = beginning(values, REPAIRED + 1)[REPAIRED];
        if (state < 0) {
            try (RandomAccessFile file = new RandomAccessFile(values.toFile(), "rw")) {
                file.seek(REPAIRED);
                file.write(state & Byte.MAX_VALUE);
            }
        }
    }

    private static long checksum(Path file, int bytes) throws IOException {
        byte[] beginning = beginning(file, bytes);
        if (bytes > REPAIRED) {
            beginning[REPAIRED] &= Byte.MAX_VALUE;
        }
        CRC32C checksum = new CRC32C();
        checksum.update(beginning);
        return checksum.getValue();
    }

    private static byte[] beginning(Path file, int bytes) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] beginning = in.readNBytes(bytes);
            if (beginning.length < bytes) {
                throw new EOFException(file + " is truncated");
            }
            return beginning;
        }
    }
}
