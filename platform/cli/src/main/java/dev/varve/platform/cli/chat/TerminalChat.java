package dev.varve.platform.cli.chat;

import dev.varve.api.FileErrors;

import org.jline.reader.Buffer;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.Widget;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.Signals;

import java.io.IOError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A chat on a terminal, with an editor for the line, history and completion. */
public final class TerminalChat {
    private static final String PROMPT = ">>> ";
    private static final String CONTINUATION = "... ";
    private static final String SOFTWARE_SIGNALS = "org.jline.terminal.softwareSignals";

    private final Terminal terminal;
    private final ChatOptions options;
    private final BooleanSupplier stopping;

    private TerminalChat(Terminal terminal, ChatOptions options, BooleanSupplier stopping) {
        this.terminal = terminal;
        this.options = options;
        this.stopping = stopping;
    }

    /**
     * Runs a chat on the terminal of this process until the user leaves.
     *
     * @param stopping whether the process was asked to stop, which also interrupts this thread
     * @throws InterruptedException if this thread is interrupted
     */
    public static void run(ChatModel model, ChatOptions options, BooleanSupplier stopping)
            throws InterruptedException {
        // JLine would also raise signals for characters that it reads, so one Ctrl-C could count
        // twice.
        System.setProperty(SOFTWARE_SIGNALS, "false");
        try (Terminal terminal =
                TerminalBuilder.builder()
                        .system(true)
                        .dumb(true)
                        .nativeSignals(true)
                        .graphemeCluster(false)
                        .encoding(StandardCharsets.UTF_8)
                        .build()) {
            // JLine handles no signal for a dumb terminal, so Ctrl-C would end the process.
            if (isDumb(terminal)) {
                Signals.register("INT", () -> terminal.raise(Terminal.Signal.INT));
            }
            run(terminal, model, options, stopping);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a chat on a terminal, which stays open. */
    static void run(
            Terminal terminal, ChatModel model, ChatOptions options, BooleanSupplier stopping)
            throws InterruptedException {
        new TerminalChat(terminal, options, stopping).run(model);
    }

    private void run(ChatModel model) throws InterruptedException {
        ChatOutput out = new ChatOutput(terminal.writer(), terminal.writer(), layout());
        LineReader reader = reader(out);
        // The editor handles Ctrl-C itself while it reads.
        terminal.handle(Terminal.Signal.INT, signal -> model.stop());
        out.note(model.name() + ": /help lists the commands; Ctrl-D leaves");
        // The editor shows what is typed; while the model responds, nothing is shown.
        terminal.echo(false);
        new ChatLoop(model, () -> next(reader, out), out, options).run();
    }

    private static boolean isDumb(Terminal terminal) {
        return terminal.getType().startsWith(Terminal.TYPE_DUMB);
    }

    private ChatOutput.Layout layout() {
        boolean styled = options.style() == ChatOptions.Style.ALLOWED && !isDumb(terminal);
        return styled ? ChatOutput.Layout.STYLED : ChatOutput.Layout.UNSTYLED;
    }

    private LineReader reader(ChatOutput out) {
        // The default highlighter stays: it alone removes control characters from the line.
        LineReaderBuilder builder =
                LineReaderBuilder.builder()
                        .terminal(terminal)
                        .appName("varve")
                        .parser(new ChatLineParser())
                        .completer(new ChatCompleter())
                        .history(new ChatHistory())
                        .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                        .option(LineReader.Option.HISTORY_TIMESTAMPED, false)
                        .variable(LineReader.SECONDARY_PROMPT_PATTERN, CONTINUATION)
                        .variable(LineReader.HISTORY_SIZE, ChatHistory.MOST_ENTRIES)
                        .variable(LineReader.HISTORY_FILE_SIZE, ChatHistory.MOST_ENTRIES);
        options.history()
                .filter(file -> isUsable(file, out))
                .ifPresent(file -> builder.variable(LineReader.HISTORY_FILE, file));
        LineReader reader = builder.build();
        Widget accept = reader.getWidgets().get(LineReader.ACCEPT_LINE);
        reader.getWidgets()
                .put(LineReader.ACCEPT_LINE, () -> continues(reader.getBuffer()) || accept.apply());
        return reader;
    }

    /** A history is optional: without its file the chat runs all the same. */
    private static boolean isUsable(Path file, ChatOutput out) {
        try {
            ChatHistory.create(file);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            out.note("no history is kept: " + file + ": " + FileErrors.reason(e));
            return false;
        }
    }

    /** Begins another line if the input is incomplete; returns whether it is. */
    private static boolean continues(Buffer buffer) {
        String text = buffer.toString();
        boolean atEnd = buffer.cursor() == buffer.length();
        if (!MessageText.isOpenBlock(text)) {
            if (!atEnd || !MessageText.endsWithBackslash(text)) {
                return false;
            }
            buffer.backspace();
        }
        buffer.write('\n');
        return true;
    }

    /**
     * Reads an input. One Ctrl-C does not leave: it may have been meant for a response that ended
     * just before.
     */
    private Optional<String> next(LineReader reader, ChatOutput out) throws InterruptedException {
        boolean leaves = false;
        while (!stopping.getAsBoolean()) {
            try {
                return Optional.of(reader.readLine(PROMPT));
            } catch (UserInterruptException e) {
                boolean onEmptyLine = e.getPartialLine().isEmpty();
                if (onEmptyLine && leaves) {
                    return Optional.empty();
                }
                if (onEmptyLine) {
                    out.note("press Ctrl-C again or Ctrl-D to leave");
                }
                leaves = onEmptyLine;
            } catch (EndOfFileException e) {
                return Optional.empty();
            } catch (IllegalStateException | IOError e) {
                // The terminal was closed: JLine does so when the process is asked to stop.
                break;
            }
        }
        throw new InterruptedException();
    }
}
