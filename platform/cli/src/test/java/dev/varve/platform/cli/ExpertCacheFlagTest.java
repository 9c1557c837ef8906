package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.runtime.ComputeSettings;
import dev.varve.platform.shard.WeightLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.nio.file.Path;
import java.util.Optional;

/** The flags of weights that are larger than memory. */
class ExpertCacheFlagTest {
    private static ComputeSettings read(String... flags) {
        ModelLoadArguments parsed = new ModelLoadArguments();
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("load", CommandSpec.forAnnotatedObject(parsed)))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(flags);
        return parsed.settings().computation();
    }

    @Test
    void layoutsHaveTheirNames() {
        assertEquals(WeightLayout.REPACKED, read().weights());
        assertEquals(WeightLayout.AS_IN_FILE, read("--weights", "mmap").weights());
        assertEquals(WeightLayout.STREAMED, read("--weights", "stream").weights());
    }

    @Test
    void sizeIsLeftToTheFreeMemoryUnlessSet() {
        assertEquals(0, read("--weights", "stream").expertCacheBytes());
        assertEquals(
                12L << 30, read("--weights", "stream", "--expert-cache", "12G").expertCacheBytes());
    }

    @Test
    void useIsRecordedInTheCacheFolderUnlessSet() {
        Path cache = Path.of("cache");
        assertEquals(
                Optional.of(cache.resolve("experts")),
                read("--weights", "stream").expertUse().folder(cache));
        assertEquals(
                Optional.of(Path.of("use")),
                read("--weights", "stream", "--expert-use-dir", "use").expertUse().folder(cache));
        assertEquals(
                Optional.empty(),
                read("--weights", "stream", "--expert-use-dir", "off").expertUse().folder(cache));
    }

    @Test
    void useIsRecordedOfStreamedExpertsOnly() {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> read("--expert-use-dir", "use"));

        assertEquals("--expert-use-dir requires --weights stream", refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "mmap, 12G, --expert-cache requires --weights stream",
        "stream, 0, '--expert-cache: expected a size such as 8G, found 0'",
        "stream, 12T, '--expert-cache: expected a size such as 8G, found 12T'"
    })
    void otherSizesAreRefused(String weights, String size, String expected) {
        IllegalArgumentException refusal =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> read("--weights", weights, "--expert-cache", size));

        assertEquals(expected, refusal.getMessage());
    }
}
