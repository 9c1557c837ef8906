package dev.varve.platform.http.model;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Removes from reports the cache figures of all callers' prompts: they would let one caller infer
 * another's prompts. Totals of requests and tokens stay.
 */
final class CacheReportRedaction {
    /** Objects, and the fields of each that stay. */
    private static final Map<String, Set<String>> PARTS =
            Map.of("cache", Set.of("scope"), "prefix_cache", Set.of("scope", "limit_bytes"));

    private static final List<String> FIELDS =
            List.of("cached_tokens", "cached_prompt_tokens", "kv_tokens_resident");

    private static final String MEMORY = "prompt_cache_bytes";
    private static final String USED = "used_bytes";

    private CacheReportRedaction() {}

    /** Removes the figures from a report and all nested values. */
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
                // The used bytes include it and would reveal it.
                object.put(USED, object.path(USED).longValue() - object.path(MEMORY).longValue());
                object.remove(MEMORY);
            }
        }
        report.forEach(CacheReportRedaction::removeFrom);
    }
}
