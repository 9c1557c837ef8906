package dev.varve.platform.http.conversation;

import dev.varve.platform.chat.ResponseSummary;
import dev.varve.platform.http.answer.ChoiceEvent;

import tools.jackson.databind.node.ObjectNode;

import java.util.Locale;

/**
 * Writes {@code finish_details}: how the reasoning ended, for requests that give a reasoning effort
 * or budget.
 */
public final class ReasoningFinishDetails {
    private ReasoningFinishDetails() {}

    /** Adds the details to the object that ends a choice. */
    public static void put(ObjectNode target, ChoiceEvent.Ended ended) {
        ResponseSummary summary = ended.summary();
        target.putObject("finish_details")
                .put("close_kind", summary.reasoningEnd().name().toLowerCase(Locale.ROOT))
                .put("thinking_tokens", summary.reasoningTokens())
                .put("content_tokens", summary.contentTokens())
                .put("total_tokens", ended.end().tokens().generated())
                .put("degenerate_decode", summary.isRepeating());
    }
}
