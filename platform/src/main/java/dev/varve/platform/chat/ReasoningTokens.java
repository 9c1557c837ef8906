package dev.varve.platform.chat;

import dev.varve.api.model.ChatDialect;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The special tokens around a thought. Recognised by id, so that nobody can fake them with text.
 *
 * @param openId id of the opening mark
 * @param closeId id of the closing mark
 * @param openText text of the opening mark, with which a prompt may end
 */
public record ReasoningTokens(int openId, int closeId, String openText) {
    /** The marks of a dialect, if the vocabulary has a token for each. */
    public static Optional<ReasoningTokens> of(ChatDialect dialect, Tokenizer tokenizer) {
        return dialect.reasoning()
                .flatMap(
                        marks -> {
                            OptionalInt open = tokenizer.tokenId(marks.open());
                            OptionalInt close = tokenizer.tokenId(marks.close());
                            return open.isPresent() && close.isPresent()
                                    ? Optional.of(
                                            new ReasoningTokens(
                                                    open.getAsInt(),
                                                    close.getAsInt(),
                                                    marks.open()))
                                    : Optional.empty();
                        });
    }

    /** Whether the answer to a prompt begins inside a thought. */
    public boolean isOpenAtEndOf(String prompt) {
        return prompt.stripTrailing().endsWith(openText);
    }
}
