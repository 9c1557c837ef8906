package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.Set;

class IdleCoresTest {
    private static final long SECOND = 1_000_000_000;

    @TempDir Path folder;
    private Path file;
    private IdleCores idle;

    @BeforeEach
    void open() {
        file = folder.resolve("stat");
        idle = new IdleCores(file, Set.of(0, 2, 10));
    }

    private void write(String content) throws Exception {
        Files.writeString(file, content);
    }

    @Test
    void idleTimesOfAllowedCoresAreSummed() throws Exception {
        write(
                """
                cpu  9 9 9 9000 9 0 0 0 0 0
                cpu0 5 5 5 1000 10 0 0 0 0 0
                cpu1 5 5 5 3000 10 0 0 0 0 0
                cpu2 5 5 5 2000 20 0 0 0 0 0
                cpu10 5 5 5 500 0 0 0 0 0 0
                intr 123 4 5 6 7 8
                """);
        assertEquals(OptionalDouble.empty(), idle.sinceLast(7 * SECOND));
        write(
                """
                cpu  9 9 9 9500 9 0 0 0 0 0
                cpu0 9 9 9 1090 20 0 0 0 0 0
                cpu1 9 9 9 3200 10 0 0 0 0 0
                cpu2 9 9 9 2040 30 0 0 0 0 0
                cpu10 9 9 9 500 0 0 0 0 0 0
                intr 123 4 5 6 7 8
                """);

        // 100 and 50 hundredths of a second in two seconds.
        assertEquals(OptionalDouble.of(0.75), idle.sinceLast(9 * SECOND));
    }

    @Test
    void invalidTableGivesNothing() throws Exception {
        for (String content : new String[] {"", "cpu0 1 2\n", "cpu0 1 2 3 many 5\n", "intr 1\n"}) {
            write(content);
            assertEquals(OptionalDouble.empty(), idle.sinceLast(SECOND));
        }
    }

    @Test
    void systemWithoutTheTableGivesNothing() {
        IdleCores none = new IdleCores(folder.resolve("none"), Set.of(0));
        assertEquals(OptionalDouble.empty(), none.sinceLast(SECOND));
        assertEquals(OptionalDouble.empty(), none.sinceLast(2 * SECOND));
    }
}
