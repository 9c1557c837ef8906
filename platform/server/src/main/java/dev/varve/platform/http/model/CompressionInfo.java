package dev.varve.platform.http.model;

import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The settings of prompt compression that clients may read. */
public final class CompressionInfo {
    private CompressionInfo() {}

    /** Returns the mode, the length threshold and the keep ratios. */
    public static ObjectNode of(ConversationCompressionSettings options) {
        ObjectNode facts =
                Json.object()
                        .put("mode", options.mode().word())
                        .put("threshold_tokens", options.thresholdTokens());
        ArrayNode keep = facts.putArray("keep");
        for (KeepCurve.Point point : options.keep().points()) {
            keep.addObject().put("tokens", point.tokens()).put("ratio", point.keep().value());
        }
        return facts.put("flowkv", options.byMessage())
                .put("flowkv_min_tokens", options.flow().leastMessageTokens())
                .put("adaptive", options.adaptive())
                .put("hops", options.selection().hops());
    }
}
