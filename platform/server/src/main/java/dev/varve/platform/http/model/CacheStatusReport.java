package dev.varve.platform.http.model;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Map;

/** The tiers of the prefix cache and its hits and misses, for {@code /status}. */
final class CacheStatusReport {
    private CacheStatusReport() {}

    static ObjectNode of(EngineStatus status, CacheSharingPolicy scopes) {
        PrefixCacheStatus cache = status.cache();
        PrefixCacheStatus.Counts counts = cache.counts();
        ObjectNode report = Json.object().put("scope", scopes.word());
        ArrayNode tiers = report.putArray("tiers");
        device(status, tiers.addObject());
        host(cache, tiers.addObject());
        cache.disk().ifPresent(disk -> disk(disk, tiers.addObject()));
        cache.shared().ifPresent(shared -> shared(shared, tiers.addObject()));
        ObjectNode hits = report.putObject("hits");
        ObjectNode saved = report.putObject("saved_tokens");
        for (CacheSource source : CacheSource.values()) {
            hits.put(source.word(), counts.hits().getOrDefault(source, 0L));
            saved.put(source.word(), counts.savedTokens().getOrDefault(source, 0L));
        }
        ObjectNode misses = report.putObject("misses");
        for (MissReason reason : MissReason.values()) {
            misses.put(reason.word(), counts.misses().getOrDefault(reason, 0L));
        }
        report.put("restores", counts.moved().restoreCount())
                .put("restore_seconds", counts.moved().restoreSeconds());
        return report;
    }

    /** Writes the slots of the KV pool; slots of finished sequences hold cached prefixes. */
    private static void device(EngineStatus status, ObjectNode out) {
        long total = status.slots().total();
        long kept = status.slots().resident();
        double bytesPerSlot = total == 0 ? 0 : (double) status.memory().kv() / total;
        out.put("name", CacheSource.DEVICE.word())
                .put("used_tokens", kept)
                .put("running_tokens", status.slots().running())
                .put("limit_tokens", total)
                .put("used_bytes", Math.round(kept * bytesPerSlot))
                .put("limit_bytes", status.memory().kv());
    }

    private static void host(PrefixCacheStatus cache, ObjectNode out) {
        PrefixCacheStatus.HostTierStatus tier = cache.host();
        out.put("name", CacheSource.HOST.word())
                .put("entries", tier.entries())
                .put("used_tokens", tier.keptTokens())
                .put("used_bytes", tier.usedBytes())
                .put("limit_bytes", tier.limitBytes())
                .put("evictions", cache.counts().evictions())
                .put("exported_bytes", cache.counts().moved().exportedBytes())
                .put("restored_bytes", cache.counts().moved().restoredBytes());
    }

    private static void disk(ArchiveStatus disk, ObjectNode out) {
        out.put("name", CacheSource.DISK.word())
                .put("state", disk.state().word())
                .put("entries", disk.checkpoints())
                .put("objects", disk.objects())
                .put("used_bytes", disk.usedBytes())
                .put("limit_bytes", disk.budgetBytes())
                .put("evictions", disk.traffic().evictions())
                .put("written_bytes", disk.traffic().writtenBytes())
                .put("read_bytes", disk.traffic().readBytes());
        misses(disk.traffic().misses(), out);
    }

    private static void shared(SharedArchiveStatus shared, ObjectNode out) {
        out.put("name", CacheSource.SHARED.word())
                .put("state", state(shared))
                .put("written_bytes", shared.writtenBytes())
                .put("read_bytes", shared.readBytes());
        ObjectNode searches = out.putObject("searches");
        for (SharedArchiveStatus.SearchOutcome outcome :
                SharedArchiveStatus.SearchOutcome.values()) {
            searches.put(outcome.word(), shared.searches().getOrDefault(outcome, 0L));
        }
        misses(shared.misses(), out);
    }

    private static String state(SharedArchiveStatus shared) {
        if (!shared.available()) {
            return "away";
        }
        return shared.writes() ? "open" : "read_only";
    }

    private static void misses(Map<ArchiveMissException.Reason, Long> counts, ObjectNode out) {
        ObjectNode misses = out.putObject("misses");
        for (ArchiveMissException.Reason reason : ArchiveMissException.Reason.values()) {
            misses.put(reason.word(), counts.getOrDefault(reason, 0L));
        }
    }
}
