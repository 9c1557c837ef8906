package dev.varve.platform.cli;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The manual page of a command, in the macros {@code man} of roff, made from its help. */
final class ManPage {
    private final CommandLine command;
    private final StringBuilder text = new StringBuilder();

    private ManPage(CommandLine command) {
        this.command = command;
    }

    /** Name of a command's page, such as {@code varve-cache-status}. */
    static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    /**
     * Returns the page.
     *
     * @param version of Varve
     */
    static String of(CommandLine command, String version) {
        return new ManPage(command).write(version);
    }

    private String write(String version) {
        CommandSpec spec = command.getCommandSpec();
        String[] description = spec.usageMessage().description();
        macro(
                "TH "
                        + quoted(name(command).toUpperCase(Locale.ROOT))
                        + " 1 \"\" "
                        + quoted("Varve " + version)
                        + " "
                        + quoted("Varve"));
        section("NAME");
        line(name(command) + " \\- " + escaped(summary(description)));
        section("SYNOPSIS");
        for (String synopsis : HelpSections.synopsis(spec)) {
            macro("B " + quoted(synopsis));
            macro("br");
        }
        section("DESCRIPTION");
        paragraphs(description);
        subcommands();
        parameters(spec.positionalParameters());
        OptionSections.of(command.getHelp())
                .forEach((heading, options) -> options(heading, options));
        examples(spec.usageMessage().footer());
        section("SEE ALSO");
        macro("BR varve (1),");
        line("and the folder docs of the installation");
        return text.toString();
    }

    private static String summary(String[] description) {
        String first = description.length == 0 ? "" : description[0];
        int end = first.indexOf(". ");
        String sentence = end < 0 ? first : first.substring(0, end);
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    private void subcommands() {
        List<CommandLine> visible =
                command.getSubcommands().values().stream()
                        .distinct()
                        .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                        .toList();
        if (visible.isEmpty()) {
            return;
        }
        section("COMMANDS");
        for (CommandLine each : visible) {
            macro("TP");
            macro("BR " + name(each) + " (1)");
            line(escaped(summary(each.getCommandSpec().usageMessage().description()) + "."));
        }
    }

    private void parameters(List<PositionalParamSpec> parameters) {
        if (parameters.stream().allMatch(PositionalParamSpec::hidden)) {
            return;
        }
        section("PARAMETERS");
        for (PositionalParamSpec parameter : parameters) {
            if (!parameter.hidden()) {
                macro("TP");
                macro("I " + quoted(parameter.paramLabel()));
                line(escaped(OptionHelp.of(parameter).full()));
            }
        }
    }

    private void options(String heading, List<OptionSpec> options) {
        section(heading.replace(":", "").toUpperCase(Locale.ROOT));
        for (OptionSpec option : options) {
            macro("TP");
            line(
                    Arrays.stream(option.names())
                                    .map(name -> "\\fB" + escaped(name) + "\\fR")
                                    .collect(Collectors.joining(", "))
                            + (option.arity().max() == 0
                                    ? ""
                                    : "=\\fI" + escaped(option.paramLabel()) + "\\fR"));
            line(escaped(OptionHelp.of(option).full()));
        }
    }

    private void examples(String[] lines) {
        if (lines.length == 0) {
            return;
        }
        section("EXAMPLES");
        macro("nf");
        for (String example : lines) {
            line(escaped(Help.Ansi.OFF.string(example)));
        }
        macro("fi");
    }

    private void paragraphs(String... paragraphs) {
        for (int i = 0; i < paragraphs.length; i++) {
            if (i > 0) {
                macro("PP");
            }
            line(escaped(Help.Ansi.OFF.string(String.format(Locale.ROOT, paragraphs[i]))));
        }
    }

    private void section(String heading) {
        macro("SH " + quoted(heading));
    }

    private void macro(String request) {
        text.append('.').append(request).append('\n');
    }

    /**
     * Appends a line of escaped text; a line that looks like a roff request is not treated as one.
     */
    private void line(String escaped) {
        boolean request = escaped.startsWith(".") || escaped.startsWith("'");
        text.append(request ? "\\&" : "").append(escaped).append('\n');
    }

    private static String quoted(String text) {
        return '"' + escaped(text).replace("\"", "\\(dq") + '"';
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(point -> escaped.append(escaped(point)));
        return escaped.toString();
    }

    /** Escapes a code point: roff reads bytes, and other characters have names. */
    private static String escaped(int point) {
        return switch (point) {
            case '\\' -> "\\e";
            case '-' -> "\\-";
            case '\'' -> "\\(aq";
            default ->
                    point < 128
                            ? Character.toString(point)
                            : String.format(Locale.ROOT, "\\[u%04X]", point);
        };
    }
}
