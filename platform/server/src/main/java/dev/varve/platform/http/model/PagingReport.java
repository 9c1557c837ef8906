package dev.varve.platform.http.model;

import dev.varve.platform.http.json.Json;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.shard.PagePoolSizing;

import tools.jackson.databind.node.ObjectNode;

/** The status of KV Flash, for {@code /props} and {@code /status}. */
final class PagingReport {
    private PagingReport() {}

    /** Returns the status with the current residency, for {@code /status}. */
    static ObjectNode live(PagingStatus status, long steps) {
        double perStep = steps == 0 ? 0 : (double) status.counts().pagesIn() / steps;
        return of(status)
                .put("page_tokens", PagePoolSizing.PAGE)
                .put("resident_pages", status.residentPages())
                .put("pages_in_per_step", Json.thousandths(perStep));
    }

    static ObjectNode of(PagingStatus status) {
        PagingCounts counts = status.counts();
        return Json.object()
                .put("pool_tokens", status.options().poolTokens())
                .put("policy", status.options().policy().word())
                .put("tau", status.options().tau())
                .put("pages_out", counts.pagesOut())
                .put("pages_in", counts.pagesIn())
                .put("host_pages", status.hostPages())
                .put("host_bytes", status.hostBytes())
                .put("moved_bytes", counts.movedBytes())
                .put("reselects", counts.reselects())
                .put("recalls", counts.recalls())
                .put("recall_hit_rate", Json.thousandths(counts.recallHitRate()));
    }
}
