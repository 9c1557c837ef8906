package dev.varve.embedded;

import dev.varve.platform.host.ModelLoadListener;

import java.util.function.Consumer;

/**
 * Passes on the messages for people while a model is opened.
 *
 * @param messages accepts each of them
 */
record LoadMessages(Consumer<String> messages) implements ModelLoadListener {
    @Override
    public void warning(String text) {
        messages.accept(OptionNames.message(text));
    }

    @Override
    public void note(String text) {
        messages.accept(OptionNames.message(text));
    }
}
