package dev.varve.bench.kit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

class FatbinReducerTest {
    private static final int DATA = 64;
    private static final int NAMES = 512;
    private static final int SECTIONS = 640;
    private static final int SECTION_BYTES = 64;

    @TempDir Path folder;

    /** Offsets of the payloads in the library, by architecture; a payload is 40 bytes of 7. */
    private static final Map<Integer, Integer> PAYLOADS =
            Map.of(75, DATA + 16 + 64, 90, DATA + 16 + 64 + 40 + 64, 86, DATA + 240 + 16 + 64);

    /** An ELF file with one section of two fatbins, the second behind padding, and other data. */
    private static ByteBuffer library() {
        ByteBuffer file = ByteBuffer.allocate(SECTIONS + 3 * SECTION_BYTES);
        file.order(ByteOrder.LITTLE_ENDIAN);
        file.put(0, new byte[] {0x7F, 'E', 'L', 'F'});
        file.putLong(0x28, SECTIONS);
        file.putShort(0x3A, (short) SECTION_BYTES).putShort(0x3C, (short) 3);
        file.putShort(0x3E, (short) 2);
        fatbin(file, DATA, 75, 90);
        fatbin(file, DATA + 240, 86);
        file.put(NAMES - 8, new byte[] {7, 7, 7, 7});
        file.put(NAMES + 1, ".nv_fatbin\0.text\0".getBytes(StandardCharsets.US_ASCII));
        section(file, 0, 1, DATA, 400);
        section(file, 1, 12, NAMES - 8, 4);
        section(file, 2, 12, NAMES, 64);
        return file;
    }

    private static void section(ByteBuffer file, int index, int name, long begin, long bytes) {
        int header = SECTIONS + index * SECTION_BYTES;
        file.putInt(header, name).putLong(header + 0x18, begin).putLong(header + 0x20, bytes);
    }

    private static void fatbin(ByteBuffer file, int at, int... architectures) {
        file.putInt(at, 0xBA55ED50).putShort(at + 4, (short) 1).putShort(at + 6, (short) 16);
        file.putLong(at + 8, architectures.length * 104L);
        int entry = at + 16;
        for (int architecture : architectures) {
            file.putShort(entry, (short) 1).putInt(entry + 4, 64).putLong(entry + 8, 40);
            file.putInt(entry + 28, architecture);
            byte[] payload = new byte[40];
            Arrays.fill(payload, (byte) 7);
            file.put(entry + 64, payload);
            entry += 104;
        }
    }

    private Path write(ByteBuffer library) throws IOException {
        return Files.write(folder.resolve("library.so"), library.array());
    }

    @ParameterizedTest
    @ValueSource(ints = {75, 86, 90})
    void onlyPayloadsOfOtherArchitecturesAreZeroed(int kept) throws IOException {
        byte[] expected = library().array();
        PAYLOADS.forEach(
                (architecture, begin) -> {
                    if (architecture != kept) {
                        Arrays.fill(expected, begin, begin + 40, (byte) 0);
                    }
                });
        Path output = folder.resolve("reduced.so");

        Map<Integer, Long> found = FatbinReducer.reduce(write(library()), output, Set.of(kept));

        assertEquals(Map.of(75, 40L, 86, 40L, 90, 40L), found);
        assertArrayEquals(expected, Files.readAllBytes(output));
    }

    @Test
    void missingArchitectureIsReportedWithTheExistingOnes() throws IOException {
        Path library = write(library());

        IllegalArgumentException error =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> FatbinReducer.reduce(library, folder.resolve("out"), Set.of(100)));

        assertTrue(error.getMessage().contains("[100], found [75, 86, 90]"), error.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "16, -16", "8, 208"})
    void fatbinThatEndsBeforeItsHeaderIsRefused(short headerBytes, long entryBytes)
            throws IOException {
        ByteBuffer damaged = library();
        damaged.putShort(DATA + 6, headerBytes).putLong(DATA + 8, entryBytes);
        Path library = write(damaged);

        IllegalArgumentException error =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> FatbinReducer.reduce(library, folder.resolve("out"), Set.of(90)));

        assertEquals("fatbin at byte 64 has no valid sizes", error.getMessage());
    }

    @Test
    void entryBeyondTheFileIsRefused() throws IOException {
        ByteBuffer damaged = library();
        damaged.putLong(DATA + 16 + 8, 1L << 40);
        Path library = write(damaged);

        assertThrows(
                IllegalArgumentException.class,
                () -> FatbinReducer.reduce(library, folder.resolve("out"), Set.of(90)));
    }
}
