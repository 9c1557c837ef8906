package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

class RunDelayTest {
    @TempDir Path folder;

    private OptionalLong read(String content) throws Exception {
        Path file = Files.writeString(folder.resolve("schedstat"), content);
        RunDelay delay = new RunDelay(file);
        OptionalLong nanos = delay.nanos();
        delay.close();
        return nanos;
    }

    @Test
    void delayIsTheSecondNumber() throws Exception {
        assertEquals(OptionalLong.of(4711), read("123456 4711 12\n"));
    }

    @Test
    void nonNumberGivesNoDelay() throws Exception {
        assertEquals(OptionalLong.empty(), read(""));
        assertEquals(OptionalLong.empty(), read("1\n"));
        assertEquals(OptionalLong.empty(), read("a b c\n"));
    }

    @Test
    void systemWithoutTheCounterGivesNothing() {
        assertEquals(OptionalLong.empty(), new RunDelay(folder.resolve("none")).nanos());
    }
}
