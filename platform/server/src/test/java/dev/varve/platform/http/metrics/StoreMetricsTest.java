package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.store.ArchiveStatus;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

class StoreMetricsTest {
    /** Nobody is to be woken for a server that is meant to read only. */
    @ParameterizedTest
    @CsvSource({"OPEN, 1, 0, 0, 1", "READ_ONLY, 0, 1, 0, 0", "PAUSED, 0, 0, 1, 0"})
    void readerIsDistinguishedFromAFailingDisk(
            ArchiveStatus.State state, int open, int readOnly, int paused, int writable) {
        ArchiveStatus disk =
                new ArchiveStatus(
                        state, 1, 0, 0, 0, 0, new ArchiveStatus.Traffic(0, 0, 0, Map.of()));

        EncodedMetrics exposition = EncodedMetrics.of(StoreMetrics.of(disk), Optional.empty());

        MetricsText text =
                MetricsText.parse(new String(exposition.bytes(), StandardCharsets.UTF_8));
        assertEquals(open, text.value("varve_prefix_disk_state", "state", "open"));
        assertEquals(readOnly, text.value("varve_prefix_disk_state", "state", "read_only"));
        assertEquals(paused, text.value("varve_prefix_disk_state", "state", "paused"));
        assertEquals(writable, text.value("varve_prefix_disk_writable"));
    }
}
