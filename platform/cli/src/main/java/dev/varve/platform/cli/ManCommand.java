package dev.varve.platform.cli;

import dev.varve.platform.setting.Release;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes manual pages of all commands. */
@Command(
        name = "man",
        addMethodSubcommands = false,
        description = {
            "Prints the manual page of a command, for man -l -.",
            "The installation contains the pages of all commands in share/man."
        },
        customSynopsis = "varve man [COMMAND] [--write FOLDER]",
        footer = {
            "  varve man serve | man -l -",
            "  man -M /opt/varve/share/man varve-serve             from an installation",
            "  varve man --write ~/.local/share/man/man1"
        })
final class ManCommand extends CliCommand {
    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..1",
            description = "Command, such as serve (default: varve itself).")
    private Optional<String> name = Optional.empty();

    @Option(
            names = "--write",
            paramLabel = "FOLDER",
            description =
                    "Write the pages of all commands to this folder instead; it is created if it is"
                            + " missing.",
            order = 1)
    private Optional<Path> folder = Optional.empty();

    @Option(
            names = "--release",
            hidden = true,
            paramLabel = "VERSION",
            description = "Version that the pages name; set by the build.")
    private Optional<String> release = Optional.empty();

    @Override
    int run() throws IOException {
        if (folder.isPresent()) {
            write(folder.get());
            return 0;
        }
        CommandLine root = commandLine();
        Optional<CommandLine> command =
                name.isEmpty()
                        ? Optional.of(root)
                        : name.flatMap(
                                each -> Optional.ofNullable(root.getSubcommands().get(each)));
        if (command.isEmpty()) {
            throw new UsageException(name.orElseThrow() + ": no such command; see varve --help");
        }
        out().print(ManPage.of(command.get(), version()));
        out().flush();
        return 0;
    }

    private void write(Path where) throws IOException {
        Files.createDirectories(where);
        for (CommandLine command : visible(commandLine())) {
            Files.writeString(
                    where.resolve(ManPage.name(command) + ".1"), ManPage.of(command, version()));
        }
    }

    private String version() {
        return release.orElseGet(Release::version);
    }

    /** Returns a command and all its subcommands that help shows. */
    static List<CommandLine> visible(CommandLine command) {
        List<CommandLine> all = new ArrayList<>();
        if (!command.getCommandSpec().usageMessage().hidden()) {
            all.add(command);
            command.getSubcommands().values().stream()
                    .distinct()
                    .forEach(each -> all.addAll(visible(each)));
        }
        return all;
    }
}
