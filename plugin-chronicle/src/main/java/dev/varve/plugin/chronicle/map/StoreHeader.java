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
 * The text that says what a store is: version, size, length of the map's file, and a checksum of
 * the beginning of that. So nothing else is ever opened as a map: Chronicle Map would wait a minute
 * for one that begins with zeros, and of one that is cut short the process would die.
 */
final class StoreHeader {
    private static final int MOST_BYTES = 300;
    private static final Pattern CHECKSUM = Pattern.compile(", (\\d{1,7}) of them with checksum ");

    /** Where a map says, by the highest bit, that it is being mended. */
    private static final int MENDED = 11;

    private StoreHeader() {}

    /**
     * The text of a store.
     *
     * @param values the map
     * @param fixedBytes of the map's beginning, which never change
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
     * @return how many bytes at the map's beginning the checksum is of
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
        if (access != StoreAccess.RECOVER && beginning(values, MENDED + 1)[MENDED] < 0) {
            throw new IOException(values + ": it is being mended, or that was not completed");
        }
        return fixedBytes;
    }

    /**
     * Lets a map be mended whose mending did not end. Chronicle Map would wait a minute for the
     * end, but whoever may write knows that nobody else is at it.
     */
    static void forgetMending(Path values) throws IOException {
        byte state = beginning(values, MENDED + 1)[MENDED];
        if (state < 0) {
            try (RandomAccessFile file = new RandomAccessFile(values.toFile(), "rw")) {
                file.seek(MENDED);
                file.write(state & Byte.MAX_VALUE);
            }
        }
    }

    private static long checksum(Path file, int bytes) throws IOException {
        byte[] beginning = beginning(file, bytes);
        if (bytes > MENDED) {
            beginning[MENDED] &= Byte.MAX_VALUE;
        }
        CRC32C checksum = new CRC32C();
        checksum.update(beginning);
        return checksum.getValue();
    }

    private static byte[] beginning(Path file, int bytes) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] beginning = in.readNBytes(bytes);
            if (beginning.length < bytes) {
                throw new EOFException(file + " is cut short");
            }
            return beginning;
        }
    }
}
