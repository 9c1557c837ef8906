package dev.varve.platform.cli.chat;

import dev.varve.platform.log.ControlCharacters;

import java.io.PrintWriter;

/**
 * The output of a chat. Control characters are removed from every text. For one thread.
 *
 * @param responses receives the text of the model
 * @param notes receives everything else
 * @param layout how texts are separated and styled
 */
record ChatOutput(PrintWriter responses, PrintWriter notes, Layout layout) {
    private static final String DIM = "\033[2m";
    private static final String RESET = "\033[0m";

    /** How texts are separated and styled. */
    enum Layout {
        /** For a person: reasoning is dimmed, and an empty line follows each response. */
        STYLED,
        /** For a person at a terminal without styles: headings separate reasoning and text. */
        UNSTYLED,
        /** For a program: only the texts of responses. */
        PLAIN
    }

    /** Returns whether a person reads the output. */
    boolean isInteractive() {
        return layout != Layout.PLAIN;
    }

    /** Prints a line of information. */
    void note(String line) {
        notes.println(ControlCharacters.remove(line));
        notes.flush();
    }

    /** Prints an error. */
    void error(String message) {
        note("varve: " + message);
    }

    /** Prints a part of a response. */
    void print(String text) {
        responses.print(ControlCharacters.remove(text));
        responses.flush();
    }

    /** Prints a part of the reasoning; each part resets the style. */
    void printReasoning(String text) {
        if (layout == Layout.STYLED) {
            responses.print(DIM + ControlCharacters.remove(text) + RESET);
            responses.flush();
        } else {
            print(text);
        }
    }
}
