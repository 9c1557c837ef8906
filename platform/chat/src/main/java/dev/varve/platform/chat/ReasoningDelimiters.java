package dev.varve.platform.chat;

import dev.varve.api.model.ReasoningMarks;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Marks around reasoning.
 *
 * @param openId id of the opening mark
 * @param closeId id of the closing mark
 * @param label text after the opening mark that is not part of the reasoning
 * @param labelIds the tokens of the label
 * @param forcedClose the tokens that end reasoning whose budget is used up; the closing mark is
 *     among them
 * @param afterClose the tokens that the model writes between the closing mark and the content
 */
record ReasoningDelimiters(
        int openId,
        int closeId,
        String label,
        int[] labelIds,
        int[] forcedClose,
        int[] afterClose) {
    /** Returns the delimiters; empty if a mark is missing from the vocabulary. */
    static Optional<ReasoningDelimiters> of(ReasoningMarks marks, MarkTable table) {
        Tokenizer tokenizer = table.tokenizer();
        OptionalInt open = table.id(marks.open());
        OptionalInt close = table.id(marks.close());
        if (open.isEmpty() || close.isEmpty()) {
            return Optional.empty();
        }
        int end = marks.forcedClose().indexOf(marks.close());
        String closing = end < 0 ? marks.close() : marks.forcedClose();
        String after = end < 0 ? "" : closing.substring(end + marks.close().length());
        int[] forced = tokenizer.encodeContinuation(closing, true);
        int[] behind =
                table.isText(close.getAsInt())
                        ? tokenizer.encodeContinuation(after, true)
                        : behind(forced, close.getAsInt());
        return Optional.of(
                new ReasoningDelimiters(
                        open.getAsInt(),
                        close.getAsInt(),
                        marks.label(),
                        tokenizer.encodeContinuation(marks.label(), false),
                        forced,
                        behind));
    }

    boolean isMark(int token) {
        return token == openId || token == closeId;
    }

    private static int[] behind(int[] ids, int mark) {
        int at = 0;
        while (ids[at] != mark) {
            at++;
        }
        return Arrays.copyOfRange(ids, at + 1, ids.length);
    }
}
