package dev.varve.platform.http.conversation;

import dev.varve.platform.compression.conversation.CompressionOverrides;
import dev.varve.platform.http.answer.CacheOptions;

import java.util.Map;
import java.util.OptionalInt;

/**
 * What a client asks, whatever dialect it speaks. Checked, but for what only the model's template
 * can tell.
 *
 * @param call how tokens are chosen, and where the answer ends
 * @param transcript what was said
 * @param turn where the answer begins
 * @param tools what may be called
 * @param form what the content must be
 * @param thinking whether to think, and how much
 * @param variables more variables of the template
 * @param wishes what it asks of the server's means
 */
public record ConversationRequest(
        GenerationParameters call,
        Transcript transcript,
        GenerationStart turn,
        RequestTools tools,
        ResponseFormatFields form,
        ReasoningParameters thinking,
        Map<String, Object> variables,
        Wishes wishes) {
    /**
     * Most tokens of thoughts in an answer of {@code maxOutput} tokens, empty for no limit; none
     * behind content that stands there already.
     */
    OptionalInt thoughts(int maxOutput) {
        return turn == GenerationStart.CONTINUE ? OptionalInt.of(0) : thinking.budget(maxOutput);
    }

    /**
     * What a client asks of the server's means.
     *
     * @param cache of computed prompts
     * @param compression of long prompts
     */
    public record Wishes(CacheOptions cache, CompressionOverrides compression) {}
}
