package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;

class RunDelayTest {
    @TempDir Path folder;

    /** Reads a file twice, whose content changes in between. */
    private OptionalLong between(String first, String second) throws Exception {
        Path file = Files.writeString(folder.resolve("schedstat"), first);
        RunDelay delay = new RunDelay(file);
        assertEquals(OptionalLong.empty(), delay.sinceLast());
        Files.writeString(file, second);
        OptionalLong nanos = delay.sinceLast();
        delay.close();
        return nanos;
    }

    @Test
    void delayIsTheDifferenceOfTheSecondNumber() throws Exception {
        assertEquals(OptionalLong.of(711), between("123456 4000 12\n", "223456 4711 13\n"));
    }

    @Test
    void nonNumberGivesNoDelay() throws Exception {
        assertEquals(OptionalLong.empty(), between("1 2 3\n", ""));
        assertEquals(OptionalLong.empty(), between("1 2 3\n", "1\n"));
        assertEquals(OptionalLong.empty(), between("a b c\n", "1 2 3\n"));
    }

    /** The file of another thread counts from another time. */
    @Test
    void firstCallOfAThreadGivesNothing() throws Exception {
        Path file = Files.writeString(folder.resolve("schedstat"), "1 2 3\n");
        RunDelay delay = new RunDelay(file);
        delay.sinceLast();
        AtomicReference<OptionalLong> elsewhere = new AtomicReference<>();
        Thread other = Thread.ofPlatform().start(() -> elsewhere.set(delay.sinceLast()));

        other.join();

        assertEquals(OptionalLong.empty(), elsewhere.get());
        assertEquals(OptionalLong.empty(), delay.sinceLast());
        delay.close();
    }

    @Test
    void systemWithoutTheCounterGivesNothing() {
        RunDelay delay = new RunDelay(folder.resolve("none"));

        assertEquals(OptionalLong.empty(), delay.sinceLast());
        assertEquals(OptionalLong.empty(), delay.sinceLast());
    }
}
