package dev.varve.platform.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Scripts with which shells complete commands, options and their values. The scripts start no
 * process of varve: only files and downloaded models are looked up. Picocli's script for bash knows
 * no model names, splits values at colons, and does not complete {@code --option=value}.
 */
final class CompletionScript {
    private final List<CommandLine> commands;

    /** Makes scripts for the visible subcommands of {@code root}. */
    CompletionScript(CommandLine root) {
        commands =
                root.getSubcommands().values().stream()
                        .distinct()
                        .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                        .toList();
    }

    /** Returns the script for a shell. */
    String of(CompletionCommand.Shell shell) {
        return switch (shell) {
            case BASH -> template("completion.bash").replace("@COMMON@", common());
            case ZSH -> template("completion.zsh").replace("@COMMON@", common());
            case FISH ->
                    template("completion.fish")
                            .replace("@DEMOS@", demos())
                            .replace("@COMPLETIONS@\n", fish());
        };
    }

    private static String template(String name) {
        try (InputStream in = CompletionScript.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String demos() {
        return Arrays.stream(DemoModel.values())
                .map(DemoModel::reference)
                .collect(Collectors.joining(" "));
    }

    private static String name(CommandLine command) {
        return command.getCommandName();
    }

    private static List<OptionSpec> options(CommandLine command) {
        return command.getCommandSpec().options().stream().filter(each -> !each.hidden()).toList();
    }

    private static List<PositionalParamSpec> parameters(CommandLine command) {
        return command.getCommandSpec().positionalParameters().stream()
                .filter(each -> !each.hidden())
                .toList();
    }

    private String common() {
        return template("completion.common")
                .replace(
                        "@COMMANDS@",
                        commands.stream()
                                .map(CompletionScript::name)
                                .collect(Collectors.joining(" ")))
                .replace("@DEMOS@", demos())
                .replace("@OPTIONS@\n", optionCases())
                .replace("@VALUES@\n", valueCases());
    }

    private String optionCases() {
        return commands.stream()
                .map(
                        command ->
                                "    "
                                        + name(command)
                                        + ") printf '%s\\n' "
                                        + options(command).stream()
                                                .flatMap(each -> Arrays.stream(each.names()))
                                                .filter(each -> each.startsWith("--"))
                                                .collect(Collectors.joining(" "))
                                        + " ;;\n")
                .collect(Collectors.joining());
    }

    /** Returns one case for each value, with the commands and options that have it. */
    private String valueCases() {
        Map<CompletedValue, List<String>> patterns = new LinkedHashMap<>();
        for (CommandLine command : commands) {
            for (OptionSpec option : options(command)) {
                for (String name : option.names()) {
                    add(patterns, option, "'" + name(command) + " " + name + "'");
                }
            }
            List<PositionalParamSpec> parameters = parameters(command);
            for (int i = 0; i < parameters.size(); i++) {
                String position = i == 0 ? "" : Integer.toString(i + 1);
                add(patterns, parameters.get(i), "'" + name(command) + " " + position + "'");
            }
        }
        return patterns.entrySet().stream()
                .map(
                        each ->
                                "    "
                                        + String.join(" | ", each.getValue())
                                        + ") printf '%s\\n' '"
                                        + each.getKey().kind().word()
                                        + each.getKey().words().stream()
                                                .map(word -> " " + word)
                                                .collect(Collectors.joining())
                                        + "' ;;\n")
                .collect(Collectors.joining());
    }

    private void add(Map<CompletedValue, List<String>> patterns, ArgSpec argument, String pattern) {
        CompletedValue value = valueOf(argument);
        if (value.kind() != CompletedValue.Kind.NONE) {
            patterns.computeIfAbsent(value, each -> new ArrayList<>()).add(pattern);
        }
    }

    private CompletedValue valueOf(ArgSpec argument) {
        return argument.paramLabel().equals("COMMAND")
                ? new CompletedValue(
                        CompletedValue.Kind.VALUES,
                        commands.stream().map(CompletionScript::name).toList())
                : CompletedValue.of(argument);
    }

    private String fish() {
        List<String> lines = new ArrayList<>();
        for (CommandLine command : commands) {
            lines.add(
                    "complete -c varve -n __fish_use_subcommand -a "
                            + name(command)
                            + " -d "
                            + quoted(HelpSections.summary(command.getCommandSpec())));
            parameters(command)
                    .forEach(each -> lines.add(condition(List.of(name(command))) + values(each)));
        }
        Map<String, List<String>> users = new LinkedHashMap<>();
        for (CommandLine command : commands) {
            for (OptionSpec option : options(command)) {
                users.computeIfAbsent(fish(option), each -> new ArrayList<>()).add(name(command));
            }
        }
        users.forEach((option, names) -> lines.add(condition(names) + option));
        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }

    private static String condition(List<String> names) {
        return "complete -c varve -n '__fish_seen_subcommand_from " + String.join(" ", names) + "'";
    }

    private String fish(OptionSpec option) {
        return Stream.of(option.names())
                        .map(CompletionScript::fishName)
                        .collect(Collectors.joining())
                + values(option)
                + " -d "
                + quoted(OptionHelp.of(option).summary());
    }

    private static String fishName(String name) {
        if (name.startsWith("--")) {
            return " -l " + name.substring(2);
        }
        return (name.length() == 2 ? " -s " : " -o ") + name.substring(1);
    }

    private String values(ArgSpec argument) {
        CompletedValue value = valueOf(argument);
        String words = String.join(" ", value.words());
        return switch (value.kind()) {
            case NONE -> "";
            case OTHER -> " -x";
            case VALUES -> " -x -a " + quoted(words);
            case LIST -> " -x -a " + quoted("(__fish_append , " + words + ")");
            case MODEL -> " -r -F -a " + quoted("(__varve_models)");
            case HUB -> " -x -a " + quoted("(__varve_pulled '')");
            case FILE -> " -r -F" + (words.isEmpty() ? "" : " -a " + quoted(words));
            case FOLDER -> " -x -a " + quoted("(__fish_complete_directories)");
        };
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
