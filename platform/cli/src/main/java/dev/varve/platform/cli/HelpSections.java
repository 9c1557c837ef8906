package dev.varve.platform.cli;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.util.List;
import java.util.stream.Collectors;

/** The sections of a command's help, apart from its options. Picocli breaks lines inside values. */
final class HelpSections {
    private static final int COMMAND_COLUMN = 14;

    private HelpSections() {}

    /** Replaces the sections of a command's help. */
    static void install(CommandLine command) {
        var sections = command.getHelpSectionMap();
        sections.put(UsageMessageSpec.SECTION_KEY_SYNOPSIS_HEADING, help -> "");
        sections.put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, HelpSections::synopsis);
        sections.put(UsageMessageSpec.SECTION_KEY_DESCRIPTION, HelpSections::description);
        sections.put(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST, HelpSections::parameters);
        sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new OptionSections());
        sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpSections::commands);
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpSections::examples);
    }

    /** Returns how to call a command; its options are not listed. */
    static List<String> synopsis(CommandSpec command) {
        String[] own = command.usageMessage().customSynopsis();
        if (own.length > 0) {
            return List.of(own);
        }
        String values =
                command.subcommands().isEmpty()
                        ? command.positionalParameters().stream()
                                .filter(each -> !each.hidden())
                                .map(each -> " " + label(each))
                                .collect(Collectors.joining())
                        : " " + command.usageMessage().synopsisSubcommandLabel();
        return List.of(command.qualifiedName() + values + " [OPTIONS]");
    }

    private static String label(PositionalParamSpec parameter) {
        return parameter.arity().min() == 0
                ? "[" + parameter.paramLabel() + "]"
                : parameter.paramLabel();
    }

    private static String synopsis(Help help) {
        HelpText text = new HelpText();
        synopsis(help.commandSpec())
                .forEach(line -> text.paragraph("Usage: " + OptionHelp.plain(line), 9));
        return text.toString();
    }

    private static String description(Help help) {
        HelpText text = new HelpText();
        for (String paragraph : help.commandSpec().usageMessage().description()) {
            text.paragraph(OptionHelp.plain(paragraph), 0);
        }
        return text.toString();
    }

    private static String parameters(Help help) {
        HelpText text = new HelpText();
        help.commandSpec().positionalParameters().stream()
                .filter(each -> !each.hidden())
                .forEach(
                        each ->
                                text.entry(
                                        "  " + each.paramLabel(), OptionHelp.of(each).summary()));
        String lines = text.toString();
        return lines.isEmpty() ? "" : "\nParameters:\n" + lines;
    }

    private static String commands(Help help) {
        HelpText text = new HelpText();
        help.subcommands()
                .forEach(
                        (name, command) ->
                                text.entry(
                                        "  " + name,
                                        summary(command.commandSpec()),
                                        COMMAND_COLUMN));
        return text.toString();
    }

    private static String examples(Help help) {
        HelpText text = new HelpText();
        for (String line : help.commandSpec().usageMessage().footer()) {
            text.line(OptionHelp.plain(line));
        }
        return text.toString();
    }

    /** Returns the first sentence of a command's description. */
    static String summary(CommandSpec command) {
        String[] description = command.usageMessage().description();
        return description.length == 0 ? "" : OptionHelp.sentence(OptionHelp.plain(description[0]));
    }
}
