package dev.varve.platform.http.model;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Removes from reports what tells of the prompts that all callers left in the cache: with it one
 * caller finds out what others ask. Totals of requests and tokens stay.
 */
final class CacheReportRedaction {
    /** Objects of which only these fields stay. */
    private static final Map<String, Set<String>> PARTS =
            Map.of("cache", Set.of("scope"), "prefix_cache", Set.of("scope", "limit_bytes"));

    private static final List<String> FIELDS =
            List.of("cached_tokens", "cached_prompt_tokens", "kv_tokens_resident");

    private static final String MEMORY = "prompt_cache_bytes";
    private static final String USED = "used_bytes";

    private CacheReportRedaction() {}

    /** Removes them from a report and everything in it. */
    static void removeFrom(JsonNode report) {
        if (report instanceof ObjectNode object) {
            PARTS.forEach(
                    (name, kept) -> {
                        if (object.get(name) instanceof ObjectNode part) {
                            part.retain(kept);
                        }
                    });
            object.remove(FIELDS);
            if (object.has(MEMORY)) {
                // It is a part of what is used, which would tell it.
                object.put(USED, object.path(USED).longValue() - object.path(MEMORY).longValue());
                object.remove(MEMORY);
            }
        }
        report.forEach(CacheReportRedaction::removeFrom);
    }
}
