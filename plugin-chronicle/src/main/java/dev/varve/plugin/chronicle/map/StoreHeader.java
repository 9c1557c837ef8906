package dev.varve.plugin.chronicle.map;

import dev.varve.api.snapshot.StoreSize;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
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

    /** Fails if a header is not that of a map, or the map is of another size. */
    static void require(Path header, StoreSize size, Path values) throws IOException {
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
    }

    private static long checksum(Path file, int bytes) throws IOException {
        CRC32C checksum = new CRC32C();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] beginning = in.readNBytes(bytes);
            if (beginning.length < bytes) {
                throw new EOFException(file + " is cut short");
            }
            checksum.update(beginning);
        }
        return checksum.getValue();
    }
}
