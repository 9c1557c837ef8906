package dev.varve.platform.cli;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The part of docs/flags.md that is generated from the command line: each command with its
 * description, its flags under the headings of its help, and its examples. A flag that is the same
 * as one of the first command is only named.
 */
final class FlagsDocument {
    /** Words that are code: flags, variables, fields, paths, addresses, files, alternatives. */
    private static final Pattern CODE =
            Pattern.compile(
                    "--?[a-zA-Z][\\w-]*|/.+|\\S*[_*=<>@|]\\S*|\\S+:\\S+|[\\w-]+\\.\\.\\.|[\\w-]*(\\.[a-z]{2,8})+");

    private static final Pattern DOCUMENT = Pattern.compile("docs/([a-z-]+\\.md)");

    private final List<CommandLine> commands;
    private final StringBuilder text = new StringBuilder();

    private FlagsDocument(List<CommandLine> commands) {
        this.commands = commands;
    }

    /** Returns the document of all visible subcommands of {@code root} but picocli's help. */
    static String of(CommandLine root) {
        return new FlagsDocument(
                        ManCommand.visible(root).stream()
                                .filter(each -> each != root)
                                .filter(each -> !(each.getCommand() instanceof HelpCommand))
                                .toList())
                .write();
    }

    private String write() {
        text.append("\n## Commands\n\n| command | |\n|---|---|\n");
        for (CommandLine command : commands) {
            String name = name(command);
            row(
                    "[`" + name + "`](#" + name.replace(' ', '-') + ")",
                    prose(OptionHelp.sentence(description(command).getFirst())));
        }
        commands.forEach(this::command);
        return text.toString();
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    private static List<String> description(CommandLine command) {
        return plain(command.getCommandSpec().usageMessage().description());
    }

    private void command(CommandLine command) {
        text.append("\n## ").append(name(command)).append('\n');
        description(command).forEach(each -> text.append('\n').append(prose(each)).append('\n'));
        block(plain(HelpSections.synopsis(command.getCommandSpec()).toArray(String[]::new)));
        parameters(command.getCommandSpec().positionalParameters());
        List<OptionSpec> same = new ArrayList<>();
        OptionSections.of(command.getHelp())
                .forEach(
                        (heading, options) -> {
                            List<OptionSpec> own = options.stream().filter(this::isFirst).toList();
                            same.addAll(options.stream().filter(each -> !isFirst(each)).toList());
                            if (!own.isEmpty()) {
                                options(heading, own);
                            }
                        });
        if (!same.isEmpty()) {
            text.append("\nAs for [`")
                    .append(name(commands.getFirst()))
                    .append("`](#")
                    .append(name(commands.getFirst()).replace(' ', '-'))
                    .append("): ")
                    .append(
                            same.stream()
                                    .map(each -> code(each.longestName()))
                                    .collect(Collectors.joining(", ")))
                    .append(".\n");
        }
        List<String> examples = plain(command.getCommandSpec().usageMessage().footer());
        if (!examples.isEmpty()) {
            block(examples.stream().map(line -> line.replaceFirst("^ {2}", "")).toList());
        }
    }

    private void block(List<String> lines) {
        text.append("\n```sh\n");
        lines.forEach(line -> text.append(line).append('\n'));
        text.append("```\n");
    }

    private void parameters(List<PositionalParamSpec> parameters) {
        List<PositionalParamSpec> shown =
                parameters.stream().filter(each -> !each.hidden()).toList();
        if (!shown.isEmpty()) {
            text.append("\n| parameter | |\n|---|---|\n");
            shown.forEach(each -> row(code(each.paramLabel()), prose(OptionHelp.of(each).full())));
        }
    }

    private void options(String heading, List<OptionSpec> options) {
        text.append("\n**")
                .append(heading.replace(":", ""))
                .append("**\n\n| flag | default | |\n|---|---|---|\n");
        for (OptionSpec option : options) {
            OptionHelp help = OptionHelp.of(option);
            row(
                    names(option),
                    help.defaultText()
                            .map(each -> help.isDefaultValue() ? code(each) : prose(each))
                            .orElse(""),
                    prose(help.description()));
        }
    }

    /** Returns whether the first command has no equal option, or is the one that has it. */
    private boolean isFirst(OptionSpec option) {
        return commands.getFirst().getCommandSpec().options().stream()
                .noneMatch(each -> each != option && isEqual(each, option));
    }

    private static boolean isEqual(OptionSpec one, OptionSpec other) {
        return Arrays.equals(one.names(), other.names())
                && one.paramLabel().equals(other.paramLabel())
                && OptionHelp.of(one).equals(OptionHelp.of(other));
    }

    private static String names(OptionSpec option) {
        List<String> names = List.of(option.names());
        String label =
                option.arity().max() == 0
                        ? ""
                        : option.arity().min() == 0
                                ? "[=" + option.paramLabel() + "]"
                                : " " + option.paramLabel();
        return names.stream()
                .map(name -> name.equals(names.getLast()) ? code(name + label) : code(name))
                .collect(Collectors.joining(", "));
    }

    /** Returns texts as help shows them, without its markup. */
    private static List<String> plain(String... texts) {
        return Arrays.stream(texts)
                .map(each -> Help.Ansi.OFF.string(String.format(Locale.ROOT, each)))
                .toList();
    }

    /** Returns a sentence of the help in Markdown. */
    private static String prose(String sentence) {
        return Arrays.stream(sentence.split(" "))
                .map(FlagsDocument::word)
                .collect(Collectors.joining(" "));
    }

    private static String word(String word) {
        int begin = 0;
        int end = word.length();
        while (begin < end && "(\"".indexOf(word.charAt(begin)) >= 0) {
            begin++;
        }
        while (end > begin
                && ")\",;.:".indexOf(word.charAt(end - 1)) >= 0
                && !word.startsWith("...", end - 3)) {
            end--;
        }
        String inner = word.substring(begin, end);
        String shown =
                DOCUMENT.matcher(inner).matches()
                        ? DOCUMENT.matcher(inner).replaceAll("[$1]($1)")
                        : CODE.matcher(inner).matches() ? code(inner) : inner;
        return word.substring(0, begin) + shown + word.substring(end);
    }

    private static String code(String text) {
        return "`" + text + "`";
    }

    /** Appends a row of a table, in which a bar needs a backslash, even in code. */
    private void row(String... cells) {
        text.append(
                Arrays.stream(cells)
                        .map(cell -> " " + cell.replace("|", "\\|") + " ")
                        .collect(Collectors.joining("|", "|", "|\n")));
    }
}
