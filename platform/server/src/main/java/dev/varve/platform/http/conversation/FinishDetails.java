package dev.varve.platform.http.conversation;

import dev.varve.platform.http.answer.ChoiceEvent;
import dev.varve.platform.http.answer.ResponseSummary;

import tools.jackson.databind.node.ObjectNode;

import java.util.Locale;

/**
 * {@code finish_details}: how thoughts ended, in answers to requests that say how long they may be.
 */
public final class FinishDetails {
    private FinishDetails() {}

    /** Adds them to what tells the end of a choice. */
    public static void put(ObjectNode target, ChoiceEvent.Ended ended) {
        ResponseSummary facts = ended.facts();
        target.putObject("finish_details")
                .put("close_kind", facts.thoughts().name().toLowerCase(Locale.ROOT))
                .put("thinking_tokens", facts.reasoningTokens())
                .put("content_tokens", facts.contentTokens())
                .put("total_tokens", ended.end().tokens().generated())
                .put("degenerate_decode", facts.loops());
    }
}
