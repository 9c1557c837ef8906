package dev.varve.platform.http.model;

import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.PublicScopeId;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.PrefixCacheStatus;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** Reports on the prefix cache. */
public final class PrefixCacheContentsReport {
    private static final double MILLIS_PER_SECOND = 1000;

    private PrefixCacheContentsReport() {}

    /** Returns the contents of host memory and disk, the shared store and the scope of sharing. */
    static ObjectNode tiers(PrefixCacheStatus cache, CacheSharingPolicy scopes) {
        PrefixCacheStatus.HostTierStatus tier = cache.host();
        ObjectNode report =
                Json.object()
                        .put("limit_bytes", tier.limitBytes())
                        .put("used_bytes", tier.usedBytes())
                        .put("entries", tier.entries())
                        .put("block_tokens", tier.keptTokens())
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
                                        .put("answers", shared.available())
                                        .put("writable", shared.writes()));
        return report;
    }

    /**
     * Returns the first restorable prefixes of a list, and the number of all.
     *
     * @param limit maximum number of entries to list
     */
    public static ObjectNode entries(List<CachedPrefixInfo> entries, int limit) {
        ObjectNode report = Json.object();
        ArrayNode shown = report.putArray("entries");
        entries.stream().limit(limit).forEach(entry -> describe(entry, shown.addObject()));
        return report.put("total", entries.size()).put("limit", limit);
    }

    private static void describe(CachedPrefixInfo entry, ObjectNode report) {
        report.put("tokens", entry.tokens())
                .put("bytes", entry.bytes())
                .put("uses", entry.uses())
                .put("idle_seconds", entry.idle().toMillis() / MILLIS_PER_SECOND)
                .put("scope", PublicScopeId.of(entry.scope()));
    }
}
