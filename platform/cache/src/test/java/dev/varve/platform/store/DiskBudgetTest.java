package dev.varve.platform.store;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

class DiskBudgetTest {
    @TempDir private Path folder;

    @Test
    void sizesOfAnExceededLimitHaveTheirUnits() throws IOException {
        ArchiveSettings settings =
                new ArchiveSettings(
                        folder,
                        new Namespace(ArchiveFixture.digest("model"), Map.of()),
                        6000,
                        false,
                        new ArchiveSettings.Limits(3L << 30, 64L << 20, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system());
        Files.createDirectories(folder);

        String why = new DiskBudget(settings, new StoreFolder(folder), 100).why(1536L << 10, 700);

        assertTrue(why.startsWith("1.5 MiB of 3.0 GiB are used, "), why);
        assertTrue(
                why.endsWith(", of which 64.0 MiB are in reserve, and 700 bytes are needed"), why);
    }
}
