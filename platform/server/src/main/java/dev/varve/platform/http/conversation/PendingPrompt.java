package dev.varve.platform.http.conversation;

import dev.varve.platform.chat.ChatPrompt;

import java.util.function.BooleanSupplier;

/** The prompt of a body, which may have to wait for images of other hosts. */
public sealed interface PendingPrompt {
    /** A prompt that waits for nothing. */
    record Ready(ChatPrompt prompt) implements PendingPrompt {}

    /** A prompt whose images are fetched first. */
    record Remote(Task task) implements PendingPrompt {}

    /** Work that waits for other hosts. */
    @FunctionalInterface
    interface Task {
        /**
         * Runs the work.
         *
         * @param disconnected whether the client disconnected, asked from time to time
         * @throws java.util.concurrent.CancellationException if the client disconnected
         */
        ChatPrompt prompt(BooleanSupplier disconnected);
    }
}
