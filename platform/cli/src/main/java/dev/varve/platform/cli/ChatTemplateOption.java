package dev.varve.platform.cli;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;

/** Option for another chat template, of commands that render conversations. */
final class ChatTemplateOption {
    @Option(
            names = "--chat-template-file",
            paramLabel = "FILE",
            description = "Jinja chat template to use instead of the model's own.",
            order = OptionSections.RARE + 2)
    private Optional<Path> file = Optional.empty();

    /** The template that was named; empty for the model's own. */
    Optional<Path> file() {
        return file;
    }
}
