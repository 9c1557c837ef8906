package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;
import static dev.varve.platform.http.metrics.MetricFamily.gauge;

import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingStatus;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of the pages of KV Flash. */
final class PagingMetrics {
    private PagingMetrics() {}

    static List<MetricSnapshot> of(PagingStatus status) {
        PagingCounts counts = status.counts();
        return List.of(
                gauge(
                        "varve_kvflash_pool_tokens",
                        "Tokens of each sequence whose K and V rows the devices hold.",
                        status.options().poolTokens()),
                gauge(
                        "varve_kvflash_tau_tokens",
                        "Minimum tokens between two page selections.",
                        status.options().tau()),
                new MetricFamily("varve_kvflash_policy", "Policy that selects the pages of a pool.")
                        .add(Labels.of("policy", status.options().policy().word()), 1)
                        .info(),
                gauge("varve_kvflash_host_pages", "Pages in host memory.", status.hostPages()),
                gauge(
                        "varve_kvflash_host_bytes",
                        "Bytes of the pages in host memory.",
                        status.hostBytes()),
                counter("varve_kvflash_pages_out", "Pages that left a pool.", counts.pagesOut()),
                counter(
                        "varve_kvflash_pages_in",
                        "Pages that returned to a pool.",
                        counts.pagesIn()),
                counter(
                        "varve_kvflash_moved_bytes",
                        "Bytes copied between pools and host memory.",
                        counts.movedBytes()),
                counter("varve_kvflash_reselects", "Page selections by score.", counts.reselects()),
                counter(
                        "varve_kvflash_recalls",
                        "Pages that returned because a selection requested them.",
                        counts.recalls()),
                counter(
                        "varve_kvflash_recall_hits",
                        "Pages that a selection requested and the next one requested again.",
                        counts.recallHits()));
    }
}
