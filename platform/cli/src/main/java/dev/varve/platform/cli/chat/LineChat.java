package dev.varve.platform.cli.chat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.SynchronousQueue;

/**
 * A chat without a terminal: reads one message per line, or several in the syntax of {@link
 * MessageText}, and prints responses without prompts and escape sequences.
 */
public final class LineChat {
    private LineChat() {}

    /**
     * Runs a chat until the input ends.
     *
     * @param in UTF-8 text
     * @param out receives the responses
     * @param err receives the output of commands, and errors
     * @return whether every command and every message was accepted
     * @throws InterruptedException if this thread is interrupted, also while it waits for a line
     */
    public static boolean run(
            ChatModel model, ChatOptions options, InputStream in, PrintWriter out, PrintWriter err)
            throws InterruptedException {
        ChatOutput output = new ChatOutput(out, err, ChatOutput.Layout.PLAIN);
        return new ChatLoop(model, new Input(in), output, options).run();
    }

    /** Reads on a thread of its own, since a read cannot be interrupted. */
    private static final class Input implements ChatInput {
        private final SynchronousQueue<Optional<String>> lines = new SynchronousQueue<>();
        private boolean ended;

        Input(InputStream in) {
            Thread.ofPlatform().daemon(true).name("varve-chat-input").start(() -> read(in));
        }

        private void read(InputStream in) {
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            try {
                Optional<String> line = line(reader);
                while (line.isPresent()) {
                    lines.put(line);
                    line = line(reader);
                }
                lines.put(line);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Reads a line; an input that cannot be read any more has ended. */
        private static Optional<String> line(BufferedReader reader) {
            try {
                return Optional.ofNullable(reader.readLine());
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        @Override
        public Optional<String> next() throws InterruptedException {
            Optional<String> first = line();
            if (first.isEmpty()) {
                return first;
            }
            StringBuilder text = new StringBuilder(first.get());
            boolean inBlock = MessageText.isOpenBlock(text);
            while (inBlock || MessageText.endsWithBackslash(text)) {
                if (!inBlock) {
                    text.setLength(text.length() - 1);
                }
                Optional<String> more = line();
                if (more.isEmpty()) {
                    break;
                }
                text.append('\n').append(more.get());
                // Of a block only the new line is examined: blocks may be long.
                inBlock =
                        inBlock
                                ? !MessageText.endsBlock(more.get())
                                : MessageText.isOpenBlock(text);
            }
            return Optional.of(text.toString());
        }

        private Optional<String> line() throws InterruptedException {
            if (ended) {
                return Optional.empty();
            }
            Optional<String> line = lines.take();
            ended = line.isEmpty();
            return line;
        }
    }
}
