package dev.varve.platform.chat;

import dev.varve.api.model.ReasoningMarks;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Special tokens around reasoning. They are matched by id, so that text cannot imitate them.
 *
 * @param openId id of the opening mark
 * @param closeId id of the closing mark
 * @param label text after the opening mark that is not part of the reasoning
 * @param labelIds the tokens of the label
 * @param forcedClose the tokens that end reasoning whose budget is used up; {@code closeId} is
 *     among them
 */
record ReasoningDelimiters(
        int openId, int closeId, String label, int[] labelIds, int[] forcedClose) {
    /** Returns the delimiters, if the vocabulary has a special token for each. */
    static Optional<ReasoningDelimiters> of(ReasoningMarks marks, Tokenizer tokenizer) {
        OptionalInt open = ToolCallTokens.special(tokenizer, marks.open());
        OptionalInt close = ToolCallTokens.special(tokenizer, marks.close());
        if (open.isEmpty() || close.isEmpty()) {
            return Optional.empty();
        }
        int closeId = close.getAsInt();
        int[] forced = tokenizer.encodeContinuation(marks.forcedClose(), true);
        return Optional.of(
                new ReasoningDelimiters(
                        open.getAsInt(),
                        closeId,
                        marks.label(),
                        tokenizer.encode(marks.label(), false),
                        indexOf(forced, closeId) < 0 ? new int[] {closeId} : forced));
    }

    boolean isMark(int token) {
        return token == openId || token == closeId;
    }

    /** Returns the tokens that the model writes between the close mark and the content. */
    int[] afterClose() {
        return Arrays.copyOfRange(
                forcedClose, indexOf(forcedClose, closeId) + 1, forcedClose.length);
    }

    private static int indexOf(int[] ids, int wanted) {
        for (int index = 0; index < ids.length; index++) {
            if (ids[index] == wanted) {
                return index;
            }
        }
        return -1;
    }
}
