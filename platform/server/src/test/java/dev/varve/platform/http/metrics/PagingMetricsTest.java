package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

class PagingMetricsTest {
    private static MetricsText text(PagingCounts counts, long pages, long bytes) {
        EncodedMetrics exposition =
                EncodedMetrics.of(
                        PagingMetrics.of(
                                new PagingStatus(
                                        new PagingOptions(4096, PagePolicy.LRU, 128),
                                        counts,
                                        pages,
                                        bytes)),
                        Optional.empty());
        return MetricsText.parse(new String(exposition.bytes(), StandardCharsets.UTF_8));
    }

    @Test
    void poolSizesPagesAndTrafficAreReported() {
        MetricsText text =
                text(new PagingCounts(120, 90, 12_345_678_901L, 40, 70, 50), 30, 1L << 33);

        assertEquals(
                List.of(
                        "varve_kvflash_host_bytes 8589934592",
                        "varve_kvflash_host_pages 30",
                        "varve_kvflash_moved_bytes_total 12345678901",
                        "varve_kvflash_pages_in_total 90",
                        "varve_kvflash_pages_out_total 120",
                        "varve_kvflash_policy_info{policy=\"lru\"} 1",
                        "varve_kvflash_pool_tokens 4096",
                        "varve_kvflash_recall_hits_total 50",
                        "varve_kvflash_recalls_total 70",
                        "varve_kvflash_reselects_total 40",
                        "varve_kvflash_tau_tokens 128"),
                text.lines());
    }

    @Test
    void everyMetricHasHelpAndType() {
        MetricsText text = text(PagingCounts.NONE, 0, 0);

        assertEquals(11, text.families().size());
        assertEquals(
                6,
                text.families().values().stream()
                        .filter(family -> family.type().equals("counter"))
                        .count());
    }
}
