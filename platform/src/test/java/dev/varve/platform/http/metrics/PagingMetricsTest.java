package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.paging.PageCounts;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.PagingStatus;

import org.junit.jupiter.api.Test;

import java.util.List;

class PagingMetricsTest {
    private static String text(PageCounts counts, long pages, long bytes) {
        ExpositionText text = new ExpositionText();
        PagingMetrics.of(
                        new PagingStatus(
                                new PagingOptions(4096, PagePolicy.LRU, 128), counts, pages, bytes))
                .forEach(text::add);
        return text.toString();
    }

    @Test
    void boundsPagesAndTrafficAreTold() {
        String text = text(new PageCounts(120, 90, 12_345_678_901L, 40, 70, 50), 30, 1L << 33);

        assertEquals(
                List.of(
                        "varve_kvflash_pool_tokens 4096",
                        "varve_kvflash_tau_tokens 128",
                        "varve_kvflash_policy_info{policy=\"lru\"} 1",
                        "varve_kvflash_host_pages 30",
                        "varve_kvflash_host_bytes 8589934592",
                        "varve_kvflash_pages_out_total 120",
                        "varve_kvflash_pages_in_total 90",
                        "varve_kvflash_moved_bytes_total 12345678901",
                        "varve_kvflash_reselects_total 40",
                        "varve_kvflash_recalls_total 70",
                        "varve_kvflash_recall_hits_total 50"),
                text.lines().filter(line -> !line.startsWith("#")).toList());
    }

    @Test
    void everyMetricHasHelpAndType() {
        String text = text(PageCounts.NONE, 0, 0);

        assertEquals(11, text.lines().filter(line -> line.startsWith("# HELP varve_")).count());
        assertEquals(
                6, text.lines().filter(line -> line.matches("# TYPE .*_total counter")).count());
    }
}
