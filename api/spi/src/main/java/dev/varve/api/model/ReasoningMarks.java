package dev.varve.api.model;

/**
 * Texts around reasoning. {@code open} and {@code close} are the texts of special tokens and are
 * recognised by their ids, never in ordinary text.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @param open such as {@code <think>}
 * @param label text that the model writes after {@code open} and that is not part of the reasoning,
 *     such as {@code thought\n} of a named channel; empty for none. If there is one, any other name
 *     on a line of its own is also dropped
 * @param close such as {@code </think>}
 * @param forcedClose text that ends reasoning whose budget is spent: {@code close} with the white
 *     space that the model would write around it
 */
public record ReasoningMarks(String open, String label, String close, String forcedClose) {
    /** The marks {@code <think>} and {@code </think>}. */
    public static ReasoningMarks think() {
        return new ReasoningMarks("<think>", "", "</think>", "\n</think>\n\n");
    }
}
