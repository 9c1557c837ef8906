package dev.varve.platform.http.model;

import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ScopeDigest;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.prefix.CacheEntry;
import dev.varve.platform.prefix.PrefixCacheStatus;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** What is told of computed prompts in host memory. */
public final class CachedPrefixReport {
    private static final double MILLIS_PER_SECOND = 1000;

    private CachedPrefixReport() {}

    /** What host memory and a disk hold, and who shares it. */
    static ObjectNode tiers(PrefixCacheStatus cache, CacheSharingPolicy scopes) {
        PrefixCacheStatus.Tier tier = cache.host();
        ObjectNode report =
                Json.object()
                        .put("limit_bytes", tier.limitBytes())
                        .put("used_bytes", tier.usedBytes())
                        .put("entries", tier.entries())
                        .put("block_tokens", tier.blockTokens())
                        .put("scope", scopes.word());
        cache.disk()
                .ifPresent(
                        disk ->
                                report.putObject("disk")
                                        .put("state", disk.state().word())
                                        .put("budget_bytes", disk.budgetBytes())
                                        .put("used_bytes", disk.usedBytes())
                                        .put("entries", disk.checkpoints()));
        cache.shared()
                .ifPresent(
                        shared ->
                                report.putObject("shared")
                                        .put("address", shared.address())
                                        .put("answers", shared.answers())
                                        .put("writable", shared.writes()));
        return report;
    }

    /**
     * The first of some positions that can be restored, and how many there are.
     *
     * @param limit most to show
     */
    public static ObjectNode entries(List<CacheEntry> entries, int limit) {
        ObjectNode report = Json.object();
        ArrayNode shown = report.putArray("entries");
        entries.stream().limit(limit).forEach(entry -> describe(entry, shown.addObject()));
        return report.put("total", entries.size()).put("limit", limit);
    }

    private static void describe(CacheEntry entry, ObjectNode report) {
        report.put("tokens", entry.tokens())
                .put("bytes", entry.bytes())
                .put("uses", entry.uses())
                .put("idle_seconds", entry.idle().toMillis() / MILLIS_PER_SECOND)
                .put("scope", ScopeDigest.of(entry.scope()));
    }
}
