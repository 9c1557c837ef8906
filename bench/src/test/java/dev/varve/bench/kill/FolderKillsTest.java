package dev.varve.bench.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;

class FolderKillsTest {
    private final FolderKills kills = new FolderKills(Path.of("nowhere"), 1);

    @Test
    void onlyWholeLinesOfAKilledWriterCount() {
        kills.note("7 WRITTEN");
        kills.note("8 KNOWN");
        kills.note("9 NO_SPACE");
        kills.note("16 WRITT");
        kills.note("16 ");
        kills.note("1");
        kills.note("");

        assertEquals(2, kills.stored());
        assertEquals(1, kills.refused());
    }

    @Test
    void objectsHaveWholeNumbersOfEightBytesWithinTheirBounds() {
        for (int number = 0; number < 10_000; number++) {
            int bytes = NumberedObjects.bytes(number);
            assertTrue(bytes % 8 == 0 && bytes >= 8 << 10 && bytes <= 64 << 10, bytes + " bytes");
        }
    }
}
