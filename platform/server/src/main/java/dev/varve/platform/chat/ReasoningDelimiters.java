package dev.varve.platform.chat;

import dev.varve.api.model.ReasoningMarks;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The special tokens around a thought. Recognised by id, so that nobody can fake them with text.
 *
 * @param openId id of the opening mark
 * @param closeId id of the closing mark
 * @param label text behind the opening mark that is no part of the thought
 * @param labelIds the tokens of the label
 * @param forcedClose the tokens that end a thought whose budget is spent; {@code closeId} is among
 *     them
 */
record ReasoningDelimiters(
        int openId, int closeId, String label, int[] labelIds, int[] forcedClose) {
    /** The marks, if the vocabulary has a special token for each. */
    static Optional<ReasoningDelimiters> of(ReasoningMarks marks, Tokenizer tokenizer) {
        OptionalInt open = ToolCallTokens.special(tokenizer, marks.open());
        OptionalInt close = ToolCallTokens.special(tokenizer, marks.close());
        if (open.isEmpty() || close.isEmpty()) {
            return Optional.empty();
        }
        int closeId = close.getAsInt();
        int[] forced = tokenizer.encode(marks.forcedClose(), true);
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

    /** What the model writes between the close mark and the answer. */
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
