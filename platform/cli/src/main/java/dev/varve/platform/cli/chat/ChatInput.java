package dev.varve.platform.cli.chat;

import java.util.Optional;

/** The source of messages and commands. */
interface ChatInput {
    /**
     * Waits for the next text, which is complete and may have several lines.
     *
     * @return the text as typed; empty at the end of the chat
     * @throws InterruptedException if the process is asked to stop
     */
    Optional<String> next() throws InterruptedException;
}
