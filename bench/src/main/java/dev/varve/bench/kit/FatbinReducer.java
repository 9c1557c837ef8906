package dev.varve.bench.kit;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Zeroes device code of other architectures in a CUDA library, so that it compresses to a fraction.
 * Sizes and headers stay, so that the driver finds and selects the code as before.
 *
 * <pre>
 * FatbinReducer LIBRARY OUTPUT ARCHITECTURE[,ARCHITECTURE]...
 * </pre>
 *
 * <p>An ELF file (64 bit, little endian) has device code in sections named {@code .nv_fatbin}: a
 * sequence of fatbins, each a header (magic {@code u32} 0xBA55ED50, version {@code u16}, header
 * bytes {@code u16}, bytes of entries {@code u64}) and entries (kind {@code u16}, version {@code
 * u16}, header bytes {@code u32}, payload bytes {@code u64}; architecture {@code u32} at byte 28).
 */
public final class FatbinReducer {
    private static final int MAGIC = 0xBA55ED50;
    private static final int FATBIN_HEADER = 16;
    private static final int ENTRY_HEADER = 32;
    private static final int ARCHITECTURE_AT = 28;
    private static final int ALIGNMENT = 8;
    private static final String SECTION = ".nv_fatbin";

    private final MappedByteBuffer file;
    private final Set<Integer> kept;

    /** Payload bytes by architecture. */
    private final Map<Integer, Long> found = new TreeMap<>();

    private FatbinReducer(MappedByteBuffer file, Set<Integer> kept) {
        this.file = file;
        this.kept = kept;
    }

    /** Reduces a library. */
    public static void main(String... arguments) throws IOException {
        if (arguments.length != 3) {
            System.err.println("usage: FatbinReducer LIBRARY OUTPUT ARCHITECTURE[,...]");
            System.exit(2);
        }
        Set<Integer> kept =
                Arrays.stream(arguments[2].split(","))
                        .map(Integer::valueOf)
                        .collect(Collectors.toSet());
        Map<Integer, Long> found = reduce(Path.of(arguments[0]), Path.of(arguments[1]), kept);
        found.forEach(
                (architecture, bytes) ->
                        System.out.println(
                                architecture
                                        + ": "
                                        + (bytes >> 10)
                                        + " KiB"
                                        + (kept.contains(architecture) ? ", kept" : "")));
    }

    /**
     * Copies a library, with zeros in place of other architectures' code.
     *
     * @return payload bytes by architecture, those that are kept included
     * @throws IllegalArgumentException if it is no such library, has no code of a kept
     *     architecture, or is damaged
     */
    public static Map<Integer, Long> reduce(Path library, Path output, Set<Integer> kept)
            throws IOException {
        Files.copy(library, output, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel channel =
                FileChannel.open(output, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer file = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
            file.order(ByteOrder.LITTLE_ENDIAN);
            FatbinReducer reducer = new FatbinReducer(file, kept);
            reducer.readElf();
            if (!reducer.found.keySet().containsAll(kept)) {
                throw new IllegalArgumentException(
                        library
                                + ": expected device code for "
                                + kept
                                + ", found "
                                + reducer.found.keySet());
            }
            file.force();
            return reducer.found;
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException(library + ": ends inside a header or an entry", e);
        }
    }

    private void readElf() {
        if (file.getInt(0) != 0x464C457F) {
            throw new IllegalArgumentException("expected an ELF file");
        }
        long sections = file.getLong(0x28);
        int size = Short.toUnsignedInt(file.getShort(0x3A));
        int count = Short.toUnsignedInt(file.getShort(0x3C));
        int names = Short.toUnsignedInt(file.getShort(0x3E));
        int nameTable = at(file.getLong(at(sections + (long) names * size + 0x18)));
        for (int i = 0; i < count; i++) {
            int header = at(sections + (long) i * size);
            if (hasName(nameTable + file.getInt(header))) {
                long begin = file.getLong(header + 0x18);
                readSection(at(begin), at(begin + file.getLong(header + 0x20)));
            }
        }
    }

    private boolean hasName(int at) {
        byte[] name = (SECTION + '\0').getBytes(StandardCharsets.US_ASCII);
        byte[] bytes = new byte[Math.min(name.length, file.capacity() - at)];
        file.get(at, bytes);
        return Arrays.equals(name, bytes);
    }

    private void readSection(int begin, int end) {
        int at = begin;
        while (at + FATBIN_HEADER <= end) {
            if (file.getInt(at) != MAGIC) {
                at += ALIGNMENT;
                continue;
            }
            int headerBytes = Short.toUnsignedInt(file.getShort(at + 6));
            long entryBytes = file.getLong(at + 8);
            if (headerBytes < FATBIN_HEADER || entryBytes < 0) {
                throw new IllegalArgumentException("fatbin at byte " + at + " has no valid sizes");
            }
            int entry = at + headerBytes;
            at = at(entry + entryBytes);
            while (entry + ENTRY_HEADER <= at) {
                entry = readEntry(entry);
            }
        }
    }

    /** Returns the position behind an entry. */
    private int readEntry(int at) {
        int architecture = file.getInt(at + ARCHITECTURE_AT);
        int headerBytes = file.getInt(at + 4);
        long bytes = file.getLong(at + 8);
        if (headerBytes < ENTRY_HEADER || bytes < 0) {
            throw new IllegalArgumentException("entry at byte " + at + " has no valid sizes");
        }
        int payload = at(at + (long) headerBytes);
        int end = at(payload + bytes);
        found.merge(architecture, bytes, Long::sum);
        if (!kept.contains(architecture)) {
            file.put(payload, new byte[end - payload]);
        }
        return end;
    }

    /** A position within the file, or right behind it. */
    private int at(long position) {
        if (position < 0 || position > file.capacity()) {
            throw new IndexOutOfBoundsException("byte " + position + " of " + file.capacity());
        }
        return (int) position;
    }
}
